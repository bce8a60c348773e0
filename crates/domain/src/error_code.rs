//! The closed list of stable error codes and the one table that says what each means to a surface (ERR-01).
//!
//! `docs/errors.md` is generated from [`ErrorCode::ALL`] and checked.

/// Exit codes of the command line (CLI-02).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Done.
    Done = 0,
    /// Failure.
    Failure = 1,
    /// Usage.
    Usage = 2,
    /// Refused by policy.
    Refused = 3,
    /// Provider or sign-in.
    Provider = 4,
    /// Budget or limit.
    Limit = 5,
    /// Invalid result document.
    InvalidResult = 6,
    /// Not found.
    NotFound = 7,
    /// Interrupted.
    Interrupted = 130,
}

/// What a surface does with a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorRow {
    /// The stable name.
    pub name: &'static str,
    /// What it means, one line, without a full stop.
    pub meaning: &'static str,
    /// The command or step that helps; empty where the message says all.
    pub hint: &'static str,
    /// The command line's exit code.
    pub exit: ExitCode,
    /// The status of an HTTP answer.
    pub http: u16,
    /// The code of a JSON-RPC error.
    pub json_rpc: i32,
}

macro_rules! codes {
    ($($variant:ident $name:literal $meaning:literal, $hint:literal, $exit:ident, $http:literal, $rpc:literal;)+) => {
        /// A stable error code. Scripts match on [`ErrorRow::name`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $(#[doc = $meaning] $variant,)+
        }

        impl ErrorCode {
            /// Every code, in the order of `docs/errors.md`.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// What a surface does with this code.
            pub const fn row(self) -> ErrorRow {
                match self {
                    $(Self::$variant => ErrorRow {
                        name: $name, meaning: $meaning, hint: $hint,
                        exit: ExitCode::$exit, http: $http, json_rpc: $rpc,
                    },)+
                }
            }
        }
    };
}

codes! {
    Usage "usage" "the command line is not understood", "taffrail --help", Usage, 400, -32602;
    Internal "internal" "something that should not happen happened", "taffrail doctor", Failure, 500, -32603;
    Io "io" "a file could not be read or written", "", Failure, 500, -32603;
    Interrupted "interrupted" "a person ended it", "", Interrupted, 499, -32603;
    ConfigInvalid "config_invalid" "a configuration file holds something that is not understood", "taffrail config path", Usage, 400, -32602;
    HomeUnsafe "home_unsafe" "the home is not a directory of this user with mode 0700", "taffrail doctor", Failure, 500, -32603;
    StoreNewer "store_newer" "the database was written by a newer taffrail", "install that version, or point TAFFRAIL_HOME at another home", Failure, 500, -32603;
    StoreBusy "store_busy" "the database stayed locked by another process", "taffrail doctor", Failure, 503, -32603;
    StoreDamaged "store_damaged" "the database does not hold together", "taffrail doctor", Failure, 500, -32603;
    DiskFull "disk_full" "a file system is full", "free space there, then run the command again", Failure, 507, -32603;
    ProjectNotGit "project_not_git" "the folder is not in a git work tree", "git init && git commit --allow-empty -m start", Failure, 400, -32602;
    ProjectNoCommit "project_no_commit" "the repository has no commit yet", "git commit --allow-empty -m start", Failure, 400, -32602;
    ProjectUnsupported "project_unsupported" "the repository is of a kind that is not supported yet", "", Failure, 400, -32602;
    ProjectUnsafe "project_unsafe" "the repository belongs to another user", "", Refused, 403, -32602;
    GitMissing "git_missing" "git is not installed or too old", "install git 2.32 or newer", Failure, 500, -32603;
    GitFailed "git_failed" "git gave an error", "", Failure, 500, -32603;
    CheckoutFailed "checkout_failed" "the disposable checkout could not be made", "", Failure, 500, -32603;
    CaptureFailed "capture_failed" "what changed could not be captured; the checkout is kept", "taffrail box list", Failure, 500, -32603;
    CarryRefused "carry_refused" "a path to carry is missing, leaves the project or holds credentials", "", Refused, 400, -32602;
    SetupFailed "setup_failed" "the setup command of the checkout failed", "", Failure, 500, -32603;
    Untrusted "untrusted" "the project wants to run something that no person has agreed to", "taffrail trust show", Refused, 403, -32602;
    SandboxUnavailable "sandbox_unavailable" "this machine cannot enforce the sandbox", "taffrail doctor", Refused, 500, -32603;
    SandboxBroken "sandbox_broken" "the probe inside the sandbox did something that must fail", "taffrail doctor", Refused, 500, -32603;
    CommandNotFound "command_not_found" "the command is not on the PATH", "", NotFound, 404, -32602;
    SpawnFailed "spawn_failed" "the command could not be started", "", Failure, 500, -32603;
    AgentDied "agent_died" "the command ended with an error or by a signal", "", Failure, 500, -32603;
    Timeout "timeout" "a limit on time ended it", "", Limit, 504, -32603;
    NotFound "not-found" "there is no such run", "taffrail box list --all", NotFound, 404, -32602;
    Ambiguous "ambiguous" "the name, or the beginning of an id, fits more than one", "type more of it, or one of the ids", Usage, 409, -32602;
    NameTaken "name_taken" "another run has this name", "taffrail box list --all", Usage, 409, -32602;
    RunLive "run_live" "the run is still going on", "taffrail box list", Failure, 409, -32602;
    CheckoutGone "checkout_gone" "the checkout of the run is no longer there", "", NotFound, 404, -32602;
    NotPending "not-pending" "the change is not waiting for a decision", "taffrail box list --all", Failure, 409, -32602;
    PatchMissing "patch-missing" "the stored diff is not there", "taffrail doctor", Failure, 500, -32603;
    HashMismatch "hash-mismatch" "the stored diff, or what was typed, does not fit the hash on record", "taffrail box review", Refused, 409, -32602;
    Binary "binary" "the change holds binary files that were not confirmed", "taffrail box land --confirm binary", Refused, 409, -32602;
    Flagged "flagged" "the change holds flagged files that were not confirmed by name", "taffrail box review", Refused, 409, -32602;
    ChangeRefused "change_refused" "the change holds something that never lands", "taffrail box review", Refused, 409, -32602;
    BranchExists "branch-exists" "the branch is already there", "taffrail box land NAME --branch OTHER", Failure, 409, -32602;
    ApplyFailed "apply-failed" "the stored diff does not apply to its base", "", Failure, 500, -32603;
    ProjectUnknown "project_unknown" "there is no such project", "taffrail project list", NotFound, 404, -32602;
    ProjectTaken "project_taken" "a project has this name or this root already", "taffrail project list", Usage, 409, -32602;
    ProjectNone "project_none" "the folder belongs to no project", "taffrail project add", Usage, 409, -32602;
    MemoryBlocked "memory_blocked" "the text was refused by the guardrails", "", Refused, 422, -32602;
    MemoryNotFound "memory_not_found" "there is no such memory", "taffrail memory list", NotFound, 404, -32602;
    TransitionRefused "transition_refused" "a memory of this status does not take this action", "taffrail memory show", Failure, 409, -32602;
    Conflict "conflict" "it was changed by somebody else meanwhile", "look again, then decide", Failure, 409, -32602;
    CodeWrong "code_wrong" "the typed code does not fit what was shown", "", Refused, 403, -32602;
    AgentPresent "agent_present" "an agent started this, and only a person reviews", "run it in a terminal of your own", Refused, 403, -32602;
    NotebookFull "notebook_full" "the notebook has no room for it", "taffrail notebook tidy", Failure, 413, -32602;
    NotebookWithheld "notebook_withheld" "the notebook in the database is not the one that a person saved", "taffrail notebook edit", Refused, 409, -32602;
    SuggestionNotFound "suggestion_not_found" "there is no such suggestion", "taffrail notebook suggestions", NotFound, 404, -32602;
    TraceNotFound "trace_not_found" "there is no such trace", "taffrail memory why", NotFound, 404, -32602;
    KeychainUnavailable "keychain_unavailable" "no keychain answers, and no other place was chosen", "taffrail secret backend file", Failure, 503, -32603;
    SecretNotFound "secret_not_found" "there is no secret of this name", "taffrail secret list", NotFound, 404, -32602;
    SecretStoreDamaged "secret_store_damaged" "the place of the secrets cannot be read", "taffrail doctor", Failure, 500, -32603;
    PassphraseWrong "passphrase_wrong" "the passphrase does not fit", "", Refused, 403, -32602;
    JournalBroken "journal_broken" "the journal does not hold together", "taffrail audit verify", Failure, 500, -32603;
    BackupInvalid "backup_invalid" "the archive is not a whole backup", "taffrail backup", Failure, 400, -32602;
    QuotaFull "quota_full" "a quota on stored files is used up", "taffrail purge", Limit, 507, -32603;
    SlateTransportDenied "slate_transport_denied" "slates are not offered over HTTP", "start the server without --http", Refused, 403, -32602;
    SlateArgument "slate_argument" "what a slate was given does not fit its limits", "", Usage, 400, -32602;
    SlateNotOpen "slate_not_open" "no slate is open under this id", "slate.open first", NotFound, 404, -32602;
    SlateClosed "slate_closed" "the slate of this id was closed", "slate.open starts its next generation", Failure, 409, -32602;
    SlateFull "slate_full" "the slate holds as many seeds as it may", "slate.close, then slate.open for its next generation", Limit, 413, -32602;
    SlatesFull "slates_full" "the project has as many open slates as it may", "slate.close those that are done", Limit, 413, -32602;
    SlateBusy "slate_busy" "another process held the slate for too long", "try again", Failure, 503, -32603;
    WorkspaceNotFound "workspace_not_found" "there is no such workspace in the project", "taffrail workspace list", NotFound, 404, -32602;
    WorkspaceArchived "workspace_archived" "the workspace is archived and takes no proposals", "taffrail workspace list", Failure, 409, -32602;
    ProposalNotFound "proposal_not_found" "there is no such proposal", "taffrail workspace catch-up", NotFound, 404, -32602;
    UnboundNotFound "unbound_not_found" "there is no such unbound candidate", "taffrail workspace catch-up", NotFound, 404, -32602;
    UnboundDecided "unbound_decided" "the unbound candidate was decided already", "taffrail workspace catch-up", Failure, 409, -32602;
    ToolArgument "tool_argument" "a tool was given what its schema does not take", "", Usage, 400, -32602;
    PathRefused "path_refused" "the path is outside of the project, or holds credentials or managed state", "", Refused, 403, -32602;
    PathUnfit "path_unfit" "the file is missing, is no text or is too large", "", NotFound, 404, -32602;
    ConnectUnfit "connect_unfit" "the other program's configuration cannot be read or changed safely", "", Failure, 409, -32602;
    NotConnected "not_connected" "taffrail has no entry of its own in that program's configuration", "taffrail connect", NotFound, 404, -32602;
    AddressTaken "address_taken" "another program listens on the port", "taffrail serve-mcp --http --port 0", Failure, 409, -32603;
    AgentUnknown "agent_unknown" "there is no such agent in the registry", "taffrail agents external list", NotFound, 404, -32602;
    ExternalRemote "external_remote" "foreign agents are not driven from a remote transport", "run it on the machine itself", Refused, 403, -32602;
    ExternalCi "external_ci" "foreign agents are not driven where CI is set", "mark an agent of your own `test = true`", Refused, 403, -32602;
    ExternalOff "external_off" "foreign agents are switched off in the user's configuration", "`enabled = true` below `[external_agents]`: taffrail config edit", Refused, 403, -32602;
    AgentOff "agent_off" "this agent is switched off in the user's configuration", "taffrail config show", Refused, 403, -32602;
    AgentDepth "agent_depth" "an agent that taffrail drives wants to drive another", "", Refused, 403, -32602;
    AgentMissing "agent_missing" "the agent is not installed", "taffrail agents external list", Refused, 404, -32602;
    AgentUnfit "agent_unfit" "the agent's entry does not say how it is driven", "taffrail agents external list", Refused, 409, -32602;
    GrantNeeded "grant_needed" "an unattended run that writes needs the grant for edits inside its checkout", "`write_in_checkout = \"allow\"` below `[external_agents]`: taffrail config edit", Refused, 403, -32602;
    SignInNeeded "sign_in_needed" "the agent wants somebody to sign in", "taffrail agents external list", Provider, 401, -32000;
    AgentProtocol "agent_protocol" "the agent broke the protocol, or speaks another version of it", "taffrail agents external show", Failure, 502, -32603;
    InvalidResult "invalid_result" "the agent ended without a valid result document", "taffrail agents external show", InvalidResult, 422, -32603;
    BudgetUsed "budget_used" "a limit on bytes ended it", "taffrail agents external show", Limit, 507, -32603;
    PromptTooLarge "prompt_too_large" "the task is longer than a prompt may be", "", Limit, 413, -32602;
    QuestionNotFound "question_not_found" "there is no such question", "taffrail inbox", NotFound, 404, -32602;
    QuestionClosed "question_closed" "the question does not wait any more", "taffrail inbox", Failure, 409, -32602;
    RegistryUnfit "registry_unfit" "the registry file is not understood", "", Usage, 400, -32602;
    BrokerUnfit "broker_unfit" "the broker found no run to speak with", "", Failure, 503, -32603;
    NeedsTerminal "needs_terminal" "a person at a terminal must confirm this", "run it in a terminal", Refused, 403, -32602;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn err_01_names_are_unique_and_stable_in_form() {
        let mut names: Vec<_> = ErrorCode::ALL.iter().map(|code| code.row().name).collect();
        assert!(names.iter().all(|name| {
            name.bytes()
                .all(|at| matches!(at, b'a'..=b'z' | b'_' | b'-'))
        }));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ErrorCode::ALL.len());
    }
}
