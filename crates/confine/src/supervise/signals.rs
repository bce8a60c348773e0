//! Signals as something to poll: taken over for a while in Taffrail, blocked for good in supervisor and warden.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::pipe::PipeFlags;

/// What Taffrail takes over while a run goes on.
const TAKEN: [i32; 8] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGTSTP,
    libc::SIGCONT,
    libc::SIGWINCH,
    libc::SIGCHLD,
];

/// Those that an ordinary program leaves alone if it was started with them ignored (`nohup`, a shell without job control).
const RESPECTED: [i32; 5] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGTSTP,
];

/// Runs of one process at the same time.
const MOST_RUNS: usize = 16;

/// Write ends of the pipes of every run; -1 is free. Read by the handler, so atomics and nothing else.
static PIPES: [AtomicI32; MOST_RUNS] = [const { AtomicI32::new(-1) }; MOST_RUNS];

/// How the first run found each signal; the last one puts it back.
static FOUND: Mutex<Found> = Mutex::new(Found {
    runs: 0,
    actions: Vec::new(),
});

struct Found {
    runs: usize,
    actions: Vec<(i32, libc::sigaction)>,
}

/// The signals of one run. Everything is as it was found when the last one is dropped.
pub(super) struct Taken {
    read: OwnedFd,
    write: OwnedFd,
    slot: usize,
}

impl Taken {
    /// Takes the signals over.
    pub(super) fn take() -> io::Result<Self> {
        let (read, write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let mut found = found();
        let free = |slot: &&AtomicI32| slot.load(Ordering::Acquire) < 0;
        let slot = PIPES
            .iter()
            .position(|slot| free(&slot))
            .ok_or_else(|| io::Error::other("16 runs go on in this process already"))?;
        store(slot, write.as_raw_fd());
        found.runs += 1;
        if found.runs == 1 {
            found.actions = TAKEN.iter().filter_map(|signal| install(*signal)).collect();
        }
        Ok(Self { read, write, slot })
    }

    /// The signals that came since the last call, each at most once.
    pub(super) fn pending(&self) -> Vec<i32> {
        let mut numbers = [0; 256];
        let count = rustix::io::read(&self.read, &mut numbers).unwrap_or(0);
        let came = numbers.get(..count).unwrap_or_default();
        let came = |signal: &i32| came.iter().any(|number| i32::from(*number) == *signal);
        TAKEN.into_iter().filter(came).collect()
    }
}

impl AsFd for Taken {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.read.as_fd()
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut found = found();
        found.runs -= 1;
        if found.runs == 0 {
            for (signal, action) in std::mem::take(&mut found.actions) {
                set_action(signal, &action);
            }
        }
        // After the handler is gone or looks elsewhere: the descriptor closes when `write` drops, right after this.
        store(self.slot, -1);
        debug_assert!(self.write.as_raw_fd() >= 0);
    }
}

fn found() -> std::sync::MutexGuard<'static, Found> {
    FOUND
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn store(slot: usize, descriptor: RawFd) {
    if let Some(slot) = PIPES.get(slot) {
        slot.store(descriptor, Ordering::Release);
    }
}

/// Writes the signal's number into the pipe of every run.
extern "C" fn note(signal: i32) {
    let number = signal.to_le_bytes();
    // SAFETY: errno's place is this thread's own and always valid.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errno };
    for slot in &PIPES {
        let descriptor = slot.load(Ordering::Acquire);
        if descriptor >= 0 {
            // SAFETY: write(2) may be called in a handler; the bytes live on this stack. A full pipe loses a
            // number, but then one is still waiting to be read.
            unsafe { libc::write(descriptor, number.as_ptr().cast(), 1) };
        }
    }
    // SAFETY: as above; the interrupted code sees the errno it had.
    unsafe { *errno = before };
}

/// Puts the handler in and returns what was there; `None` where an ignored signal stays ignored.
fn install(signal: i32) -> Option<(i32, libc::sigaction)> {
    let before = action(signal)?;
    if RESPECTED.contains(&signal) && before.sa_sigaction == libc::SIG_IGN {
        return None;
    }
    let mut own = empty_action();
    own.sa_sigaction = note as extern "C" fn(i32) as usize;
    // No SA_RESTART: a write to a terminal that nobody reads must return to the loop.
    set_action(signal, &own);
    Some((signal, before))
}

/// Stops this process group as Ctrl-Z does, and returns when it goes on; at once where stopping is impossible
/// (started with SIGTSTP ignored, or no shell that could continue it).
pub(super) fn stop_own_group() {
    let before = action(libc::SIGTSTP);
    let is_ignored = before.is_none_or(|action| action.sa_sigaction == libc::SIG_IGN);
    if is_ignored {
        return;
    }
    // The others of the group first. Sent to ourselves that way, it would go to whichever thread the kernel likes, and
    // this one might put the handler back before the stop.
    let mut ignore = empty_action();
    ignore.sa_sigaction = libc::SIG_IGN;
    set_action(libc::SIGTSTP, &ignore);
    let sent = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
    crate::process::may_fail(sent);
    set_action(libc::SIGTSTP, &empty_action());
    // SAFETY: a signal to the calling thread, which is there. It stops the whole process before this returns.
    unsafe { libc::pthread_kill(libc::pthread_self(), libc::SIGTSTP) };
    if let Some(before) = before {
        set_action(libc::SIGTSTP, &before);
    }
}

/// While this lives, the calls that set a terminal do not stop a process in the background.
pub(super) struct NoTerminalStop(Option<libc::sigaction>);

impl NoTerminalStop {
    pub(super) fn begin() -> Self {
        let before = action(libc::SIGTTOU);
        let mut ignore = empty_action();
        ignore.sa_sigaction = libc::SIG_IGN;
        set_action(libc::SIGTTOU, &ignore);
        Self(before)
    }
}

impl Drop for NoTerminalStop {
    fn drop(&mut self) {
        if let Some(before) = self.0 {
            set_action(libc::SIGTTOU, &before);
        }
    }
}

fn empty_action() -> libc::sigaction {
    // SAFETY: all zeroes is a valid `sigaction`: the default action, an empty mask, no flags.
    unsafe { std::mem::zeroed() }
}

fn action(signal: i32) -> Option<libc::sigaction> {
    let mut found = empty_action();
    // SAFETY: both pointers are valid or null; this only reads.
    let done = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut found) };
    (done == 0).then_some(found)
}

fn set_action(signal: i32, action: &libc::sigaction) {
    // SAFETY: the handlers that are ever put in are `note`, which is async-signal-safe, and those found before.
    // The only errors are a bad pointer and a signal that cannot be caught; neither is passed.
    unsafe { libc::sigaction(signal, action, std::ptr::null_mut()) };
}

/// Every signal as a fresh program has it: default action, nothing blocked. For the moment before exec.
pub(super) fn reset_all() {
    for signal in 1..=64_i64 {
        // As the kernel knows it: action, flags, restorer, mask. All zeroes is the default everywhere.
        let default = [0_u64; 8];
        let none = std::ptr::null_mut::<u64>();
        // SAFETY: the structure is 32 bytes at most and only read; the set has 8 bytes on every Linux. The library's
        // own call refuses 32 and 33, which are its own in a threaded program; the next program starts anew. KILL and
        // STOP answer EINVAL and are default anyway.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                default.as_ptr(),
                none,
                8_usize,
            )
        };
    }
    set_mask(false);
}

/// Blocks everything and returns a descriptor that tells of these signals.
pub(super) fn blocked(told: &[i32]) -> io::Result<OwnedFd> {
    set_mask(true);
    let mut set = full_or_empty(false);
    for signal in told {
        // SAFETY: the set was initialised above, and the numbers are of the fixed list of the callers.
        unsafe { libc::sigaddset(&raw mut set, *signal) };
    }
    // SAFETY: a new descriptor is asked for (-1), with a valid set.
    let descriptor =
        unsafe { libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// The numbers that wait at a descriptor of [`blocked`].
pub(super) fn drain(descriptor: &OwnedFd) -> Vec<i32> {
    const SIZE: usize = size_of::<libc::signalfd_siginfo>();
    let mut bytes = [0_u8; SIZE * 16];
    let count = rustix::io::read(descriptor, &mut bytes).unwrap_or(0);
    let records = bytes.get(..count).unwrap_or_default().chunks_exact(SIZE);
    // The record begins with the number, in the machine's own order: signalfd(2).
    records
        .filter_map(|record| record.first_chunk::<4>())
        .map(|number| i32::from_ne_bytes(*number))
        .collect()
}

fn set_mask(block: bool) {
    let set = full_or_empty(block);
    // SAFETY: the set is initialised; changing this thread's mask cannot fail with SIG_SETMASK.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut()) };
}

fn full_or_empty(full: bool) -> libc::sigset_t {
    // SAFETY: all zeroes is valid memory for the set, and the call initialises it.
    let mut set = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    unsafe {
        if full {
            libc::sigfillset(&raw mut set)
        } else {
            libc::sigemptyset(&raw mut set)
        }
    };
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_05_signals_are_told_to_every_run_and_put_back() {
        let before = action(libc::SIGWINCH).unwrap().sa_sigaction;
        let first = Taken::take().unwrap();
        let second = Taken::take().unwrap();
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::WINCH)
            .unwrap();
        for taken in [&first, &second] {
            let mut set = [rustix::event::PollFd::new(
                taken,
                rustix::event::PollFlags::IN,
            )];
            let mut told = Vec::new();
            while !told.contains(&libc::SIGWINCH) {
                rustix::io::retry_on_intr(|| rustix::event::poll(&mut set, None)).unwrap();
                told.extend(taken.pending());
            }
            // Children of other tests end meanwhile.
            told.retain(|signal| *signal != libc::SIGCHLD);
            assert_eq!(told, [libc::SIGWINCH]);
        }
        drop(first);
        assert_ne!(action(libc::SIGWINCH).unwrap().sa_sigaction, before);
        drop(second);
        assert_eq!(action(libc::SIGWINCH).unwrap().sa_sigaction, before);
    }
}
