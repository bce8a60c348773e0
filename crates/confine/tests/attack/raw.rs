//! System calls by number: an attacker has no wrappers.

/// Zero or more, or the error number.
pub type Answer = Result<(), i32>;

/// Makes the call; pointers are passed as numbers and must stay valid until it returns.
pub fn call(number: libc::c_long, args: [usize; 6]) -> Result<usize, i32> {
    let [a, b, c, d, e, f] = args;
    // SAFETY: this is the attack program of the tests: each caller passes numbers, null, or the address of a value that
    // lives on its stack until the call has returned.
    let answer = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    if answer < 0 {
        Err(errno())
    } else {
        Ok(usize::try_from(answer).unwrap())
    }
}

/// The last error number.
pub fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap()
}

/// The error number of a library call.
#[allow(clippy::needless_pass_by_value)] // it is handed to `map_err` as it is
pub fn number(error: std::io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

/// Only success counts.
pub fn done<T>(answer: Result<T, i32>) -> Answer {
    answer.map(drop)
}

/// The address of a value as a number.
pub fn at<T: ?Sized>(value: &T) -> usize {
    std::ptr::from_ref(value).cast::<u8>() as usize
}

/// Whether the kernel let the call through to the point where it complains about something else.
pub fn reached<T>(answer: Result<T, i32>, complaint: i32) -> Answer {
    match answer.err() {
        Some(errno) if errno != complaint => Err(errno),
        Some(_) | None => Ok(()),
    }
}
