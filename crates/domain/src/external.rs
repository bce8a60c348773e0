//! The words of runs that drive another vendor's agent (40-foreign-agents.md).

use crate::{RunStatus, words};

words! {
    /// Why a run of a foreign agent ended: one named reason each (FA-26).
    EndReason, "reason of an ending" {
        /// The turn ended and its result document is valid.
        EndTurn "end_turn",
        /// The turn ended without a valid result document (FA-05).
        InvalidResult "invalid_result",
        /// The agent's model used up its tokens.
        MaxTokens "max_tokens",
        /// The agent used up its requests of one turn.
        MaxTurnRequests "max_turn_requests",
        /// The agent refused the task.
        Refusal "refusal",
        /// The agent called its turn cancelled, and nobody had asked for that.
        AgentCancelled "agent_cancelled",
        /// The turn ended for a reason that the protocol does not know.
        UnknownStop "unknown_stop_reason",
        /// The agent answered with an error.
        AgentError "agent_error",
        /// The agent wants somebody to sign in.
        SignIn "sign_in",
        /// The agent speaks another version of the protocol.
        ProtocolVersion "protocol_version",
        /// No answer to `initialize` in time.
        InitializeTimeout "initialize_timeout",
        /// No answer to `session/new` in time.
        SessionTimeout "session_timeout",
        /// The whole run took too long.
        Timeout "timeout",
        /// Nothing was heard of the agent for too long.
        Inactivity "inactivity",
        /// The agent did not end its turn within the grace after it was cancelled.
        CancelIgnored "cancel_ignored",
        /// A line of standard output grew past 64 MiB.
        LineLimit "line_limit",
        /// Text and events grew past 16 MiB.
        OutputLimit "output_limit",
        /// More was written to standard error than is read.
        StderrLimit "stderr_limit",
        /// The agent closed its standard output in the middle of the run.
        OutputClosed "output_closed",
        /// The agent exited in the middle of the run.
        Exited "exited",
        /// A signal that we did not send ended the agent.
        Signalled "signalled",
        /// A person ended the run.
        Cancelled "cancelled",
        /// The supervisor was killed.
        SupervisorLost "supervisor_lost",
        /// Taffrail was killed.
        TaffrailKilled "taffrail_killed",
        /// Something could not be put on record.
        NotRecorded "not_recorded",
    }
}

impl EndReason {
    /// The status of a run that ends so (FA-01).
    pub const fn status(self) -> RunStatus {
        match self {
            Self::EndTurn => RunStatus::Completed,
            Self::InitializeTimeout | Self::SessionTimeout | Self::Timeout | Self::Inactivity => {
                RunStatus::Timeout
            }
            Self::LineLimit | Self::OutputLimit | Self::StderrLimit => RunStatus::Budget,
            Self::Cancelled | Self::CancelIgnored => RunStatus::Cancelled,
            Self::OutputClosed
            | Self::Exited
            | Self::Signalled
            | Self::SupervisorLost
            | Self::TaffrailKilled => RunStatus::Died,
            Self::InvalidResult
            | Self::MaxTokens
            | Self::MaxTurnRequests
            | Self::Refusal
            | Self::AgentCancelled
            | Self::UnknownStop
            | Self::AgentError
            | Self::SignIn
            | Self::ProtocolVersion
            | Self::NotRecorded => RunStatus::Error,
        }
    }
}

words! {
    /// What became of an action that an agent wanted.
    Verdict, "verdict" {
        /// It may be done.
        Allowed "allowed",
        /// It may not.
        Refused "refused",
    }
}

words! {
    /// What a verdict rests on (FA-24).
    Ground, "ground of a verdict" {
        /// The policy's own answer.
        Policy "policy",
        /// A person's yes to all edits inside the checkout of the run, or the configuration's.
        Grant "grant",
        /// It is the edit that was allowed just before, byte for byte (FA-21).
        SameEdit "same-edit",
        /// Somebody would have had to be asked, and the run is unattended.
        Unattended "unattended",
        /// Nobody answered in time.
        Timeout "timeout",
        /// A person.
        Human "human",
        /// The agent offered no way to allow it once.
        NoAllowOption "no-allow-option",
        /// The turn was cancelled while it waited.
        Cancelled "cancelled",
        /// It did not fit: too large, of another session, outside of a turn, not advertised.
        Unfit "unfit",
    }
}

words! {
    /// How a question to a person stands (POL-07).
    QuestionState, "state of a question" {
        /// It waits.
        Open "open",
        /// A person answered; the asker has not taken the answer yet.
        Answered "answered",
        /// The asker took the answer: it counts once.
        Used "used",
        /// Nobody answered in time.
        Expired "expired",
        /// The asker does not want to know any more.
        Withdrawn "withdrawn",
    }
}

words! {
    /// What a person answers.
    Reply, "answer of a person" {
        /// This one.
        Yes "yes",
        /// This one and every edit inside of the checkout of this run.
        Edits "edits",
        /// Not this one.
        No "no",
    }
}

words! {
    /// Where a person answered.
    Surface, "surface" {
        /// At the terminal of the run.
        Terminal "terminal",
        /// With `taffrail inbox`.
        Inbox "inbox",
        /// On a page.
        Page "page",
    }
}

words! {
    /// What became of a request that an agent made beside its questions: `fs/*`, `terminal/*`, `elicitation/*`, a tool of
    /// our MCP server, a method that nobody knows.
    Served, "outcome of a request" {
        /// It was done.
        Served "served",
        /// It was answered with an error that names the reason.
        Refused "refused",
        /// It asked for no answer and was ignored.
        Ignored "ignored",
    }
}
