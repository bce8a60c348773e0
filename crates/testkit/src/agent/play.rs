//! Plays a script: each command in its turn, names filled in at the moment when it is played.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::mcp::Peer;
use super::parse::{Command, mentions};
use super::port::Port;
use super::scope::{Scope, shown};
use super::{Stop, deeds, flood, process};

/// What the agent answers by itself where the script does not wait for it.
const COURTESIES: &[&str] = &[
    "authenticate",
    "session/set_mode",
    "session/set_config_option",
    "session/close",
];

/// An agent in the middle of its script.
pub(super) struct Player {
    pub(super) port: Port,
    pub(super) scope: Scope,
    /// The id of the newest request of each method.
    pub(super) requests: BTreeMap<String, Value>,
    /// Requests of the agent that were not awaited yet: id, and the options of a question.
    pub(super) asked: BTreeMap<String, (Value, Value)>,
    pub(super) next_id: Option<Value>,
    pub(super) counter: i64,
    /// The request whose answer `on` looks at.
    pub(super) last: String,
    /// An `on` of the newest answer was taken.
    pub(super) taken: bool,
    pub(super) mcp: Option<Peer>,
    /// The whole script, to go on with in a new process.
    pub(super) script: String,
}

impl Player {
    pub(super) fn new(port: Port, scope: Scope, script: String) -> Self {
        Self {
            port,
            scope,
            requests: BTreeMap::new(),
            asked: BTreeMap::new(),
            next_id: None,
            counter: 0,
            last: String::new(),
            taken: false,
            mcp: None,
            script,
        }
    }

    /// Plays `commands` from the one at `first` on, then waits for the end of input.
    ///
    /// # Errors
    /// How it ended, when it ended earlier.
    pub(super) fn play_from(&mut self, commands: &[Command], first: usize) -> Result<(), Stop> {
        for method in COURTESIES {
            if !mentions(commands, "expect", method) {
                self.port.auto(method, json!({}));
            }
        }
        for (at, command) in commands.iter().enumerate().skip(first) {
            self.scope.set("at", at.into());
            self.play(command)?;
        }
        self.port.wait(|_| false).map(|_| ())
    }

    pub(super) fn play_all(&mut self, commands: &[Command]) -> Result<(), Stop> {
        commands.iter().try_for_each(|command| self.play(command))
    }

    fn play(&mut self, command: &Command) -> Result<(), Stop> {
        self.one(command).map_err(|stop| match stop {
            Stop::Wrong(why) if !why.starts_with("line ") => {
                Stop::Wrong(format!("line {}: {}: {why}", command.line, command.verb))
            }
            other => other,
        })
    }

    fn one(&mut self, command: &Command) -> Result<(), Stop> {
        match command.verb.as_str() {
            "set" => self.set(command),
            "must" => self.must(command),
            "repeat" => self.repeat(command),
            "on" | "otherwise" => self.branch(command),
            "raw" => self.port.raw(&self.scope.bytes(word(command, 0)?)?),
            "raw-file" => self.raw_file(command),
            "stderr" => self.port.stderr(&self.scope.bytes(word(command, 0)?)?),
            "flood" => flood::flood(self, &self.text(command, 0)?, &self.text(command, 1)?),
            "split" | "crlf" | "no-final-newline" | "ignore-eof" => self.adjust(command),
            "do" => deeds::deed(self, command),
            "mcp" => self.mcp(command),
            "sleep" => self.port.sleep(time(&self.text(command, 0)?)?),
            "hang" => self.port.wait(|_| false).map(|_| ()),
            "exit" => Err(Stop::Exit(number(&self.text(command, 0)?)?)),
            "close" => process::close(self, &self.text(command, 0)?),
            "ignore-term" => process::ignore_term(),
            "daemonise" => process::daemonise(self),
            "kill-self" => process::kill_self(number(&self.text(command, 0)?)?),
            _ => self.talk(command),
        }
    }

    /// The word at `at` as text.
    pub(super) fn text(&self, command: &Command, at: usize) -> Result<String, Stop> {
        Ok(self.scope.text(word(command, at)?)?)
    }

    /// The word at `at` as a value.
    pub(super) fn value(&self, command: &Command, at: usize) -> Result<Value, Stop> {
        Ok(self.scope.value(word(command, at)?)?)
    }

    fn set(&mut self, command: &Command) -> Result<(), Stop> {
        let (name, value) = (self.text(command, 0)?, self.value(command, 1)?);
        self.scope.set(&name, value);
        Ok(())
    }

    fn must(&mut self, command: &Command) -> Result<(), Stop> {
        let (is, wanted) = (self.value(command, 0)?, self.value(command, 1)?);
        if is == wanted {
            return Ok(());
        }
        let (is, wanted) = (shown(&is), shown(&wanted));
        Err(Stop::Must(format!(
            "line {}: is {is}, must be {wanted}",
            command.line
        )))
    }

    fn repeat(&mut self, command: &Command) -> Result<(), Stop> {
        let times: u64 = number(&self.text(command, 0)?)?;
        for n in 0..times {
            self.scope.set("n", n.into());
            self.play_all(&command.body)?;
        }
        Ok(())
    }

    /// `on OUTCOME [NAME] { … }`: played when that is what came of the newest request, or of the one called NAME.
    fn branch(&mut self, command: &Command) -> Result<(), Stop> {
        let fits = if command.verb == "otherwise" {
            !self.taken
        } else {
            let name = match command.words.get(1) {
                Some(word) => self.scope.text(word)?,
                None => self.last.clone(),
            };
            let outcome = self.scope.get(&format!("{name}.outcome"))?;
            outcome == Value::String(self.text(command, 0)?)
        };
        if fits {
            self.play_all(&command.body)?;
            self.taken = true;
        }
        Ok(())
    }

    fn raw_file(&mut self, command: &Command) -> Result<(), Stop> {
        let path = deeds::resolved(self, &self.text(command, 0)?);
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        self.port.raw(&bytes)
    }

    fn adjust(&mut self, command: &Command) -> Result<(), Stop> {
        match command.verb.as_str() {
            "split" => {
                let size: usize = number(&self.text(command, 0)?)?;
                self.port.split = (size > 0).then_some(size);
            }
            "crlf" => self.port.crlf = self.text(command, 0)? == "on",
            "no-final-newline" => self.port.no_newline = true,
            _ => self.port.ignores_end = true,
        }
        Ok(())
    }
}

/// The word at `at`.
pub(super) fn word(command: &Command, at: usize) -> Result<&super::words::Word, String> {
    let missing = || format!("a word is missing at place {}", at + 1);
    command.words.get(at).ok_or_else(missing)
}

/// A number of any kind.
pub(super) fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("no number: {text}"))
}

/// A time like `100ms`, `2s`.
fn time(text: &str) -> Result<Duration, String> {
    let (digits, unit) = match text.strip_suffix("ms") {
        Some(digits) => (digits, 1),
        None => (text.trim_end_matches('s'), 1000),
    };
    Ok(Duration::from_millis(number::<u64>(digits)? * unit))
}
