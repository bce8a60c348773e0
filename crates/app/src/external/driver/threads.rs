//! The threads beside the deciding one: they read the agent's output and hold its process, tell what they hear, and decide
//! nothing.

use std::io::Read;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use taffrail_acp::{Frame, Frames, Limits};
use taffrail_confine::stopwatch::Stopwatch;
use taffrail_confine::supervise::{self, Launch, LaunchError, Veto};

use super::Heard;
use crate::AppError;

/// Bytes of one read of the agent's output.
const PIECE: usize = 64 << 10;

/// The agent's standard output, cut into frames. The thread ends with the stream, or when nobody hears it any more.
pub(super) fn read_output(
    mut stdout: std::io::PipeReader,
    heard: SyncSender<Heard>,
) -> Result<(), AppError> {
    let read = move || {
        let mut frames = Frames::new(Limits::default());
        let mut piece = vec![0; PIECE];
        loop {
            let got = match stdout.read(&mut piece) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Ok(0) | Err(_) => break,
                Ok(got) => frames.push(piece.get(..got).unwrap_or_default()),
            };
            if !got.is_empty() && !sent(&heard, got) {
                return;
            }
        }
        let last: Vec<Frame> = frames.finish().into_iter().collect();
        sent(&heard, last);
        drop(heard.send(Heard::OutputClosed));
    };
    let thread = std::thread::Builder::new().name("agent-output".into());
    thread.spawn(read).map(drop).map_err(not_started)
}

/// Whether somebody still hears. Large frames, 4 MiB each and more as values, are waited for one by one: a queue of them would
/// not be bounded by the number of its messages.
fn sent(heard: &SyncSender<Heard>, frames: Vec<Frame>) -> bool {
    let bytes: usize = frames.iter().map(|frame| frame.line.len()).sum();
    let (looked_at, sees) = sync_channel(1);
    let is_heard = heard.send(Heard::Frames(frames, looked_at)).is_ok();
    if is_heard && bytes > PIECE {
        // It never comes: the other end is dropped.
        sees.recv().unwrap_or_default();
    }
    is_heard
}

/// The agent's process. It is started when its sandbox is on record.
pub(super) fn hold(launch: Launch, heard: SyncSender<Heard>) -> Result<(), AppError> {
    let tells = heard.clone();
    let hold = move || {
        let mut stopped = None;
        let mut on_event = |event: supervise::Event<'_>| match event {
            supervise::Event::Enforced(enforcement) => {
                let (answer, answered) = sync_channel(1);
                let enforced = Heard::Enforced(Box::new(enforcement.clone()), answer);
                tells.send(enforced).map_err(|_| Veto)?;
                answered.recv().unwrap_or(Err(Veto))
            }
            supervise::Event::Started(_) => tells.send(Heard::Started).map_err(|_| Veto),
            supervise::Event::Signal(_) => {
                // The next signal must be heard, however long this one waits for its turn.
                let tells = tells.clone();
                std::thread::spawn(move || tells.send(Heard::Signal));
                Ok(())
            }
            supervise::Event::Suspended => {
                stopped = Some(Stopwatch::start());
                Ok(())
            }
            supervise::Event::Resumed => {
                let stood = stopped
                    .take()
                    .map_or(Duration::ZERO, |watch| watch.elapsed());
                tells.send(Heard::StoodStill(stood)).map_err(|_| Veto)
            }
        };
        let outcome = supervise::run(&launch, &mut on_event);
        drop(heard.send(Heard::Over(Box::new(outcome))));
    };
    let thread = std::thread::Builder::new().name("agent-process".into());
    thread.spawn(hold).map(drop).map_err(not_started)
}

/// The system gave no pipe, descriptor or thread.
pub(super) fn not_started(source: std::io::Error) -> AppError {
    AppError::Launch(LaunchError::Io {
        doing: "hold the agent's streams",
        source,
    })
}
