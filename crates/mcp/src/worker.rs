//! One thread that makes the quick calls of a connection, one after the other in the order of their arrival. They wait
//! for a disk; the reactor must not.

use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

type Job = Box<dyn FnOnce() + Send>;

/// The thread. Dropped, it takes no more and is waited for: a call that began is done before the process goes.
#[derive(Debug)]
pub(crate) struct Worker {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start() -> std::io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let thread = Builder::new().name("calls".to_owned()).spawn(move || {
            for job in queue {
                job();
            }
        })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
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
        if let Some(thread) = self.thread.take() {
            // Jobs catch their own panics; a thread that still died has nothing left to tell.
            drop(thread.join());
        }
    }
}
