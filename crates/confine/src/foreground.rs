//! A program of the person's own choice in the foreground, with their terminal and their whole environment: the
//! editor of `taffrail config edit`. Nothing of an agent's or of a project's is ever started this way.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use taffrail_domain::Ended;

use crate::env::ChildEnv;

/// Starts the program, waits for its end. Standard streams are inherited.
///
/// # Errors
/// The kernel's answer where it could not be started.
pub fn run(program: &Path, args: &[OsString], env: &ChildEnv) -> io::Result<Ended> {
    let status = Command::new(program)
        .args(args)
        .env_clear()
        .envs(env.vars())
        .status()?;
    let signal = status.signal().unwrap_or_default();
    Ok(status
        .code()
        .map_or(Ended::Signalled(signal), Ended::Exited))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_is_told() {
        let shell = |script: &str| {
            run(
                Path::new("/bin/sh"),
                &["-c".into(), script.into()],
                &ChildEnv::cleared(),
            )
        };
        assert_eq!(shell("exit 3").unwrap(), Ended::Exited(3));
        assert_eq!(shell("kill -9 $$").unwrap(), Ended::Signalled(9));
    }
}
