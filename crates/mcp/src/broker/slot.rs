//! One slot: connections one after the other.

use std::io;

use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::Sender;
use tokio_util::sync::CancellationToken;

use super::greeting::{Greeting, Reply};
use super::upstream::{Heard, Upstream};
use super::{BrokerSlot, OpenEnd};
use crate::lines::Bounds;
use crate::server::Server;
use crate::stdio::serve_bounded;

/// Greetings over the life of a slot: an agent that restarts its servers needs a few.
const GREETINGS: usize = 1_000;

/// What every slot needs.
pub(super) struct Serving {
    pub(super) server: Server,
    pub(super) bounds: Bounds,
    pub(super) token: [u8; 32],
    pub(super) stop: CancellationToken,
}

impl Serving {
    /// Serves the slot until the broker is stopped, or the slot is given up. An error of one slot is nobody else's: there is
    /// nobody to tell, the pipe at its other end sees that nobody reads.
    pub(super) async fn of(self, slot: BrokerSlot) {
        let stop = self.stop.clone();
        tokio::select! {
            () = stop.cancelled() => {}
            served = self.connections(slot) => drop(served),
        }
    }

    async fn connections(&self, slot: BrokerSlot) -> io::Result<()> {
        let upstream = Upstream::new(slot.first, self.token)?;
        let (requests, answers) = (slot.requests, slot.answers);
        for _ in 0..GREETINGS {
            match upstream.heard().await {
                Heard::Known(greeting) => self.connection(&answers, &upstream, greeting).await,
                Heard::Unknown(greeting) => refuse(&answers, greeting).await,
                Heard::Noise => break,
                Heard::End => upstream.reopen(&requests)?,
            }
        }
        Ok(())
    }

    async fn connection(&self, answers: &OpenEnd, upstream: &Upstream, greeting: Greeting) {
        // A pipe that left before it was answered is no error.
        let Ok(answers) = greeted(answers, greeting, &Reply::Welcome).await else {
            return;
        };
        let (server, bounds) = (self.server.clone(), self.bounds.clone());
        let stop = self.stop.child_token();
        serve_bounded(server, upstream.clone(), answers, stop, bounds).await;
    }
}

async fn refuse(answers: &OpenEnd, greeting: Greeting) {
    let why = "the token is not the one of this run".to_owned();
    drop(greeted(answers, greeting, &Reply::Refused(why)).await);
}

/// Answers a greeting. A reply fits into an empty FIFO; where it does not, nobody reads, and that slot waits alone.
async fn greeted(answers: &OpenEnd, greeting: Greeting, reply: &Reply) -> io::Result<Sender> {
    let mut answers = Sender::from_file(answers()?)?;
    answers.write_all(&greeting.answered(reply)).await?;
    Ok(answers)
}
