//! One run of the fake agent at the command line, in a world of its own, and what is left of it: events, record, project,
//! processes.
// Each test program uses a part of it.
#![allow(dead_code)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;
use taffrail_testkit::{FakeAgent, Hermetic, Ran, Repo, Running, Times, manifest};

use crate::common::{Process, assert_none_left, checkouts, committed, descendants, world};

/// The longest that a case may take on a loaded machine; every deadline of a case is far below it.
pub const LIMIT: Duration = Duration::from_secs(180);

/// How a run is to end.
#[derive(Debug, Clone, Copy)]
pub struct End(pub i32, pub &'static str, pub &'static str);

/// A valid result.
pub const DONE: End = End(0, "completed", "end_turn");
/// The turn ended without a valid result.
pub const NO_RESULT: End = End(6, "error", "invalid_result");

/// A case: a script, and how it is run.
pub struct Case {
    world: Hermetic,
    repo: Repo,
    agent: FakeAgent,
    entry: String,
    config: String,
    flags: Vec<String>,
}

/// A case around `script`: nobody is asked, nothing is contained, nothing may be written.
pub fn case(script: &str) -> Case {
    case_of(FakeAgent::script(script))
}

/// A case around any fake agent.
pub fn case_of(agent: FakeAgent) -> Case {
    case_in(world(), agent)
}

/// A case in a world that is there already.
pub fn case_in(world: Hermetic, agent: FakeAgent) -> Case {
    let repo = committed(&world);
    Case {
        world,
        repo,
        agent,
        entry: String::new(),
        config: String::new(),
        flags: ["--unattended", "--json", "--no-sandbox"]
            .map(str::to_owned)
            .to_vec(),
    }
}

impl Case {
    /// It may change files.
    #[must_use]
    pub fn write(self) -> Self {
        self.flag("--write")
            .config("external_agents.write_in_checkout = \"allow\"")
    }

    /// In the sandbox.
    #[must_use]
    pub fn sandboxed(mut self) -> Self {
        self.flags.retain(|flag| flag != "--no-sandbox");
        self
    }

    /// Somebody can be asked.
    #[must_use]
    pub fn attended(mut self) -> Self {
        self.flags.retain(|flag| flag != "--unattended");
        self
    }

    /// With one more flag.
    #[must_use]
    pub fn flag(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }

    /// With a line in the agent's entry.
    #[must_use]
    pub fn entry(mut self, line: &str) -> Self {
        self.entry.push_str(line);
        self.entry.push('\n');
        self
    }

    /// With a line at the top of the configuration.
    #[must_use]
    pub fn config(mut self, line: &str) -> Self {
        self.config.push_str(line);
        self.config.push('\n');
        self
    }

    /// With `${name}` of the script standing for `value`.
    #[must_use]
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.agent = self.agent.set(name, value);
        self
    }

    /// With a committed file in the project.
    #[must_use]
    pub fn file(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.repo.file(path, bytes);
        self.repo.commit("a file of the case");
        self
    }

    /// The world of the case.
    pub fn world(&self) -> &Hermetic {
        &self.world
    }

    /// The project of the case.
    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    /// Starts it.
    pub fn start(self) -> Begun {
        let config = format!(
            "external_agents.enabled = true\n{}\n[external_agents.fake]\ntransport = \"acp\"\ntest = true\n{}{}",
            self.config,
            self.agent.toml(),
            self.entry
        );
        self.world.config(&config);
        let mut line = vec!["agents", "external", "run", "fake", "--task", "do it"];
        line.extend(self.flags.iter().map(String::as_str));
        let before = manifest(self.repo.root(), Times::Counted);
        let running = self
            .world
            .command(&line)
            .in_directory(self.repo.root())
            .limit(LIMIT)
            .start();
        Begun {
            world: self.world,
            repo: self.repo,
            before,
            running,
        }
    }

    /// Runs it to its end.
    pub fn run(self) -> Over {
        self.start().wait()
    }

    /// Runs it to its end, which must be `end`.
    #[track_caller]
    pub fn ends(self, end: End) -> Over {
        self.run().ends(end)
    }
}

/// A case under way.
pub struct Begun {
    pub world: Hermetic,
    pub repo: Repo,
    pub running: Running,
    before: Vec<String>,
}

impl Begun {
    /// Waits until an event says `text`.
    pub fn wait_for(&self, text: &str) {
        self.running.wait_for(text, LIMIT);
    }

    /// What runs below taffrail now.
    pub fn below(&self) -> Vec<Process> {
        descendants(self.running.pid())
    }

    /// Waits for its end, after which nothing of it may be left and the project must be as it was.
    pub fn wait(self) -> Over {
        self.wait_and(&[])
    }

    /// The same; of `processes`, too, none may be left.
    pub fn wait_and(self, processes: &[Process]) -> Over {
        let ran = self.running.wait();
        let ended = Instant::now();
        assert_none_left(&self.world, processes, ended);
        let after = manifest(self.repo.root(), Times::Counted);
        assert_eq!(
            self.before,
            after,
            "the project is not as it was\n{}",
            ran.told()
        );
        Over {
            world: self.world,
            repo: self.repo,
            ran,
        }
    }
}

/// A case that ended.
pub struct Over {
    pub world: Hermetic,
    pub repo: Repo,
    pub ran: Ran,
}

impl Over {
    /// Itself, if that is how it ended: exit code, status and reason of the last event, and the same in the record.
    #[track_caller]
    pub fn ends(self, End(code, status, reason): End) -> Self {
        let result = self.result();
        assert_eq!(checkouts(&self.world), Vec::<PathBuf>::new(), "{result}");
        let ended = (
            self.ran.code,
            result["status"].as_str(),
            result["reason"].as_str(),
        );
        assert_eq!(
            ended,
            (code, Some(status), Some(reason)),
            "{}",
            self.ran.told()
        );
        let show = self.show();
        assert_eq!(show["status"], status, "{show:#}");
        assert_eq!(show["reason"], reason, "{show:#}");
        self.assert_exported(status, reason);
        self
    }

    /// The exports parse, and say of the ending and of every decision what the events said.
    #[track_caller]
    fn assert_exported(&self, status: &str, reason: &str) {
        let run: Value = serde_json::from_str(&self.record("acp-run.json")).unwrap();
        assert_eq!(
            (&run["status"], &run["reason"]),
            (&status.into(), &reason.into())
        );
        let decisions = run["decisions"].as_array().map_or(0, Vec::len);
        let told = self.events_of("decision").len();
        assert_eq!(decisions, told, "decisions on record and told");
        for name in ["context.jsonl", "archive.jsonl"] {
            for line in self.record(name).lines() {
                serde_json::from_str::<Value>(line)
                    .unwrap_or_else(|e| panic!("{name}: {e}: {line}"));
            }
        }
    }

    /// All events: each a line of JSON, numbered without a gap.
    #[track_caller]
    pub fn events(&self) -> Vec<Value> {
        let events: Vec<Value> = self
            .ran
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
            .collect();
        for (at, event) in events.iter().enumerate() {
            assert_eq!(event["seq"], at + 1, "{event}");
        }
        events
    }

    /// The events of one type.
    #[track_caller]
    pub fn events_of(&self, kind: &str) -> Vec<Value> {
        let mut events = self.events();
        events.retain(|event| event["type"] == kind);
        events
    }

    /// The last event.
    #[track_caller]
    pub fn result(&self) -> Value {
        let last = self.events().pop().unwrap_or_default();
        assert_eq!(last["type"], "result", "{}", self.ran.told());
        last
    }

    /// Everything that the agent said, in one text.
    #[track_caller]
    pub fn said(&self) -> String {
        let pieces = self.events_of("message");
        pieces
            .iter()
            .filter_map(|event| event["text"].as_str())
            .collect()
    }

    /// The notes, in one text.
    #[track_caller]
    pub fn notes(&self) -> String {
        let notes = self.events_of("note");
        let texts = notes.iter().filter_map(|event| event["text"].as_str());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Itself, if a note holds `text`.
    #[track_caller]
    pub fn noted(self, text: &str) -> Self {
        let notes = self.notes();
        assert!(notes.contains(text), "no note of `{text}` in\n{notes}");
        self
    }

    /// What `agents external show --json` says of it.
    #[track_caller]
    pub fn show(&self) -> Value {
        let run = self.result()["run"].as_str().unwrap_or_default().to_owned();
        let shown = self
            .world
            .taffrail_in(
                self.repo.root(),
                &["agents", "external", "show", &run, "--json"],
            )
            .success();
        shown.json()["data"].clone()
    }

    /// The change that waits for a person.
    #[track_caller]
    pub fn patch(&self) -> String {
        let result = self.result();
        let path = result["patch"]
            .as_str()
            .unwrap_or_else(|| panic!("no patch: {result}"));
        let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{path}: {e}"));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A file of the session's folder.
    #[track_caller]
    pub fn record(&self, name: &str) -> String {
        let folder = self.result()["session_dir"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let path = PathBuf::from(folder).join(name);
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// A case with its name.
pub type Named = (&'static str, Box<dyn FnOnce() + Send>);

/// Runs many cases that mostly wait side by side. A case that fails fails the test with its own words.
pub fn side_by_side(cases: Vec<Named>) {
    std::thread::scope(|scope| {
        let started: Vec<_> = cases
            .into_iter()
            .map(|(name, run)| (name, scope.spawn(run)))
            .collect();
        let failed: Vec<&str> = started
            .into_iter()
            .filter_map(|(name, thread)| thread.join().err().map(|_| name))
            .collect();
        assert_eq!(failed, Vec::<&str>::new(), "cases that failed");
    });
}
