//! What is played, act by act: each is one command of this program on a terminal of its own.

use std::ffi::OsString;
use std::time::Duration;

use serde_json::{Value, json};
use taffrail_confine::env::ChildEnv;
use taffrail_confine::piped::Piped;
use taffrail_confine::played::{Part, Played, PlayedError};
use taffrail_domain::Ended;
use taffrail_mcp::ClientName;
use taffrail_mcp::client::Client;

use super::{Demo, Shown};
use crate::{AppError, AppInputs};

/// A loaded machine with two cores needs about three seconds; more than this is a hang.
const LIMIT: Duration = Duration::from_secs(60);

/// What the scripted agent learnt.
const LESSON: &str =
    "greet.sh takes the name as its first argument and falls back to `world`; keep that default.";
/// What the next agent is to do.
const QUESTION: &str = "let greet.sh take a second argument beside the name";

/// The acts of one demo.
pub(super) struct Acts<'a> {
    inputs: &'a AppInputs,
    demo: &'a Demo,
    env: ChildEnv,
    tell: &'a mut dyn FnMut(Shown<'_>),
}

impl<'a> Acts<'a> {
    pub(super) fn new(
        inputs: &'a AppInputs,
        demo: &'a Demo,
        tell: &'a mut dyn FnMut(Shown<'_>),
    ) -> Self {
        let env = ChildEnv::allowed(&inputs.environment)
            .set("TAFFRAIL_HOME", &demo.home)
            .set("HOME", demo.folder.join("person"))
            .set("NO_COLOR", "1")
            .set("TERM", "dumb");
        Self {
            inputs,
            demo,
            env,
            tell,
        }
    }

    /// A key file in the throw-away folder: your keychain is not asked.
    pub(super) fn choose_a_place_for_the_key(&mut self) -> Result<(), AppError> {
        let key = self.demo.folder.join("person/seal.key");
        let args = words(&["secret", "backend", "file", "--key-file"], &[key.into()]);
        self.play("taffrail secret backend file --key-file …", &args, |_| {
            Ok(())
        })
    }

    pub(super) fn work_in_a_box(&mut self) -> Result<(), AppError> {
        let said = [
            "box", "--name", "demo", "--net", "off", "--", "bash", "agent.sh",
        ];
        let places = [
            &self.demo.project,
            &self.demo.folder.join("person"),
            &self.demo.home.clone(),
        ];
        let args = words(&said, &places.map(OsString::from));
        let line = "taffrail box --name demo -- bash agent.sh …    (a scripted agent; the person's part is played)";
        self.play(line, &args, |played| {
            played.wait_for("[d]iscard")?;
            played.type_line("r")?;
            played.wait_for("[d]iscard")?;
            played.type_line("l")?;
            let digits = played.word_after("digits of its hash,")?;
            played.type_line(&digits)?;
            played.wait_for("landed as branch")
        })
    }

    /// A client of the MCP server, as any other program is one: it opens a slate, drops a seed, closes it.
    pub(super) fn write_a_seed_over_mcp(&mut self) -> Result<(), AppError> {
        let line = "taffrail serve-mcp    (a scripted MCP client at the other end)";
        self.line(&format!("$ {line}"));
        let failed = |how: String| AppError::DemoAct {
            line: line.to_owned(),
            how,
        };
        let args = words(&["serve-mcp"], &[]);
        let (server, input, output) =
            Piped::start(&self.inputs.exe, &args, &self.env, &self.demo.project)
                .map_err(|error| failed(error.to_string()))?;
        let name = ClientName {
            name: "demo-agent".to_owned(),
            version: "1".to_owned(),
        };
        let client =
            Client::over_pipes(output, input, &name).map_err(|error| failed(error.to_string()))?;
        for (tool, arguments) in calls() {
            (self.tell)(Shown::Line(&format!("-> {tool} {arguments}")));
            let answer = client
                .call(tool, arguments)
                .map_err(|refused| failed(refused.message))?;
            (self.tell)(Shown::Line(&format!("<- {answer}")));
        }
        client.close();
        let ended_well = server.finish().map_err(|error| failed(error.to_string()))?;
        if ended_well {
            Ok(())
        } else {
            Err(failed("an error".to_owned()))
        }
    }

    pub(super) fn catch_up(&mut self) -> Result<(), AppError> {
        let args = words(&["workspace", "catch-up"], &[]);
        self.play("taffrail workspace catch-up", &args, |_| Ok(()))
    }

    pub(super) fn nothing_is_recalled_yet(&mut self) -> Result<(), AppError> {
        self.line("remembered is not believed: the next agent is given nothing of it yet");
        self.prompt()
    }

    pub(super) fn review(&mut self) -> Result<(), AppError> {
        let args = words(&["workspace", "review"], &[]);
        self.play(
            "taffrail workspace review    (the person's part is played)",
            &args,
            |played| {
                played.wait_for("[?]")?;
                played.press('c')?;
                let code = played.word_after("digits of its hash,")?;
                played.type_line(&code)?;
                played.wait_for("confirmed")
            },
        )
    }

    pub(super) fn recall(&mut self) -> Result<(), AppError> {
        self.line("a person said so: now it is in the prompt of the next");
        self.prompt()
    }

    pub(super) fn audit(&mut self) -> Result<(), AppError> {
        let args = words(&["audit", "verify"], &[]);
        self.play("taffrail audit verify", &args, |_| Ok(()))
    }

    fn prompt(&mut self) -> Result<(), AppError> {
        let args = words(&["prompt", "show", "--query", QUESTION], &[]);
        self.play(
            &format!("taffrail prompt show --query \"{QUESTION}\""),
            &args,
            |_| Ok(()),
        )
    }

    fn line(&mut self, line: &str) {
        (self.tell)(Shown::Line(&format!("\n{line}")));
    }

    /// Starts the command on a terminal, plays the part, and expects it to end well.
    fn play(
        &mut self,
        line: &str,
        args: &[OsString],
        part: impl FnOnce(&mut Played<'_>) -> Result<(), PlayedError>,
    ) -> Result<(), AppError> {
        self.line(&format!("$ {line}"));
        let tell = &mut *self.tell;
        let mut watch = |bytes: &[u8]| tell(Shown::Terminal(bytes));
        let started = Part {
            program: &self.inputs.exe,
            args,
            env: &self.env,
            cwd: &self.demo.project,
            limit: LIMIT,
        };
        let mut played = Played::start(&started, &mut watch)?;
        part(&mut played)?;
        match played.finish()? {
            Ended::Exited(0) => Ok(()),
            ended => Err(AppError::DemoAct {
                line: line.to_owned(),
                how: ended.to_string(),
            }),
        }
    }
}

/// What the scripted client asks for.
fn calls() -> [(&'static str, Value); 3] {
    let slate = "demo-session";
    [
        (
            "slate.open",
            json!({
                "externalSessionId": slate,
                "anchors": { "note": "greet.sh takes a name", "touched": ["greet.sh"] },
            }),
        ),
        (
            "slate.writeSeed",
            json!({ "externalSessionId": slate, "text": LESSON, "kind": "memory-entry" }),
        ),
        ("slate.close", json!({ "externalSessionId": slate })),
    ]
}

fn words(said: &[&str], more: &[OsString]) -> Vec<OsString> {
    said.iter()
        .map(OsString::from)
        .chain(more.iter().cloned())
        .collect()
}
