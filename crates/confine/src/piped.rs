//! A program on two pipes, in a process group of its own: `taffrail demo` speaks with a server of this very program this
//! way, `taffrail acp` with the MCP servers of an editor. Nothing of its group outlives the value.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::env::ChildEnv;

/// A program whose standard input and output are pipes of ours. Its talk goes where ours goes.
pub struct Piped {
    child: Child,
    /// Reaped: its number may name another process from now on.
    is_over: bool,
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
            .process_group(0)
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let started = Self {
            child,
            is_over: false,
        };
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
        let status = self.child.wait()?;
        self.is_over = true;
        Ok(status.success())
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // A group that is gone is no error, and nobody is left to hear of another.
        kill_process_group(Pid::from_child(&self.child), Signal::KILL).ok();
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

    #[test]
    fn what_it_started_does_not_outlive_its_value_either() {
        let here = Environment::new(std::env::vars_os());
        let env = ChildEnv::allowed(&here);
        // The output ends when the last of the group is gone.
        let args = ["-c", "sleep 600 & echo up; wait"].map(OsString::from);
        let (piped, _input, mut output) =
            Piped::start(Path::new("/bin/sh"), &args, &env, Path::new("/")).unwrap();
        let mut up = [0; 3];
        output.read_exact(&mut up).unwrap();
        drop(piped);
        let mut said = Vec::new();
        output.read_to_end(&mut said).unwrap();
        assert!(said.is_empty());
    }
}
