//! One connection: lines in, lines out, and the turns between.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use serde_json::Value;
use taffrail_acp::agent::{Agent, AgentEffect, AgentEvent, OpenRequest, TurnKey};
use taffrail_acp::v1::{Implementation, McpServer};
use taffrail_acp::{Frames, Incoming, Limits, RpcError};
use taffrail_domain::hex;

use super::play::{Player, Port};
use super::{PeerFault, Script};
use crate::context::random;
use crate::{AppError, AppInputs};

/// Bytes of one read of the client's output.
const PIECE: usize = 64 << 10;
/// Pieces that wait for the deciding thread.
const WAITING: usize = 16;

/// What the deciding thread hears.
pub(super) enum Heard {
    Line(Incoming),
    Closed,
    Turn(AgentEvent),
}

/// Serves a client until it closes its side.
///
/// # Errors
/// [`PeerFault::Connection`] where the client takes nothing any more, or sends a line without an end.
pub fn serve(
    inputs: &AppInputs,
    script: Option<Script>,
    input: impl Read + Send + 'static,
    output: impl Write,
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
        output,
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
    cancelled: Arc<AtomicBool>,
}

struct Connection<'a, W: Write> {
    inputs: &'a AppInputs,
    script: Option<Arc<Script>>,
    agent: Agent,
    sessions: BTreeMap<String, Session>,
    turns: BTreeMap<TurnKey, Turn>,
    tell: SyncSender<Heard>,
    output: W,
}

impl<W: Write> Connection<'_, W> {
    fn run(mut self, hears: &Receiver<Heard>) -> Result<(), AppError> {
        while let Ok(heard) = hears.recv() {
            match heard {
                Heard::Closed => break,
                Heard::Line(Incoming::LineTooLong { bytes }) => {
                    let why = format!("a line has more than {bytes} bytes");
                    return Err(PeerFault::Connection { why }.into());
                }
                Heard::Line(line) => self.on(AgentEvent::Received(line))?,
                Heard::Turn(event) => self.on(event)?,
            }
        }
        // What still goes on ends with its port: the process does not wait for it.
        self.turns
            .values()
            .for_each(|turn| turn.cancelled.store(true, Ordering::SeqCst));
        Ok(())
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
            AgentEffect::Send(line) => {
                let written = self
                    .output
                    .write_all(&line)
                    .and_then(|()| self.output.flush());
                Ok(written.map_err(|error| lost(&error))?)
            }
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
                    turn.cancelled.store(true, Ordering::SeqCst);
                }
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
        let cancelled = Arc::new(AtomicBool::new(false));
        let port = Port::new(key, self.tell.clone(), answered, Arc::clone(&cancelled));
        let player = Player {
            port,
            script,
            cwd: session.cwd.clone(),
            servers: session.servers.clone(),
            offers: self.agent.offers(),
            environment: self.inputs.environment.clone(),
        };
        self.turns.insert(key, Turn { answers, cancelled });
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
