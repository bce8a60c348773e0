//! The words of governed memory: types, provenance, statuses, policy bits, channels (30-memory.md).

use crate::words;

words! {
    /// What kind of knowledge a memory is (MEM-01).
    MemoryType, "memory type" {
        /// Something was decided.
        Decision "decision",
        /// A result that exists elsewhere.
        Output "output",
        /// Something learnt.
        Lesson "lesson",
        /// Something that must hold.
        Constraint "constraint",
        /// Something nobody knows yet.
        OpenQuestion "open_question",
        /// Something that went wrong.
        Failure "failure",
        /// Where a thing lies.
        ArtifactReference "artifact_reference",
        /// What was done.
        WorkLog "work_log",
    }
}

words! {
    /// How a memory came to be said. Confirming adds `user_confirmed` beside the first one, which is kept.
    Provenance, "provenance" {
        /// A person typed it, or a message was remembered.
        Observed "observed",
        /// Concluded from something else.
        Inferred "inferred",
        /// A person confirmed it.
        UserConfirmed "user_confirmed",
        /// Brought in from elsewhere.
        Imported "imported",
        /// An agent or workflow wrote it.
        Generated "generated",
        /// Another memory took its place.
        Superseded "superseded",
        /// Somebody says otherwise.
        Disputed "disputed",
    }
}

words! {
    /// What a person decided about a memory (REV-01).
    MemoryStatus, "status" {
        /// Nobody has decided.
        Pending "pending",
        /// A person confirmed it: it may instruct.
        Confirmed "confirmed",
        /// It may be cited, never instruct.
        EvidenceOnly "evidence_only",
        /// Kept, and never offered by itself.
        Restricted "restricted",
        /// Refused.
        Rejected "rejected",
        /// Was right once.
        Stale "stale",
        /// Another memory holds what it said.
        Merged "merged",
    }
}

words! {
    /// Whether a memory is in force.
    Lifecycle, "lifecycle" {
        /// In force.
        Active "active",
        /// Out of date.
        Stale "stale",
        /// Another took its place.
        Superseded "superseded",
        /// Somebody says otherwise.
        Disputed "disputed",
        /// Refused.
        Rejected "rejected",
    }
}

words! {
    /// By which door a memory came in. Fixed at insert, never raised; from the most to the least trusted (MEM-06).
    Channel, "channel" {
        /// A person typed it.
        Operator "operator",
        /// The built-in agent's model wrote it.
        Model "model",
        /// A foreign agent or program wrote it.
        External "external",
        /// A file of somebody's brought it.
        Import "import",
        /// The output of a tool said it.
        Tool "tool",
        /// A page of the web said it.
        Web "web",
    }
}

impl Channel {
    /// The less trusted of the two: what is derived from several takes the lowest of them.
    #[must_use]
    pub fn lowest(self, other: Self) -> Self {
        self.max(other)
    }
}

words! {
    /// Where in the queue a candidate stands (MEM-06).
    Shelf, "shelf" {
        /// Among the others.
        Queue "queue",
        /// Apart: it came from a tool or the web, or reads as orders to an agent.
        Quarantine "quarantine",
    }
}

words! {
    /// What a person does with a memory (REV-02).
    ReviewAction, "review action" {
        /// It may instruct.
        Confirm "confirm",
        /// It may be cited.
        Evidence "evidence",
        /// It is kept and not offered.
        Restrict "restrict",
        /// It is refused.
        Reject "reject",
        /// It was right once.
        Stale "stale",
        /// Another memory holds what it says.
        Merge "merge",
        /// It takes the place of another memory.
        Replace "replace",
        /// Its text is changed.
        Edit "edit",
        /// The last decision is taken back.
        Undo "undo",
    }
}

words! {
    /// What a recall may offer besides approved memories (REC-01).
    Grade, "grade" {
        /// Confirmed and sealed: may instruct.
        Approved "approved",
        /// May be cited.
        Evidence "evidence",
        /// Nobody has decided.
        Pending "pending",
    }
}

/// What a memory may be used for, set whole by every review (REV-01).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PolicyBits {
    /// May enter a prompt as an instruction.
    pub can_use_as_instruction: bool,
    /// May be cited as evidence.
    pub can_use_as_evidence: bool,
    /// Waits for a person before any use.
    pub requires_user_confirmation: bool,
    /// Never offered by itself.
    pub do_not_inject_automatically: bool,
}

impl PolicyBits {
    /// What every row begins with.
    pub const AT_INSERT: Self = Self {
        can_use_as_instruction: false,
        can_use_as_evidence: true,
        requires_user_confirmation: false,
        do_not_inject_automatically: false,
    };

    /// One byte, for hashing: instruction 1, evidence 2, confirmation 4, injection 8.
    pub const fn byte(self) -> u8 {
        self.can_use_as_instruction as u8
            | (self.can_use_as_evidence as u8) << 1
            | (self.requires_user_confirmation as u8) << 2
            | (self.do_not_inject_automatically as u8) << 3
    }
}

/// A thing outside that a memory points at.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRef {
    /// What kind of thing: `file`, `url`, `commit`, `message` …
    pub kind: String,
    /// Where it is.
    pub uri: String,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// When it said so, as written there.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        rename = "sourceTimestamp"
    )]
    pub timestamp: Option<String>,
}

/// A thing that a memory is about.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// What kind of thing.
    pub kind: String,
    /// Where it is.
    pub uri: String,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Who wrote a memory (`source` in 00-product.md; `origin` on the MCP wire). Empty where it does not apply.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Source {
    /// What ran: `cli`, `box`, `workflow`, `chat`, `mcp`, `import`.
    pub runtime: String,
    /// The task inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The session or run, as it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The step of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// The model that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The program that asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// SHA-256 over a memory's salt and everything of it that a turn may be given, in one canonical form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 32]);

impl std::fmt::Display for ContentHash {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl std::fmt::Debug for ContentHash {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "ContentHash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mem_06_the_lowest_of_two_channels_is_the_less_trusted() {
        assert_eq!(Channel::Operator.lowest(Channel::Web), Channel::Web);
        assert_eq!(Channel::Tool.lowest(Channel::Model), Channel::Tool);
        for channel in Channel::ALL {
            assert_eq!(channel.lowest(*channel), *channel);
        }
    }

    #[test]
    fn words_read_back() {
        for word in MemoryType::ALL {
            assert_eq!(word.name().parse::<MemoryType>().as_ref(), Ok(word));
        }
        let error = "idea".parse::<MemoryType>().unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`idea` is not a memory type: decision, output")
        );
    }
}
