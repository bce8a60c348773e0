//! The program around a script: its arguments, its pipes, its exit code.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde_json::Value;

use super::play::Player;
use super::port::Port;
use super::process::{LINGER, linger};
use super::scope::Scope;
use super::{Stop, parse, playback};

const USAGE: &str = "\
fake-agent --script FILE | --inline TEXT [--set NAME=VALUE]…   plays a script
fake-agent playback FILE                                        plays a recorded conversation
fake-agent --check FILE                                         says what is wrong with a script
fake-agent --version
The script may also be named by TAFFRAIL_FAKE_SCRIPT.";

/// Exit code of a `must` that does not hold.
const MUST: u8 = 97;
/// Exit code of a script or of arguments that cannot be played.
const WRONG: u8 = 98;

/// The whole of the program `fake-agent`, with its arguments but not its own name.
pub fn fake_agent_main(args: &[String]) -> ExitCode {
    let stop = match args {
        [first, rest @ ..] if first == LINGER => return linger(rest),
        _ if args.iter().any(|arg| arg == "--version") => say("fake-agent 1.0.0\n"),
        [first, file] if first == "playback" => {
            text_of(file).map_or_else(Err, |text| playback::play(port(), &text))
        }
        [first, file] if first == "--check" => {
            text_of(file).and_then(|text| Ok(parse::parse(&text).map(|_| ())?))
        }
        _ => scripted(args),
    };
    match stop {
        Ok(()) | Err(Stop::Exit(0)) => ExitCode::SUCCESS,
        Err(Stop::Exit(code)) => ExitCode::from(code),
        Err(Stop::Must(why)) => complain(MUST, &why),
        Err(Stop::Wrong(why)) => complain(WRONG, &why),
    }
}

fn say(text: &str) -> Result<(), Stop> {
    port().raw(text.as_bytes())
}

fn complain(code: u8, why: &str) -> ExitCode {
    // Where nobody reads it, the code says it.
    port()
        .stderr(format!("fake-agent: {why}\n").as_bytes())
        .ok();
    ExitCode::from(code)
}

fn port() -> Port {
    Port::new(
        std::io::stdin(),
        Box::new(std::io::stdout()),
        Box::new(std::io::stderr()),
    )
}

fn text_of(file: &str) -> Result<String, Stop> {
    std::fs::read_to_string(file).map_err(|error| Stop::Wrong(format!("{file}: {error}")))
}

fn scripted(args: &[String]) -> Result<(), Stop> {
    let options = Options::read(args)?;
    let commands = parse::parse(&options.script)?;
    let mut player = Player::new(port(), options.scope, options.script);
    player.requests = options.requests;
    player.play_from(&commands, options.from)
}

struct Options {
    script: String,
    scope: Scope,
    from: usize,
    requests: BTreeMap<String, Value>,
}

impl Options {
    fn read(args: &[String]) -> Result<Self, Stop> {
        let mut script = None;
        let mut scope = Scope::default();
        let mut from = 0;
        let mut requests = BTreeMap::new();
        scope.set("pid", std::process::id().into());
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| USAGE.to_owned())?;
            match word.as_str() {
                "--script" => script = Some(text_of(value)?),
                "--inline" => script = Some(value.clone()),
                "--from" => from = value.parse().map_err(|_| USAGE.to_owned())?,
                // Of a script that goes on in a new process.
                "--known" => {
                    let known: Value = serde_json::from_str(value).unwrap_or_default();
                    for (name, value) in known["values"].as_object().into_iter().flatten() {
                        scope.set(name, value.clone());
                    }
                    requests =
                        serde_json::from_value(known["requests"].clone()).unwrap_or_default();
                }
                "--set" => {
                    let (name, value) = value.split_once('=').ok_or_else(|| USAGE.to_owned())?;
                    scope.set(name, Value::String(value.to_owned()));
                }
                _ => return Err(USAGE.to_owned().into()),
            }
        }
        let script = match (script, std::env::var("TAFFRAIL_FAKE_SCRIPT")) {
            (Some(script), _) => script,
            (None, Ok(file)) => text_of(&file)?,
            (None, Err(_)) => return Err(USAGE.to_owned().into()),
        };
        Ok(Self {
            script,
            scope,
            from,
            requests,
        })
    }
}
