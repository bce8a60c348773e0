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

/// What the agent is asked to do.
const TASK: &str = "let greet.sh take a name";
/// A question takes keys 300 ms after it is drawn; a person reads for longer.
const READING: Duration = Duration::from_millis(450);
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

    /// A foreign agent works in a checkout, asks, is answered, writes a seed over MCP. The name of the run.
    pub(super) fn drive_an_agent(&mut self) -> Result<String, AppError> {
        let said = [
            "agents",
            "external",
            "run",
            "taffrail-acp",
            "--write",
            "--net",
            "off",
            "--task",
            TASK,
        ];
        let line = format!(
            "taffrail agents external run taffrail-acp --write --net off --task \"{TASK}\"    (this program again, \
             scripted, over ACP; the person's part is played)"
        );
        let mut run = String::new();
        self.play(&line, &words(&said, &[]), |played| {
            for key in ['y', 'y', 'n'] {
                played.wait_for("[r]eason")?;
                played.look_for(READING)?;
                played.press(key)?;
            }
            run = format!("run_{}", played.word_after("taffrail-acp run_")?);
            // It is landed in an act of its own.
            played.wait_for("[d]iscard")?;
            played.type_line("k")
        })?;
        Ok(run)
    }

    /// What the agent changed, and what its command reached: nothing.
    pub(super) fn look(&mut self, run: &str) -> Result<(), AppError> {
        let args = words(&["agents", "external", "review", run], &[]);
        self.play(
            &format!("taffrail agents external review {run}"),
            &args,
            |_| Ok(()),
        )
    }

    /// What the agent changed becomes a branch.
    pub(super) fn land(&mut self, run: &str) -> Result<(), AppError> {
        let args = words(&["agents", "external", "land", run], &[]);
        self.play(
            &format!("taffrail agents external land {run}"),
            &args,
            |played| {
                let digits = played.word_after("digits of its hash,")?;
                played.type_line(&digits)?;
                played.wait_for("landed as branch")
            },
        )
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

fn words(said: &[&str], more: &[OsString]) -> Vec<OsString> {
    said.iter()
        .map(OsString::from)
        .chain(more.iter().cloned())
        .collect()
}
