//! The words of slates, workspaces and proposals (10-external-slates.md).

use crate::words;

words! {
    /// What kind of knowledge a seed is. An absent kind counts as `follow-up` at review (XSL-07).
    SeedKind, "kind of seed" {
        /// Something was decided.
        Decision "decision",
        /// A page of what is known should say something else.
        WikiUpdate "wiki-update",
        /// Something learnt.
        MemoryEntry "memory-entry",
        /// Something is still to be done or asked.
        FollowUp "follow-up",
        /// What others rely on changes.
        ContractChange "contract-change",
        /// Something may go wrong.
        Risk "risk",
    }
}

words! {
    /// How a caller reaches the MCP server.
    Transport, "transport" {
        /// Standard input and output.
        Stdio "stdio",
        /// In the same process.
        InProcess "in-process",
        /// HTTP on loopback.
        Http "http",
    }
}

words! {
    /// What closed an external slate, or brought its seeds in.
    CloseTrigger, "trigger" {
        /// `slate.close`, or the end of a session that a hook told of.
        Close "external-slate-close",
        /// Nobody wrote for longer than `slate.idle_ttl`.
        Idle "external-slate-idle-reclaim",
        /// A person imported it from another program.
        Import "import",
    }
}

words! {
    /// Whether a workspace takes more proposals.
    WorkspaceStatus, "status of a workspace" {
        /// It takes proposals.
        Active "active",
        /// It takes none; what waits in it can still be reviewed.
        Archived "archived",
    }
}

words! {
    /// What became of an unbound candidate. It expires never.
    UnboundState, "state of an unbound candidate" {
        /// It waits for a person.
        Waiting "waiting",
        /// A person bound it to a workspace: its seeds are proposals there.
        Bound "bound",
        /// A person does not want it. Its seeds are kept.
        Dismissed "dismissed",
    }
}
