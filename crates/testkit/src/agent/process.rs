//! What the agent does to its own process: signals that it does not heed, children that outlive it, pipes that it closes.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::Signal;
use serde_json::json;

use super::Stop;
use super::play::Player;
use super::port::LIFETIME;

/// The first argument of a child that stays around.
pub(super) const LINGER: &str = "linger";

/// SIGTERM, SIGINT and SIGHUP are nothing to it from now on.
pub(super) fn ignore_term() -> Result<(), Stop> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        let never_read = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal, never_read)
            .map_err(|error| format!("signal {signal}: {error}"))?;
    }
    Ok(())
}

/// Sends `signal` to itself and waits for it to work.
pub(super) fn kill_self(signal: i32) -> Result<(), Stop> {
    let signal = Signal::from_named_raw(signal).ok_or_else(|| format!("no signal: {signal}"))?;
    // Twice: the first SIGSEGV or SIGBUS only takes the handler away that every Rust program has for them.
    for _ in 0..2 {
        rustix::process::kill_process(rustix::process::getpid(), signal)
            .map_err(|error| Stop::Wrong(error.to_string()))?;
    }
    std::thread::sleep(LIFETIME);
    Ok(())
}

/// A grandchild in a session of its own that holds the agent's pipes, heeds no signal but KILL and reads nothing. Its
/// arguments end in the folder of the session, so that a test can find it.
pub(super) fn daemonise(player: &Player) -> Result<(), Stop> {
    let folder = player.scope.get("cwd").unwrap_or_default();
    let tag = folder.as_str().unwrap_or("-").to_owned();
    let status = itself()?
        .args([LINGER, "child", &tag])
        .stdin(Stdio::inherit())
        .status()
        .map_err(|error| format!("daemonise: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("daemonise: {status}").into()),
    }
}

/// Both halves of [`daemonise`]: the child that starts the grandchild and ends, and the grandchild that stays.
pub(super) fn linger(args: &[String]) -> ExitCode {
    match args {
        [role, tag] if role == "child" => {
            let started = itself().map(|mut one| one.args([LINGER, "grandchild", tag]).spawn());
            match started {
                Ok(Ok(_)) => ExitCode::SUCCESS,
                _ => ExitCode::FAILURE,
            }
        }
        _ => {
            // Fails only for the leader of a group, which a child of a child is not.
            rustix::process::setsid().ok();
            if ignore_term().is_err() {
                return ExitCode::FAILURE;
            }
            std::thread::sleep(LIFETIME);
            ExitCode::SUCCESS
        }
    }
}

/// Closes a pipe for good. A program cannot give away its own descriptors without `unsafe`, so a shell closes it and
/// becomes this program again, which goes on behind the command under way. What was read and not asked for is gone.
pub(super) fn close(player: &Player, stream: &str) -> Result<(), Stop> {
    let redirection = match stream {
        "stdin" => "0<&-",
        "stdout" => "1>&-",
        "stderr" => "2>&-",
        other => return Err(format!("no stream: {other}").into()),
    };
    let next = player.scope.get("at")?.as_u64().unwrap_or(0) + 1;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", &format!("exec \"$0\" \"$@\" {redirection}")])
        .arg(program)
        .args(["--inline", &player.script, "--from", &next.to_string()]);
    let known = json!({"values": player.scope.all(), "requests": player.requests});
    shell.args(["--known", &known.to_string()]);
    Err(Stop::Wrong(format!("close: {}", shell.exec())))
}

fn itself() -> Result<Command, Stop> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(Command::new(program))
}
