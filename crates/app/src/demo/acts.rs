//! What is played, act by act: each is one command of this program on a terminal of its own.

use std::ffi::OsString;
use std::time::Duration;

use taffrail_confine::env::ChildEnv;
use taffrail_confine::played::{Part, Played, PlayedError};
use taffrail_domain::Ended;

use super::{Demo, Shown};
use crate::{AppError, AppInputs};

/// A loaded machine with two cores needs about three seconds; more than this is a hang.
const LIMIT: Duration = Duration::from_secs(60);

/// What the person of the demo learnt from the box.
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

    pub(super) fn write_down_what_it_taught(&mut self) -> Result<(), AppError> {
        let args = words(&["memory", "add", "--run", "demo", LESSON], &[]);
        self.play(
            &format!("taffrail memory add --run demo \"{LESSON}\""),
            &args,
            |_| Ok(()),
        )
    }

    pub(super) fn nothing_is_recalled_yet(&mut self) -> Result<(), AppError> {
        self.line("remembered is not believed: the next agent is given nothing of it yet");
        self.prompt()
    }

    pub(super) fn review(&mut self) -> Result<(), AppError> {
        let args = words(&["memory", "review"], &[]);
        self.play(
            "taffrail memory review    (the person's part is played)",
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

fn words(said: &[&str], more: &[OsString]) -> Vec<OsString> {
    said.iter()
        .map(OsString::from)
        .chain(more.iter().cloned())
        .collect()
}
