//! The FIFOs of a run: made before its agent starts, and never looked up by their names again. The agent may delete, rename
//! and replace what it sees in its scratch folder; what is held here stays what it was.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use taffrail_mcp::broker::{BrokerSlot, OpenEnd};

use crate::AppError;

/// Connections that a run serves at the same time: an agent starts the server once, some once more for each sub-agent.
pub(super) const SLOTS: usize = 4;

/// The folder of the FIFOs, and what is held of them.
pub(super) struct Fifos {
    pub folder: PathBuf,
    pub slots: Vec<BrokerSlot>,
}

/// Names the FIFO of requests of a slot.
pub(super) fn requests(slot: usize) -> String {
    format!("{slot}.requests")
}

/// Names the FIFO of answers of a slot.
pub(super) fn answers(slot: usize) -> String {
    format!("{slot}.answers")
}

/// Makes a folder of an unforeseen name in the scratch folder of a run, and the FIFOs in it, for this user alone. A setup
/// command may have run in that folder before: nothing that lies there is used.
pub(super) fn make(scratch: &Path) -> Result<Fifos, AppError> {
    let name = taffrail_domain::hex(&crate::context::random::<8>()?);
    let folder = scratch.join(format!("taffrail-{name}"));
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: rustix::io::Errno| AppError::Write {
            path,
            source: error.into(),
        }
    };
    let place = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let below = rustix::fs::open(scratch, place, Mode::empty()).map_err(failed(scratch))?;
    let base = folder.file_name().unwrap_or_default();
    rustix::fs::mkdirat(&below, base, Mode::RWXU).map_err(failed(&folder))?;
    let held = rustix::fs::openat(&below, base, place, Mode::empty()).map_err(failed(&folder))?;
    let slots = (0..SLOTS).map(|slot| {
        let (requests, answers) = (requests(slot), answers(slot));
        let requests = end(&held, &requests, OFlags::RDONLY).map_err(failed(&folder))?;
        let first = requests().map_err(|source| AppError::Write {
            path: folder.clone(),
            source,
        })?;
        Ok(BrokerSlot {
            first,
            requests,
            answers: end(&held, &answers, OFlags::WRONLY).map_err(failed(&folder))?,
        })
    });
    let slots = slots.collect::<Result<_, AppError>>()?;
    Ok(Fifos { folder, slots })
}

/// Makes a FIFO, and what opens this end of it.
#[cfg(target_os = "linux")]
fn end(folder: &OwnedFd, name: &str, way: OFlags) -> rustix::io::Result<OpenEnd> {
    rustix::fs::mknodat(folder, name, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
    let hold = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = rustix::fs::openat(folder, name, hold, Mode::empty())?;
    Ok(Box::new(move || {
        // Leads to what is held, whatever the name leads to by now.
        let place = format!("/proc/self/fd/{}", held.as_raw_fd());
        let how = way | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = rustix::fs::open(place, how, Mode::empty());
        opened.map(File::from).map_err(io::Error::from)
    }))
}

/// Elsewhere nothing holds a FIFO without being one of its ends.
#[cfg(not(target_os = "linux"))]
fn end(_: &OwnedFd, _: &str, _: OFlags) -> rustix::io::Result<OpenEnd> {
    Err(rustix::io::Errno::NOTSUP)
}
