//! A program of ours on two pipes: `taffrail demo` speaks with a server of this very program this way. Nothing of it
//! outlives the value.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::env::ChildEnv;

/// A program whose standard input and output are pipes of ours. Its talk goes where ours goes.
pub struct Piped {
    child: Child,
}

impl Piped {
    /// Starts the program with this environment and nothing else; where to write to it, and where to read what it says.
    ///
    /// # Errors
    /// The kernel's answer.
    pub fn start(
        program: &Path,
        args: &[OsString],
        env: &ChildEnv,
        cwd: &Path,
    ) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        let mut child = Command::new(program)
            .args(args)
            .env_clear()
            .envs(env.vars())
            .current_dir(cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let started = Self { child };
        match (input, output) {
            (Some(input), Some(output)) => Ok((started, input, output)),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Waits for its end, which comes once its input is closed; whether it ended well.
    ///
    /// # Errors
    /// The kernel's answer.
    pub fn finish(mut self) -> io::Result<bool> {
        Ok(self.child.wait()?.success())
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        // One that ended is no error, and nobody is left to hear of another.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;
    use crate::env::Environment;

    fn cat() -> (Piped, ChildStdin, ChildStdout) {
        let here = Environment::new(std::env::vars_os());
        let env = ChildEnv::allowed(&here);
        Piped::start(Path::new("/bin/cat"), &[], &env, Path::new("/")).unwrap()
    }

    #[test]
    fn it_answers_until_its_input_ends() {
        let (piped, mut input, mut output) = cat();
        input.write_all(b"seed\n").unwrap();
        drop(input);
        let mut said = String::new();
        output.read_to_string(&mut said).unwrap();
        assert_eq!(said, "seed\n");
        assert!(piped.finish().unwrap());
    }

    #[test]
    fn it_does_not_outlive_its_value() {
        let (piped, input, mut output) = cat();
        drop(piped);
        let mut said = Vec::new();
        output.read_to_end(&mut said).unwrap();
        assert!(said.is_empty());
        drop(input);
    }
}
