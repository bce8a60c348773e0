//! Starting a tool: what the child is given, and what it is asked to do when we are gone.

use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{Tool, ToolError};

pub(super) fn command(tool: &Tool) -> Command {
    let mut command = Command::new(&tool.program);
    command
        .args(&tool.args)
        .env_clear()
        .envs(tool.env.vars())
        .current_dir(&tool.cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    die_with_this_thread(&mut command);
    command
}

/// Asks the kernel to kill the child when the thread that starts it ends.
#[cfg(target_os = "linux")]
fn die_with_this_thread(command: &mut Command) {
    let parent = std::process::id();
    let ask = move || {
        // SAFETY: two system calls without pointers to memory, no allocation, no lock: allowed between fork and exec.
        let (asked, now) = unsafe {
            let asked = libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
            (asked, libc::getppid())
        };
        if asked != 0 {
            return Err(io::Error::last_os_error());
        }
        // The parent may have died before the request was made; then no signal comes.
        if u32::try_from(now).ok() == Some(parent) {
            Ok(())
        } else {
            Err(io::Error::from_raw_os_error(libc::ESRCH))
        }
    };
    // SAFETY: the closure is async-signal-safe, as said above; it captures one number.
    unsafe { command.pre_exec(ask) };
}

/// Nothing to ask here: a tool may outlive us until its own end.
#[cfg(not(target_os = "linux"))]
fn die_with_this_thread(_: &mut Command) {}

pub(super) fn start_error(program: String, cwd: &Path, source: io::Error) -> ToolError {
    if source.kind() != ErrorKind::NotFound {
        return ToolError::Start { program, source };
    }
    if cwd.is_dir() {
        ToolError::Missing { program }
    } else {
        ToolError::NoDirectory {
            program,
            path: cwd.to_owned(),
        }
    }
}

/// A handle that can be read when the child ended; none before Linux 5.3 and elsewhere.
#[cfg(target_os = "linux")]
pub(super) fn end_handle(child: &Child) -> Option<OwnedFd> {
    rustix::process::pidfd_open(
        rustix::process::Pid::from_child(child),
        rustix::process::PidfdFlags::empty(),
    )
    .ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end_handle(_: &Child) -> Option<OwnedFd> {
    None
}
