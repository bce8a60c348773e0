//! From the warden to the child: fork, a process group of its own, the terminal, exec.

use std::ffi::{CString, OsString};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use super::signals;
use super::wire::{Failure, Job, Step};

/// Runs a file without `#!` line, as every shell does.
const SHELL: &std::ffi::CStr = c"/bin/sh";

/// What exec needs, made before the fork.
struct Program {
    path: CString,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    directory: CString,
}

impl Program {
    fn of(job: Job) -> Result<Self, Failure> {
        let text = |bytes: OsString| CString::new(bytes.into_vec());
        let pair = |(mut name, value): (Vec<u8>, Vec<u8>)| {
            name.push(b'=');
            name.extend(value);
            CString::new(name)
        };
        let made = || -> Result<Self, std::ffi::NulError> {
            Ok(Self {
                path: text(job.program)?,
                arguments: job.argv.into_iter().map(text).collect::<Result<_, _>>()?,
                environment: job.env.into_iter().map(pair).collect::<Result<_, _>>()?,
                directory: text(job.cwd)?,
            })
        };
        made().map_err(|_| Failure::Start(Step::Execute, libc::EINVAL))
    }
}

/// Starts the child and returns when its program runs, or did not. `terminal` is the run's terminal.
pub(super) fn start(job: Job, terminal: Option<BorrowedFd<'_>>) -> Result<Pid, Failure> {
    let program = Program::of(job)?;
    let failed = |error: Errno| Failure::Start(Step::Fork, error.raw_os_error());
    let (read, write) =
        rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(failed)?;
    let warden = rustix::process::getpid();
    // SAFETY: this process has one thread, so the copy may do whatever the original may.
    let pid = unsafe { libc::fork() };
    match Pid::from_raw(pid) {
        None => become_child(&program, terminal, warden, &write),
        Some(_) if pid < 0 => Err(failed(
            Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::AGAIN),
        )),
        Some(child) => {
            drop(write);
            answer(read).map_or(Ok(child), Err)
        }
    }
}

/// What the copy said before it became the program: nothing is good.
fn answer(read: OwnedFd) -> Option<Failure> {
    let mut bytes = [0; 5];
    std::fs::File::from(read).read_exact(&mut bytes).ok()?;
    let [step, number @ ..] = bytes;
    let step = match step {
        b'd' => Step::Directory,
        b't' => Step::Terminal,
        b'x' => Step::Execute,
        _ => Step::Fork,
    };
    Some(Failure::Start(step, i32::from_le_bytes(number)))
}

fn become_child(
    program: &Program,
    terminal: Option<BorrowedFd<'_>>,
    warden: Pid,
    tell: &OwnedFd,
) -> ! {
    let Err((step, number)) = prepare_and_execute(program, terminal, warden);
    let step = match step {
        Step::Fork => b'f',
        Step::Directory => b'd',
        Step::Terminal => b't',
        Step::Execute => b'x',
    };
    let [one, two, three, four] = number.to_le_bytes();
    if let Ok(tell) = tell.try_clone() {
        // If the warden is gone nobody is left to tell.
        crate::process::may_fail(
            std::fs::File::from(tell).write_all(&[step, one, two, three, four]),
        );
    }
    // SAFETY: ends the copy without running what the original has set up for its own end.
    unsafe { libc::_exit(126) }
}

type Failed = (Step, i32);

fn prepare_and_execute(
    program: &Program,
    terminal: Option<BorrowedFd<'_>>,
    warden: Pid,
) -> Result<std::convert::Infallible, Failed> {
    let at = |step| move |error: Errno| (step, error.raw_os_error());
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(at(Step::Fork))?;
    if rustix::process::getppid() != Some(warden) {
        // The warden died before the line above; its death signal will not come any more.
        return Err((Step::Fork, libc::ESRCH));
    }
    rustix::process::setpgid(None, None).map_err(at(Step::Fork))?;
    if let Some(terminal) = terminal {
        // Every signal is blocked here, SIGTTOU too, so that this works from the background.
        rustix::termios::tcsetpgrp(terminal, rustix::process::getpid())
            .map_err(at(Step::Terminal))?;
    }
    rustix::process::chdir(&*program.directory).map_err(at(Step::Directory))?;
    close_on_exec_from_3();
    signals::reset_all();
    execute(program)
}

/// Every descriptor above the standard streams is closed when the program starts.
pub(super) fn close_on_exec_from_3() {
    let flags = libc::CLOSE_RANGE_CLOEXEC as libc::c_int;
    // SAFETY: closes nothing now, only marks; no descriptor of ours is meant to outlive exec without being unmarked.
    let done = unsafe { libc::close_range(3, libc::c_uint::MAX, flags) };
    if done == 0 {
        return;
    }
    // Before Linux 5.11 the flag is not known.
    for number in 3..1024 {
        // SAFETY: as above; a number that is not open answers EBADF.
        unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

fn execute(program: &Program) -> Result<std::convert::Infallible, Failed> {
    let environment = pointers(program.environment.iter().map(CString::as_c_str));
    let arguments = pointers(program.arguments.iter().map(CString::as_c_str));
    // SAFETY: all three are NUL-terminated and live until the call returns, which it does only if it fails.
    unsafe {
        libc::execve(
            program.path.as_ptr(),
            arguments.as_ptr(),
            environment.as_ptr(),
        )
    };
    let number = errno();
    if number == libc::ENOEXEC {
        let rest = program.arguments.iter().skip(1).map(CString::as_c_str);
        let arguments = pointers([SHELL, program.path.as_c_str()].into_iter().chain(rest));
        // SAFETY: as above.
        unsafe { libc::execve(SHELL.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    }
    Err((Step::Execute, number))
}

fn errno() -> i32 {
    io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EINVAL)
}

fn pointers<'a>(texts: impl Iterator<Item = &'a std::ffi::CStr>) -> Vec<*const libc::c_char> {
    let pointers = texts.map(std::ffi::CStr::as_ptr);
    pointers.chain(std::iter::once(std::ptr::null())).collect()
}

/// Lets the next program that is started inherit a descriptor. For the moment before exec.
pub(super) fn inherit(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    let flags = rustix::io::FdFlags::empty();
    Ok(rustix::io::fcntl_setfd(descriptor, flags)?)
}

/// Turns a number from the command line into a descriptor.
///
/// The two roles call it first of all, with numbers that their starter left open for them and nothing else owns.
pub(super) fn adopt(number: Option<i32>) -> Option<OwnedFd> {
    let number = number.filter(|number| *number > 2)?;
    // SAFETY: F_GETFD only looks.
    let is_open = unsafe { libc::fcntl(number, libc::F_GETFD) } >= 0;
    // SAFETY: it is open, and it was left open for this role: nothing in this fresh process has taken it.
    let owned = is_open.then(|| unsafe { std::os::fd::FromRawFd::from_raw_fd(number) });
    owned.inspect(|owned: &OwnedFd| debug_assert_eq!(owned.as_fd().as_raw_fd(), number))
}

/// Lets go of the child's standard streams, so that their ends are the child's and not ours.
pub(super) fn leave_streams() -> rustix::io::Result<()> {
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)
}
