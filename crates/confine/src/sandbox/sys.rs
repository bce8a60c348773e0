//! The few system calls that no safe wrapper offers. Only numbers and null pointers are passed, but for two structs.

use std::io;

/// The kernel's Landlock ABI; 0 where there is none.
pub(crate) fn landlock_abi() -> i32 {
    const VERSION: usize = 1; // LANDLOCK_CREATE_RULESET_VERSION
    call(libc::SYS_landlock_create_ruleset, [0, 0, VERSION])
        .ok()
        .and_then(|abi| i32::try_from(abi).ok())
        .unwrap_or(0)
}

/// Whether seccomp filters that kill the process are offered.
pub(crate) fn has_seccomp() -> bool {
    let action: u32 = libc::SECCOMP_RET_KILL_PROCESS;
    // SAFETY: the kernel reads four bytes from a live, aligned u32 and writes nothing.
    unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_GET_ACTION_AVAIL,
            0,
            &raw const action,
        ) == 0
    }
}

/// Whether the bounding set holds the capability of this number; unknown numbers are not held.
pub(crate) fn in_bounding_set(number: u32) -> bool {
    prctl(libc::PR_CAPBSET_READ, number as usize, 0) == Ok(1)
}

/// Removes the capability of this number from the bounding set.
pub(crate) fn drop_from_bounding_set(number: u32) -> io::Result<()> {
    prctl(libc::PR_CAPBSET_DROP, number as usize, 0)
        .map(drop)
        .map_err(io::Error::from_raw_os_error)
}

/// Whether the ambient set holds the capability of this number.
pub(crate) fn in_ambient_set(number: u32) -> bool {
    let ask = libc::PR_CAP_AMBIENT_IS_SET as usize;
    prctl(libc::PR_CAP_AMBIENT, ask, number as usize) == Ok(1)
}

/// Keeps other processes of this user from reading this one, until it runs another program.
pub(crate) fn hide_memory() -> io::Result<()> {
    prctl(libc::PR_SET_DUMPABLE, 0, 0)
        .map(drop)
        .map_err(io::Error::from_raw_os_error)
}

/// The mode of seccomp of this thread: 2 with a filter.
pub(crate) fn seccomp_mode() -> Result<i64, i32> {
    prctl(libc::PR_GET_SECCOMP, 0, 0)
}

fn prctl(option: i32, first: usize, second: usize) -> Result<i64, i32> {
    // SAFETY: the options used here take numbers only; unused arguments are zero, as the kernel demands.
    let answer = unsafe { libc::prctl(option, first, second, 0usize, 0usize) };
    if answer < 0 {
        Err(last_error())
    } else {
        Ok(i64::from(answer))
    }
}

/// A system call whose pointers are all null or that takes none: it can fail or answer, but touches no memory of ours.
pub(crate) fn call(number: libc::c_long, args: [usize; 3]) -> Result<i64, i32> {
    let [first, second, third] = args;
    // SAFETY: callers pass numbers and null pointers only, so the kernel neither reads nor writes our memory.
    let answer = unsafe { libc::syscall(number, first, second, third, 0usize, 0usize, 0usize) };
    if answer < 0 {
        Err(last_error())
    } else {
        Ok(answer)
    }
}

/// Sends nothing to a loopback port through TCP Fast Open, which connects past Landlock's port rules.
pub(crate) fn fast_open(socket: std::os::fd::BorrowedFd<'_>, port: u16) -> Result<(), i32> {
    use std::os::fd::AsRawFd;
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr {
            s_addr: u32::from(std::net::Ipv4Addr::LOCALHOST).to_be(),
        },
        sin_zero: [0; 8],
    };
    // SAFETY: the address is a live sockaddr_in and its size is passed; the data pointer is null with length 0.
    let answer = unsafe {
        libc::sendto(
            socket.as_raw_fd(),
            std::ptr::null(),
            0,
            libc::MSG_FASTOPEN,
            (&raw const address).cast(),
            size_of::<libc::sockaddr_in>() as libc::socklen_t,
        )
    };
    if answer < 0 {
        Err(last_error())
    } else {
        Ok(())
    }
}

/// Runs a program that needs no arguments in a child and gives its exit code; 127 where it cannot be run.
pub(crate) fn run(program: &std::ffi::CStr) -> Result<i32, i32> {
    let arguments = [program.as_ptr(), std::ptr::null()];
    let environment = [std::ptr::null::<libc::c_char>()];
    // SAFETY: the child of this single-threaded process only calls execve and _exit, both safe after fork; the arrays
    // are null-terminated and live until then.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: as above.
        unsafe {
            libc::execve(program.as_ptr(), arguments.as_ptr(), environment.as_ptr());
            libc::_exit(127);
        }
    }
    if child < 0 {
        return Err(last_error());
    }
    let mut status = 0;
    loop {
        // SAFETY: `status` is a live i32 that the kernel writes.
        if unsafe { libc::waitpid(child, &raw mut status, 0) } == child {
            break;
        }
        if last_error() != libc::EINTR {
            return Err(last_error());
        }
    }
    Ok(if libc::WIFEXITED(status) {
        libc::WEXITSTATUS(status)
    } else {
        128
    })
}

/// The error number of the last call of this thread.
pub(crate) fn last_error() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_03_a_wrapper_reports_the_kernels_answer() {
        assert_eq!(
            call(libc::SYS_getppid, [0; 3]),
            Ok(i64::from(std::os::unix::process::parent_id()))
        );
        assert_eq!(call(libc::SYS_close, [usize::MAX, 0, 0]), Err(libc::EBADF));
        assert!(!in_bounding_set(63));
        assert!(!in_ambient_set(0) || rustix::process::geteuid().is_root());
        assert!(seccomp_mode().is_ok());
    }

    #[test]
    fn cnf_03_a_program_is_run_and_its_exit_code_seen() {
        assert_eq!(run(c"/bin/true"), Ok(0));
        assert_eq!(run(c"/no/such/program"), Ok(127));
    }

    #[test]
    fn cnf_03_fast_open_reaches_a_listener_when_nothing_stops_it() {
        use std::os::fd::AsFd;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let socket = rustix::net::socket(
            rustix::net::AddressFamily::INET,
            rustix::net::SocketType::STREAM,
            None,
        )
        .unwrap();
        // EINPROGRESS or success where Fast Open is on, EOPNOTSUPP where an administrator turned it off.
        assert!(matches!(
            fast_open(socket.as_fd(), port),
            Ok(()) | Err(libc::EINPROGRESS | libc::EOPNOTSUPP)
        ));
    }
}
