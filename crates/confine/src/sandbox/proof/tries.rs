//! The single attempts of the proof. Each gives the kernel's error number and leaves nothing behind.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::path::Path;

use super::{probe_file, sys};

pub(super) fn read(path: &Path) -> Result<(), i32> {
    File::open(path).map(drop).map_err(|why| number(&why))
}

/// Makes a file, writes a byte and removes it.
pub(super) fn create(directory: &Path) -> Result<(), i32> {
    let path = probe_file(directory);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .map_err(|why| number(&why))?;
    let wrote = file.write_all(b"x").map_err(|why| number(&why));
    std::fs::remove_file(&path).map_err(|why| number(&why))?;
    wrote
}

pub(super) fn write(path: &Path) -> Result<(), i32> {
    let mut file = OpenOptions::new()
        .write(true)
        .open(path)
        .map_err(|why| number(&why))?;
    file.write_all(b"x").map_err(|why| number(&why))
}

pub(super) fn run() -> Result<(), i32> {
    let programs = [
        c"/usr/bin/true",
        c"/bin/true",
        c"/run/current-system/sw/bin/true",
    ];
    for program in programs {
        if Path::new(&*program.to_string_lossy()).exists() {
            return match sys::run(program)? {
                0 => Ok(()),
                _ => Err(libc::ENOEXEC),
            };
        }
    }
    Err(libc::ENOENT)
}

pub(super) fn socket(family: i32, kind: i32, protocol: i32) -> Result<OwnedFd, i32> {
    // SAFETY: three numbers go in, and a descriptor that nothing else owns comes out.
    let at = unsafe { libc::socket(family, kind | libc::SOCK_CLOEXEC, protocol) };
    if at < 0 {
        return Err(sys::last_error());
    }
    // SAFETY: `at` was opened by the line above.
    Ok(unsafe { OwnedFd::from_raw_fd(at) })
}

/// Connects without waiting: a refusal comes at once, and a listener far away is not waited for.
pub(super) fn connect((host, port): (Ipv4Addr, u16)) -> Result<(), i32> {
    let tcp = socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_NONBLOCK, 0)?;
    let address = SocketAddrV4::new(host, port);
    rustix::net::connect(&tcp, &address).map_err(rustix::io::Errno::raw_os_error)
}

/// Connects to a port of the loopback, where the kernel answers for whoever listens.
pub(super) fn meet(port: u16) -> Result<(), i32> {
    let tcp = socket(libc::AF_INET, libc::SOCK_STREAM, 0)?;
    let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    rustix::net::connect(&tcp, &address).map_err(rustix::io::Errno::raw_os_error)
}

pub(super) fn fast_open(tcp: &OwnedFd, port: u16) -> Result<(), i32> {
    sys::fast_open(tcp.as_fd(), port)
}

/// On a socket that was never bound the kernel would pick a port.
pub(super) fn listen() -> Result<(), i32> {
    let tcp = socket(libc::AF_INET, libc::SOCK_STREAM, 0)?;
    rustix::net::listen(&tcp, 1).map_err(rustix::io::Errno::raw_os_error)
}

/// Signal 0 asks whether a signal could be sent. A parent outside the process namespace has no number: ESRCH.
pub(super) fn signal_parent() -> Result<(), i32> {
    match rustix::process::getppid() {
        Some(parent) => {
            rustix::process::test_kill_process(parent).map_err(rustix::io::Errno::raw_os_error)
        }
        None => Err(libc::ESRCH),
    }
}

/// Whether this descriptor would live on in a program that is started.
pub(super) fn stays_open(at: i32) -> bool {
    // SAFETY: the number came from this process's own list; the descriptor is borrowed for one call, and a stale number
    // makes that call fail.
    let borrowed = unsafe { BorrowedFd::borrow_raw(at) };
    rustix::io::fcntl_getfd(borrowed)
        .is_ok_and(|flags| !flags.contains(rustix::io::FdFlags::CLOEXEC))
}

/// The kernel's name of an error, as its manual pages write it.
pub(super) fn name(errno: i32) -> String {
    let known = [
        (libc::EACCES, "EACCES"),
        (libc::ECONNREFUSED, "ECONNREFUSED"),
        (libc::EEXIST, "EEXIST"),
        (libc::EFAULT, "EFAULT"),
        (libc::EINPROGRESS, "EINPROGRESS"),
        (libc::EINVAL, "EINVAL"),
        (libc::ENETUNREACH, "ENETUNREACH"),
        (libc::ENOENT, "ENOENT"),
        (libc::ENOSYS, "ENOSYS"),
        (libc::EPERM, "EPERM"),
        (libc::EROFS, "EROFS"),
        (libc::ESRCH, "ESRCH"),
    ];
    known
        .iter()
        .find(|(number, _)| *number == errno)
        .map_or_else(
            || io::Error::from_raw_os_error(errno).to_string(),
            |(_, name)| (*name).to_owned(),
        )
}

fn number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_03_without_a_sandbox_the_attempts_succeed_and_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert_eq!(read(&file), Ok(()));
        assert_eq!(create(folder.path()), Ok(()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(write(Path::new("/dev/null")), Ok(()));
        assert_eq!(run(), Ok(()));
        assert!(socket(libc::AF_UNIX, libc::SOCK_STREAM, 0).is_ok());
        assert!(socket(libc::AF_INET, libc::SOCK_DGRAM, 0).is_ok());
        assert_eq!(listen(), Ok(()));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let here = (Ipv4Addr::LOCALHOST, port);
        assert!(matches!(connect(here), Ok(()) | Err(libc::EINPROGRESS)));
        assert_eq!(meet(port), Ok(()));
        drop(listener);
        assert_eq!(meet(port), Err(libc::ECONNREFUSED));
    }

    #[test]
    fn cnf_03_a_descriptor_without_close_on_exec_is_found() {
        use std::os::fd::AsRawFd;
        let file = File::open("/dev/null").unwrap();
        assert!(!stays_open(file.as_raw_fd()));
        rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
        assert!(stays_open(file.as_raw_fd()));
        assert!(!stays_open(9_999));
    }
}
