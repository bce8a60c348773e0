//! The words of the policy (50-policy.md): what an action risks, what is answered, and what is asked about.

use crate::words;

words! {
    /// What an action risks, from the least to the most guarded: of a whole, the greatest risk of its parts counts.
    Risk, "risk" {
        /// It reads what lies in the working tree.
        Read "read",
        /// It writes files of the working tree.
        Write "write",
        /// It runs a program.
        Shell "shell",
        /// It reaches another machine.
        Network "network",
        /// It sets another agent to work.
        Delegate "delegate",
        /// It takes away what cannot easily be brought back, or nobody can tell what it does.
        Destructive "destructive",
        /// It touches a key, a token or the place where they are kept.
        Credential "credential",
    }
}

words! {
    /// The policy's answer, from the mildest to the strictest.
    Answer, "answer" {
        /// It may be done.
        Allow "allow",
        /// A person is asked.
        Ask "ask",
        /// It is refused.
        Deny "deny",
    }
}

words! {
    /// How much the built-in agent may do without asking (POL-02).
    Mode, "mode" {
        /// Only reading.
        Ask "ask",
        /// Writing and running too.
        Trust "trust",
        /// Everything but the floors; only in a sandbox, or with a recorded waiver.
        Auto "auto",
    }
}

words! {
    /// Who wants to act.
    Actor, "actor" {
        /// Taffrail's own agent.
        BuiltIn "built-in",
        /// An agent of another vendor: its mode is always `ask` (POL-03).
        Foreign "foreign",
    }
}

words! {
    /// What holds a process that an action starts.
    Held, "sandbox" {
        /// Nothing.
        Open "open",
        /// Nothing, and a person said so on record (`--waive-sandbox`).
        Waived "waived",
        /// The sandbox, proven at start (CNF-03).
        Sandboxed "sandboxed",
    }
}

words! {
    /// The kinds of tool calls that an ACP agent asks permission for (FA-22).
    ToolKind, "kind of tool call" {
        /// It reads.
        Read "read",
        /// It searches.
        Search "search",
        /// It thinks.
        Think "think",
        /// It changes files.
        Edit "edit",
        /// It moves files.
        Move "move",
        /// It removes files.
        Delete "delete",
        /// It runs a command.
        Execute "execute",
        /// It fetches from the network.
        Fetch "fetch",
        /// It changes the agent's own mode.
        SwitchMode "switch_mode",
        /// Anything else, or no kind at all.
        Other "other",
    }
}

/// What somebody wants to do, with the exact bytes. Paths are as they were given: absolute, or relative to the working
/// directory of the action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Reads files.
    Read {
        /// Which.
        paths: Vec<Vec<u8>>,
    },
    /// Changes files.
    Write {
        /// Which are made or changed.
        paths: Vec<Vec<u8>>,
        /// Which are removed.
        removes: Vec<Vec<u8>>,
    },
    /// Runs `bash --noprofile --norc -c` over exactly these bytes.
    Shell {
        /// The bytes.
        command: Vec<u8>,
        /// The paths that it is said to touch, if somebody said so.
        paths: Vec<Vec<u8>>,
    },
    /// Reaches a host.
    Network {
        /// Its name, lower case, without port.
        host: String,
    },
    /// Sets another agent to work.
    Delegate {
        /// Its id.
        agent: String,
    },
    /// Calls a tool that Taffrail itself offers to the agent of a run, and answers.
    OwnTool {
        /// The tool.
        tool: String,
        /// The paths that the call names.
        paths: Vec<Vec<u8>>,
    },
    /// Something that nobody can look into.
    Unknown {
        /// What it calls itself.
        what: String,
        /// The paths that it names.
        paths: Vec<Vec<u8>>,
    },
}
