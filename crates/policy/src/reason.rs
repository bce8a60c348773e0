//! Why an answer is what it is: one word each, with what it is about.

use std::fmt;

use taffrail_domain::words;

words! {
    /// The words of reasons. The first part says what kept a command line from being read, the second what a command
    /// is, the third what decided.
    Why, "reason" {
        /// Longer than the limit, or with more commands than it.
        TooLong "too-long",
        /// Nested deeper than the limit, or more work for the grammar than it may take.
        TooDeep "too-deep",
        /// Bytes that are no text: NUL, control characters, invalid UTF-8.
        Bytes "bytes",
        /// Letters that another locale would read otherwise.
        Encoding "encoding",
        /// The grammar does not take it.
        ParseError "parse-error",
        /// The two readers did not read the same.
        Disagreement "disagreement",
        /// A construct that is not looked into.
        Unknown "unknown",
        /// A quote without its end, or a backslash before nothing.
        Unfinished "unfinished",
        /// A variable.
        Expansion "expansion",
        /// The output of a command in place of text.
        Substitution "substitution",
        /// A pattern for file names.
        Glob "glob",
        /// `{a,b}`.
        Braces "braces",
        /// `~`.
        Tilde "tilde",
        /// A comment.
        Comment "comment",
        /// A line that goes on in the next one.
        Continuation "continuation",
        /// A variable set for a command or for what follows.
        Assignment "assignment",
        /// It runs in the background.
        Background "background",
        /// A block, loop, condition, function or subshell.
        Compound "compound",
        /// A file is read or written by redirection.
        Redirection "redirection",
        /// A here-document or here-string.
        HereDocument "here-document",

        /// It is on the list of what only reads.
        Reads "reads",
        /// The program is not on the list.
        NotListed "not-listed",
        /// A flag of a listed program that is not known to be safe.
        Flag "flag",
        /// An argument of a listed program that is not known to be safe.
        Argument "argument",
        /// A path that leaves the working tree.
        Outside "outside",
        /// A folder that is read whole, with credentials in it or a link that leads out.
        HoldsCredentials "holds-credentials",
        /// It changes how the rest of the line is run.
        Environment "environment",
        /// It runs what nobody can read beforehand.
        Interpreter "interpreter",
        /// git, outside of our sandbox or beyond reading.
        Git "git",
        /// It writes a file.
        Writes "writes",
        /// It reaches another machine.
        Network "network",
        /// It calls a tool that Taffrail itself offers and answers.
        OwnTool "own-tool",
        /// It starts another agent.
        Agent "agent",
        /// It removes or overwrites what cannot easily be brought back.
        Destroys "destroys",
        /// It cannot be ruled out that it destroys something.
        MayDestroy "may-destroy",
        /// What a downloader brings is run.
        Downloaded "downloaded",

        /// Floor: a key, a token, or where they are kept.
        Credential "credential",
        /// Floor: Taffrail's own state, or a command that a person alone gives.
        ManagedState "managed-state",
        /// Floor: a file that a tool executes or obeys.
        Obeyed "obeyed-file",
        /// Floor: it cannot be read, so that no other floor can be ruled out.
        Unreadable "unreadable",
        /// Floor: more rights than the person's own.
        Privilege "privilege",
        /// A rule of the user.
        Rule "rule",
        /// The table of the mode.
        Mode "mode",
        /// A command that a foreign agent runs in a shell of its own: what it is can only be believed.
        Foreign "foreign-command",
        /// A foreign agent asks in every mode.
        Clamped "clamped",
        /// `auto` without a sandbox and without a waiver.
        NoSandbox "no-sandbox",
        /// The person said yes to all edits of this run.
        Grant "grant",
        /// Nothing that the policy knows.
        Unclear "unclear",
    }
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reason {
    /// The word.
    pub why: Why,
    /// What it is about; untrusted text, not escaped. May be empty.
    pub about: String,
}

impl Reason {
    /// A reason about this.
    pub fn new(why: Why, about: impl Into<String>) -> Self {
        Self {
            why,
            about: about.into(),
        }
    }

    /// A reason about these bytes, cut to what fits a line.
    pub fn of(why: Why, about: &[u8]) -> Self {
        let text = String::from_utf8_lossy(about);
        let short: String = text.chars().take(LONGEST_ABOUT).collect();
        Self::new(why, short)
    }
}

/// Characters of what a reason is about.
const LONGEST_ABOUT: usize = 120;

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.about.is_empty() {
            out.write_str(self.why.name())
        } else {
            write!(out, "{}: {}", self.why, self.about)
        }
    }
}
