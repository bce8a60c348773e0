//! What the scripted model does: scripts of steps, steps of acts.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// One thing that the model says or does in a step.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Says something.
    Text(String),
    /// Asks for a file to be written.
    Write {
        /// Relative to the agent's working directory, or absolute.
        path: String,
        /// The whole content.
        content: String,
    },
    /// Asks for a text in a file to be replaced.
    Edit {
        /// Relative to the agent's working directory, or absolute.
        path: String,
        /// The text to replace.
        old: String,
        /// The text to put there.
        new: String,
    },
    /// Asks for a shell command.
    Shell(String),
    /// Asks for a file.
    Read(String),
    /// Asks for a tool by its own name and arguments.
    Call {
        /// The tool's name as declared.
        tool: String,
        /// Its arguments, as they are.
        arguments: Map<String, Value>,
    },
    /// Answers with an HTTP error of this status instead.
    HttpError(u16),
    /// Never answers, until the client goes away or the server ends.
    Hang,
    /// Breaks the connection after what was said so far.
    Drop,
}

impl Act {
    /// Says `text`.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Asks for `path` to be written.
    pub fn write(path: impl Into<String>, content: impl Into<String>) -> Self {
        Self::Write {
            path: path.into(),
            content: content.into(),
        }
    }

    /// Asks for `old` to be replaced by `new` in `path`.
    pub fn edit(path: impl Into<String>, old: impl Into<String>, new: impl Into<String>) -> Self {
        Self::Edit {
            path: path.into(),
            old: old.into(),
            new: new.into(),
        }
    }

    /// Asks for a shell command.
    pub fn shell(command: impl Into<String>) -> Self {
        Self::Shell(command.into())
    }

    /// Asks for `path` to be read.
    pub fn read(path: impl Into<String>) -> Self {
        Self::Read(path.into())
    }

    /// Whether an agent answers it with a tool's result.
    pub fn is_call(&self) -> bool {
        match self {
            Self::Write { .. }
            | Self::Edit { .. }
            | Self::Shell(_)
            | Self::Read(_)
            | Self::Call { .. } => true,
            Self::Text(_) | Self::HttpError(_) | Self::Hang | Self::Drop => false,
        }
    }
}

/// The steps of one script; a step past the last repeats the last.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Script {
    steps: Vec<Vec<Act>>,
}

impl Script {
    /// A script without steps: it says `done` for ever.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more step.
    #[must_use]
    pub fn step(mut self, acts: impl IntoIterator<Item = Act>) -> Self {
        self.steps.push(acts.into_iter().collect());
        self
    }

    /// The acts after `results` answers of tools. Calls in parallel each give one, so a step is left when all of its
    /// calls are answered.
    pub fn acts_after(&self, results: usize) -> Vec<Act> {
        let mut left = results;
        for step in &self.steps {
            let calls = step.iter().filter(|act| act.is_call()).count();
            if left < calls || calls == 0 {
                return step.clone();
            }
            left -= calls;
        }
        self.steps
            .last()
            .filter(|step| !step.iter().any(Act::is_call))
            .cloned()
            .unwrap_or_else(|| vec![Act::text("done")])
    }
}

/// Scripts by name. The built-in ones are `text`, `edit`, `write`, `shell`, `modify`, `error`, `hang` and `drop`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Scripts {
    by_name: BTreeMap<String, Script>,
}

impl Scripts {
    /// The built-in scripts.
    pub fn built_in() -> Self {
        let done = || [Act::text("Done.")];
        let hello = || Act::write("hello.txt", "hello\nworld\n");
        let shell = || Act::shell("echo from-shell > shell.txt && ls");
        let named = [
            (
                "text",
                Script::new().step([Act::text("Nothing to do here.")]),
            ),
            ("write", Script::new().step([hello()]).step(done())),
            ("shell", Script::new().step([shell()]).step(done())),
            (
                "edit",
                Script::new()
                    .step([Act::text("First a file."), hello()])
                    .step([Act::text("Now a command."), shell()])
                    .step([Act::read("hello.txt")])
                    .step([Act::edit("hello.txt", "world", "there")])
                    .step(done()),
            ),
            (
                "modify",
                Script::new()
                    .step([Act::read("README.md")])
                    .step([Act::edit("README.md", "line two", "LINE TWO")])
                    .step(done()),
            ),
            ("error", Script::new().step([Act::HttpError(500)])),
            ("hang", Script::new().step([Act::Hang])),
            (
                "drop",
                Script::new().step([Act::text("Half an ans"), Act::Drop]),
            ),
        ];
        Self {
            by_name: named
                .into_iter()
                .map(|(name, script)| (name.to_owned(), script))
                .collect(),
        }
    }

    /// With one more script, or another one of that name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, script: Script) -> Self {
        self.by_name.insert(name.into(), script);
        self
    }

    /// With all scripts of a JSON object: name to list of steps, a step a list of acts, an act as
    /// `{"text": "…"}`, `{"write": {"path": "…", "content": "…"}}`, `{"shell": "…"}`, `{"http_error": 500}`, `"hang"`.
    ///
    /// # Errors
    /// The reader's error when the text is not that.
    pub fn with_json(mut self, json: &str) -> Result<Self, serde_json::Error> {
        let more: Self = serde_json::from_str(json)?;
        self.by_name.extend(more.by_name);
        Ok(self)
    }

    /// The script of that name.
    pub fn get(&self, name: &str) -> Option<&Script> {
        self.by_name.get(name)
    }
}
