//! One thread that makes the quick calls of a connection, one after the other in the order of their arrival. They wait
//! for a disk; the reactor must not.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

type Job = Box<dyn FnOnce() + Send>;

/// How long a server that ends waits for the calls that it accepted. One that a dead disk holds is left behind.
const PATIENCE: Duration = Duration::from_secs(5);

/// The thread. Dropped, it takes no more, and is waited for within [`PATIENCE`]: a call that began is done before the
/// process goes.
#[derive(Debug)]
pub(crate) struct Worker {
    jobs: Option<Sender<Job>>,
    /// Closed when the thread is at its end; nothing is ever sent.
    end: Mutex<Receiver<()>>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start() -> std::io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let (alive, end) = channel();
        let thread = Builder::new().name("calls".to_owned()).spawn(move || {
            let _alive: Sender<()> = alive;
            for job in queue {
                job();
            }
        })?;
        drop(thread);
        Ok(Self {
            jobs: Some(jobs),
            end: Mutex::new(end),
        })
    }

    /// Puts a job at the end of the line. Gives it back where the thread is gone.
    pub(crate) fn push(&self, job: impl FnOnce() + Send + 'static) -> bool {
        self.jobs
            .as_ref()
            .is_some_and(|jobs| jobs.send(Box::new(job)).is_ok())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.jobs = None;
        if let Ok(end) = self.end.get_mut() {
            // An error either way: the thread is at its end, or patience is.
            end.recv_timeout(PATIENCE).ok();
        }
    }
}
