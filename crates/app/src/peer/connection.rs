//! One connection: lines in, lines out, and the turns between.
#![allow(clippy::disallowed_methods)] // The monotonic clock, for a limit.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use taffrail_acp::agent::{Agent, AgentEffect, AgentEvent, OpenRequest, TurnKey};
use taffrail_acp::v1::{Implementation, McpServer};
use taffrail_acp::{Frames, Incoming, Limits, RpcError};
use taffrail_domain::hex;

use super::outbox::Outbox;
use super::play::{Player, Port};
use super::switch::Switch;
use super::{PeerFault, Script};
use crate::context::{find_home, random};
use crate::{AppError, AppInputs};

/// Bytes of one read of the client's output.
const PIECE: usize = 64 << 10;
/// Lines and tellings that wait for the deciding thread, which never waits for anything else: each may take 32 MiB.
const WAITING: usize = 2;
/// How often the deciding thread looks whether the client still reads.
const LOOKED_UP: Duration = Duration::from_secs(1);
/// How long the turns get to end when the client is gone, and the last lines to be taken. They take a moment; a turn that is
/// not over by then leaves what it started behind, so that a machine under load gets more.
const LAST: Duration = Duration::from_secs(2);

/// What the deciding thread hears.
pub(super) enum Heard {
    Line(Incoming),
    Closed,
    Turn(AgentEvent),
}

/// Serves a client until it closes its side.
///
/// # Errors
/// [`PeerFault::Connection`] where the client takes nothing any more, or sends a line without an end. Nothing that a turn
/// started is left then either.
pub fn serve(
    inputs: &AppInputs,
    script: Option<Script>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), AppError> {
    let (tell, hears) = sync_channel(WAITING);
    read_lines(input, tell.clone())?;
    let connection = Connection {
        inputs,
        script: script.map(Arc::new),
        agent: Agent::new(Implementation {
            name: "taffrail".to_owned(),
            title: Some("Taffrail".to_owned()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }),
        sessions: BTreeMap::new(),
        turns: BTreeMap::new(),
        tell,
        outbox: Outbox::start(output)?,
    };
    connection.run(&hears)
}

fn read_lines(
    mut input: impl Read + Send + 'static,
    tell: SyncSender<Heard>,
) -> Result<(), AppError> {
    let read = move || {
        let mut frames = Frames::new(Limits::default());
        let mut piece = vec![0; PIECE];
        loop {
            let found = match input.read(&mut piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Ok(0) | Err(_) => break,
                Ok(got) => frames.push(piece.get(..got).unwrap_or_default()),
            };
            for frame in found {
                if tell.send(Heard::Line(frame.incoming)).is_err() {
                    return;
                }
            }
        }
        if let Some(last) = frames.finish() {
            drop(tell.send(Heard::Line(last.incoming)));
        }
        drop(tell.send(Heard::Closed));
    };
    let thread = thread::Builder::new().name("client-output".into());
    let started = thread.spawn(read);
    started.map(drop).map_err(|error| lost(&error).into())
}

fn lost(error: &std::io::Error) -> PeerFault {
    PeerFault::Connection {
        why: error.to_string(),
    }
}

struct Session {
    cwd: PathBuf,
    servers: Vec<McpServer>,
}

/// A turn that goes on, as the deciding thread reaches it.
struct Turn {
    answers: Sender<Result<Value, RpcError>>,
    switch: Arc<Switch>,
}

struct Connection<'a> {
    inputs: &'a AppInputs,
    script: Option<Arc<Script>>,
    agent: Agent,
    sessions: BTreeMap<String, Session>,
    turns: BTreeMap<TurnKey, Turn>,
    tell: SyncSender<Heard>,
    outbox: Outbox,
}

impl Connection<'_> {
    fn run(mut self, hears: &Receiver<Heard>) -> Result<(), AppError> {
        let served = self.serve(hears);
        let ended = self.end(hears);
        served.and(ended)
    }

    fn serve(&mut self, hears: &Receiver<Heard>) -> Result<(), AppError> {
        loop {
            match hears.recv_timeout(LOOKED_UP) {
                Ok(Heard::Closed) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Ok(Heard::Line(Incoming::LineTooLong { bytes })) => {
                    let why = format!("a line has more than {bytes} bytes");
                    return Err(PeerFault::Connection { why }.into());
                }
                Ok(Heard::Line(line)) => self.on(AgentEvent::Received(line))?,
                Ok(Heard::Turn(event)) => self.on(event)?,
                Err(RecvTimeoutError::Timeout) => self.outbox.check()?,
            }
        }
    }

    /// Ends every turn and what it started, and gives the client its last answers.
    fn end(&mut self, hears: &Receiver<Heard>) -> Result<(), AppError> {
        let until = Instant::now() + LAST;
        let told = self.on(AgentEvent::Closed);
        self.turns.values().for_each(|turn| turn.switch.turn_off());
        while !self.turns.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            match hears.recv_timeout(left) {
                Ok(Heard::Turn(AgentEvent::TurnOver { turn, .. })) => {
                    drop(self.turns.remove(&turn))
                }
                // Nobody is to be told any more.
                Ok(Heard::Turn(_) | Heard::Line(_) | Heard::Closed) => {}
                Err(_) => break,
            }
        }
        if told.is_ok() {
            self.outbox.drain(LAST);
        }
        told
    }

    fn on(&mut self, event: AgentEvent) -> Result<(), AppError> {
        if let AgentEvent::TurnOver { turn, .. } = &event {
            self.turns.remove(turn);
        }
        for effect in self.agent.on(event) {
            self.effect(effect)?;
        }
        Ok(())
    }

    fn effect(&mut self, effect: AgentEffect) -> Result<(), AppError> {
        match effect {
            AgentEffect::Send(line) => Ok(self.outbox.push(line)?),
            AgentEffect::Open(open) => self.open(open),
            AgentEffect::Begin {
                turn,
                session,
                text,
            } => self.begin(turn, &session, &text),
            AgentEffect::Answered { turn, outcome } => {
                if let Some(turn) = self.turns.get(&turn) {
                    // A turn that has just ended asks nothing any more.
                    drop(turn.answers.send(outcome));
                }
                Ok(())
            }
            AgentEffect::Cancel { turn } => {
                if let Some(turn) = self.turns.get(&turn) {
                    turn.switch.turn_off();
                }
                Ok(())
            }
            AgentEffect::Forget { session } => {
                self.sessions.remove(&session);
                Ok(())
            }
        }
    }

    fn open(&mut self, open: OpenRequest) -> Result<(), AppError> {
        let session = match folder(&open.cwd) {
            Ok(cwd) => {
                let id = format!("ses_{}", hex(&random::<8>()?));
                let servers = open.mcp_servers;
                self.sessions.insert(id.clone(), Session { cwd, servers });
                Ok(id)
            }
            Err(why) => Err(RpcError::new(RpcError::INVALID_PARAMS, why)),
        };
        self.on(AgentEvent::Opened {
            request: open.request,
            session,
        })
    }

    /// Each turn plays the script in a thread of its own.
    fn begin(&mut self, key: TurnKey, session: &str, _prompt: &str) -> Result<(), AppError> {
        let (Some(script), Some(session)) = (self.script.clone(), self.sessions.get(session))
        else {
            let why =
                "no provider is there in this version: start it as `taffrail acp --script FILE`";
            let ended = Err(RpcError::new(RpcError::INTERNAL, why));
            return self.on(AgentEvent::TurnOver { turn: key, ended });
        };
        let (answers, answered) = channel();
        let switch = Arc::new(Switch::default());
        let player = Player {
            port: Port {
                turn: key,
                tell: self.tell.clone(),
                answers: answered,
                outbox: self.outbox.clone(),
                switch: Arc::clone(&switch),
            },
            script,
            cwd: session.cwd.clone(),
            servers: session.servers.clone(),
            offers: self.agent.offers(),
            environment: self.inputs.environment.clone(),
            managed: find_home(self.inputs)
                .map(|home| home.root().to_owned())
                .ok(),
        };
        self.turns.insert(key, Turn { answers, switch });
        let started = thread::Builder::new()
            .name("turn".into())
            .spawn(move || player.play());
        started.map(drop).map_err(|error| lost(&error).into())
    }
}

/// A working directory is absolute and there.
fn folder(cwd: &str) -> Result<PathBuf, String> {
    let path = Path::new(cwd);
    let shown: String = cwd.chars().take(200).collect();
    if !path.is_absolute() {
        return Err(format!(
            "`cwd` is `{shown}`, and a path from the root is wanted"
        ));
    }
    let real = path.canonicalize().ok().filter(|real| real.is_dir());
    real.ok_or_else(|| format!("`cwd` is `{shown}`, which is no folder"))
}
