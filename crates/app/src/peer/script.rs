//! The script that a turn plays: a list of steps in YAML, read whole before anything is served.

use std::io::Read as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::PeerFault;

/// Bytes of a script.
const LIMIT: u64 = 1 << 20;

/// What one turn does, step by step. Every turn plays it from its beginning.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The steps.
    pub steps: Vec<Step>,
    /// What a step that was refused, or that failed, does to the rest.
    #[serde(default)]
    pub on_refused: OnRefused,
}

/// What a refusal or a failure does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnRefused {
    /// The next step follows.
    #[default]
    Continue,
    /// The turn ends.
    Stop,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Says this.
    Say(String),
    /// Thinks this aloud.
    Think(String),
    /// Tells a plan, an entry a line.
    Plan(Vec<String>),
    /// Reads a file of the working directory.
    Read(String),
    /// Changes a file of the working directory, after it asked.
    Edit(Edit),
    /// Runs a command line with bash in the working directory, after it asked.
    Run(String),
    /// Calls a tool of the session's first MCP server.
    Mcp(McpCall),
    /// Says this result document, fenced.
    Result(Map<String, Value>),
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// Which file, relative to the working directory.
    pub path: String,
    /// What is replaced, once; without it `new` is the whole text.
    #[serde(default)]
    pub old: Option<String>,
    /// By what.
    pub new: String,
}

/// A call of an MCP tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// [`PeerFault::Unread`], [`PeerFault::Script`] with line and column; more than 1 MiB.
    pub fn read(path: &Path) -> Result<Self, PeerFault> {
        let unread = |source| PeerFault::Unread {
            path: path.to_owned(),
            source,
        };
        let wrong = |why: String| PeerFault::Script {
            path: path.to_owned(),
            why,
        };
        #[allow(clippy::disallowed_methods)] // the person names the file, and it is read once
        let file = std::fs::File::open(path).map_err(unread)?;
        // What has no length of its own, such as a pipe, is read no further either.
        let mut text = String::new();
        let read = file.take(LIMIT + 1).read_to_string(&mut text);
        if read.map_err(unread)? as u64 > LIMIT {
            return Err(wrong(format!("it has more than {LIMIT} bytes")));
        }
        serde_saphyr::from_str(&text).map_err(|error| {
            let why = error.to_string();
            wrong(why.strip_prefix("error: ").unwrap_or(&why).to_owned())
        })
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // a test writes what it reads
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.yaml");
        std::fs::write(&path, text).unwrap();
        let error = Script::read(&path).unwrap_err().to_string();
        assert!(error.contains("s.yaml"), "{error}");
        error
    }

    #[test]
    fn fa_45_a_script_that_is_not_understood_says_where() {
        let table = [
            ("steps:\n  - sya: x\n", "line 2 column 5"),
            ("steps:\n  - edit: {path: x, nwe: y}\n", "line 2 column 21"),
            ("steps: [\n  - ", "line 2 column 3"),
            ("on_refused: maybe\nsteps: []\n", "line 1 column 13"),
            ("stpes: []\n", "line 1 column 1"),
            ("- say: x\n", "line 1 column 1"),
            ("steps:\n  - run: [x]\n", "line 2 column 10"),
        ];
        for (text, place) in table {
            let error = refused(text);
            assert!(error.contains(place), "{text}: {error}");
            assert!(
                !error.contains("error: "),
                "said once, by the command: {error}"
            );
        }
    }

    #[test]
    fn fa_45_a_script_of_more_than_a_mebibyte_is_refused() {
        let long = format!("steps: [say: {}]\n", "x".repeat(1 << 20));
        assert!(refused(&long).contains("more than 1048576 bytes"));
    }

    #[test]
    fn fa_45_a_script_of_references_to_references_is_refused() {
        let mut text = "steps:\n- result:\n    a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for at in 1..10 {
            let before = format!("*a{}, ", at - 1).repeat(10);
            text.push_str(&format!("    a{at}: &a{at} [{before}]\n"));
        }
        refused(&text);
    }
}
