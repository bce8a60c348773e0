use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::Mode;
use taffrail_domain::Ended;

use super::*;
use crate::env::Environment;

const LIMITS: ToolLimits = ToolLimits {
    time: Duration::from_secs(60),
    stdout: 16 << 20,
    stderr: 64 << 10,
};

/// Longer than anything here takes on a busy machine, short against what a test starts that is not to end by itself.
const LONG: Duration = Duration::from_secs(60);

fn tool(program: &str, args: &[&str]) -> Tool {
    Tool {
        program: PathBuf::from(program),
        args: args.iter().map(OsString::from).collect(),
        env: ChildEnv::cleared().set("PATH", "/usr/local/bin:/usr/bin:/bin"),
        cwd: PathBuf::from("/"),
        limits: LIMITS,
    }
}

fn shell(script: &str) -> Tool {
    tool("sh", &["-c", script])
}

fn with(mut tool: Tool, change: impl FnOnce(&mut ToolLimits)) -> Tool {
    change(&mut tool.limits);
    tool
}

/// A named pipe that tells when everybody who holds its other end is gone.
struct Lifeline {
    end: File,
    path: PathBuf,
    _dir: tempfile::TempDir,
}

impl Lifeline {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("line");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, Mode::from_raw_mode(0o600)).unwrap();
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let end = File::options()
            .read(true)
            .custom_flags(nonblocking)
            .open(&path)
            .unwrap();
        Self {
            end,
            path,
            _dir: dir,
        }
    }

    /// Whether within `most` everybody let go who had written `x` into it.
    fn is_let_go(&mut self, most: Duration) -> bool {
        let until = Instant::now() + most;
        let mut seen = Vec::new();
        loop {
            let mut fds = [PollFd::new(&self.end, PollFlags::IN)];
            // A signal that another test of this program takes over is none of ours.
            let ready = rustix::io::retry_on_intr(|| {
                let left = until.saturating_duration_since(Instant::now());
                rustix::event::poll(&mut fds, Some(&Timespec::try_from(left).unwrap()))
            });
            if ready.unwrap() == 0 {
                return false;
            }
            let mut piece = [0; 16];
            match self.end.read(&mut piece).unwrap() {
                0 => break,
                length => seen.extend_from_slice(&piece[..length]),
            }
        }
        assert_eq!(seen, b"x", "nobody ever held the line");
        true
    }

    fn hold(&self) -> String {
        format!("exec 9>'{}'; printf x >&9;", self.path.display())
    }
}

#[test]
fn gives_output_and_end() {
    let output = shell("cat; echo talk >&2; exit 3").run(b"data").unwrap();
    assert_eq!(output.stdout, b"data");
    assert_eq!(output.stderr, b"talk\n");
    assert_eq!(output.ended, Ended::Exited(3));
    let output = shell("kill -9 $$").run(b"").unwrap();
    assert_eq!(output.ended, Ended::Signalled(9));
}

#[test]
fn no_time_limit_is_too_long() {
    let patient = with(tool("true", &[]), |limits| limits.time = Duration::MAX);
    assert_eq!(patient.run(b"").unwrap().ended, Ended::Exited(0));
}

#[test]
fn cnf_04_s30_a_child_sees_only_the_list() {
    let secrets: Vec<String> = secret_names();
    assert_eq!(secrets.len(), 40);
    let planted = secrets.iter().map(|name| (name.into(), "planted".into()));
    let plain = [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/nowhere"),
        ("LC_ALL", "C"),
    ];
    let plain = plain.map(|(name, value)| (name.into(), value.into()));
    let operator = Environment::new(planted.chain(plain));

    let mut env = tool("env", &[]);
    env.env = ChildEnv::allowed(&operator);
    let seen = env.run(b"").unwrap().stdout;
    assert_eq!(
        String::from_utf8(seen).unwrap(),
        "HOME=/nowhere\nLC_ALL=C\nPATH=/usr/bin:/bin\n"
    );
    // The twin: without the list, `env` shows every one of them.
    env.env = ChildEnv::cleared().pass(&operator, &secrets);
    let seen = String::from_utf8(env.run(b"").unwrap().stdout).unwrap();
    assert_eq!(seen.matches("=planted\n").count(), 40);
}

fn secret_names() -> Vec<String> {
    let vendors = [
        "OPENAI",
        "ANTHROPIC",
        "GEMINI",
        "MISTRAL",
        "GROQ",
        "AZURE",
        "GITHUB",
        "GITLAB",
        "NPM",
        "STRIPE",
    ];
    let kinds = ["API_KEY", "TOKEN", "SECRET", "PASSWORD"];
    let name = |vendor: &str, kind: &str| format!("{vendor}_{kind}");
    vendors
        .iter()
        .flat_map(|vendor| kinds.map(|kind| name(vendor, kind)))
        .collect()
}

#[test]
fn nothing_of_ours_is_inherited() {
    let own = std::env::vars_os().count();
    assert!(own > 1, "the test needs an environment to hide");
    let mut env = tool("/usr/bin/env", &[]);
    env.env = ChildEnv::cleared();
    assert_eq!(env.run(b"").unwrap().stdout, b"");
}

#[test]
fn the_time_limit_kills_the_whole_group() {
    // On a busy machine the tool may not have come to its work within the first of the limits.
    let ended = [300, 3_000, 30_000].into_iter().find_map(|millis| {
        let mut line = Lifeline::new();
        let up = line.path.with_extension("up");
        let script = format!(
            "{} sleep 1000 & : >'{}'; sleep 1000; true",
            line.hold(),
            up.display()
        );
        let slow = with(shell(&script), |limits| {
            limits.time = Duration::from_millis(millis);
        });
        let before = Instant::now();
        let error = slow.run(b"").unwrap_err();
        let took = before.elapsed();
        assert!(took < slow.limits.time + LONG, "{took:?}");
        assert!(matches!(error, ToolError::TimedOut { .. }), "{error:?}");
        let limit = slow.limits.time;
        let words = format!("`sh` ran longer than {limit:?} and was killed");
        assert_eq!(error.to_string(), words);
        up.exists().then(|| line.is_let_go(LONG))
    });
    assert_eq!(ended, Some(true));
}

#[test]
fn fa_45_a_run_is_ended_from_outside_with_its_group_and_keeps_its_output() {
    let mut line = Lifeline::new();
    let up = line.path.with_extension("up");
    let script = format!(
        "echo begun; {} : >'{}'; sleep 600 & wait",
        line.hold(),
        up.display()
    );
    let output = shell(&script).run_while(&|| !up.exists()).unwrap();
    assert_eq!(
        (output.ended, &*output.stdout),
        (Ended::Signalled(9), &b"begun\n"[..])
    );
    assert!(line.is_let_go(LONG));
    // The twin: nobody ends it.
    let output = shell("echo begun").run_while(&|| true).unwrap();
    assert_eq!(
        (output.ended, &*output.stdout),
        (Ended::Exited(0), &b"begun\n"[..])
    );
}

#[test]
fn too_much_output_is_a_named_error() {
    let mut line = Lifeline::new();
    let script = format!("{} yes", line.hold());
    let error = with(shell(&script), |limits| limits.stdout = 100_000)
        .run(b"")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`sh` wrote more than 100000 bytes and was killed"
    );
    assert!(line.is_let_go(LONG));
    let exact = shell("head -c 100000 /dev/zero");
    let output = with(exact, |limits| limits.stdout = 100_000)
        .run(b"")
        .unwrap();
    assert_eq!(output.stdout.len(), 100_000);
}

#[test]
fn a_flood_of_stderr_is_bounded_and_watched() {
    let flood = shell("echo first >&2; head -c 20000000 /dev/zero >&2; echo last >&2; echo out");
    let mut heard = 0;
    let output = with(flood, |limits| limits.stderr = 1000)
        .watch(b"", &mut |bytes| heard += bytes.len())
        .unwrap();
    assert_eq!(heard, 20_000_000 + 6 + 5);
    assert_eq!(output.stdout, b"out\n");
    assert!(output.stderr.len() < 1100, "{}", output.stderr.len());
    assert!(output.stderr.starts_with(b"first\n"));
    assert!(output.stderr.ends_with(b"last\n"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("[19999011 bytes left out]"));
}

#[test]
fn a_grandchild_that_holds_the_pipe_does_not_hang_us() {
    let mut line = Lifeline::new();
    let script = format!("{} sleep 1000 & echo done", line.hold());
    let output = shell(&script).run(b"").unwrap();
    assert_eq!(output.stdout, b"done\n");
    assert_eq!(output.ended, Ended::Exited(0));
    assert!(line.is_let_go(LONG), "the leftover lives");
}

/// One that left the process group cannot be killed with it, but it is not waited for either.
#[test]
fn a_leftover_that_goes_on_writing_does_not_hang_us() {
    let before = Instant::now();
    let output = shell("setsid yes & setsid yes >&2 & exit 4")
        .run(b"")
        .unwrap();
    assert_eq!(output.ended, Ended::Exited(4));
    assert!(before.elapsed() < LONG, "{:?}", before.elapsed());
}

#[test]
fn input_larger_than_the_pipe_while_output_floods() {
    let data: Vec<u8> = (0..8_000_000_u32).map(|at| (at % 251) as u8).collect();
    let output = tool("cat", &[]).run(&data).unwrap();
    assert!(output.stdout == data);
    let unread = tool("true", &[]).run(&data).unwrap();
    assert_eq!(unread.ended, Ended::Exited(0));
}

#[test]
fn errors_name_what_is_missing() {
    let error = tool("taffrail-absent", &[]).run(b"").unwrap_err();
    assert_eq!(error.to_string(), "`taffrail-absent` was not found");
    let error = tool("/absent/git", &[]).run(b"").unwrap_err();
    assert_eq!(error.to_string(), "`/absent/git` was not found");
    let mut nowhere = tool("true", &[]);
    nowhere.cwd = Path::new("/absent").to_owned();
    let error = nowhere.run(b"").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`true` cannot run in `/absent`: there is no such directory"
    );
    let error = tool("/etc/passwd", &[]).run(b"").unwrap_err();
    assert!(matches!(error, ToolError::Start { .. }), "{error:?}");
    let mut odd = tool("true", &[]);
    odd.env = ChildEnv::cleared().set("A=B", "");
    let error = odd.run(b"").unwrap_err();
    assert!(matches!(error, ToolError::Environment { .. }), "{error:?}");
}

#[test]
fn a_session_answers_in_turn() {
    let mut session = tool("cat", &[]).session().unwrap();
    for round in 0..100 {
        let question = format!("round {round}\n");
        session.write_all(question.as_bytes()).unwrap();
        session.flush().unwrap();
        assert_eq!(session.read_until(b'\n', 100).unwrap(), question.as_bytes());
    }
    session.write_all(b"12345678").unwrap();
    assert_eq!(session.read_exact(3).unwrap(), b"123");
    assert_eq!(session.read_exact(0).unwrap(), b"");
    let output = session.finish().unwrap();
    assert_eq!(output.stdout, b"45678");
    assert_eq!(output.ended, Ended::Exited(0));
}

#[test]
fn a_session_does_not_block_on_a_blocked_tool() {
    let data = vec![b'a'; 4 << 20];
    let mut session = tool("cat", &[]).session().unwrap();
    session.write_all(&data).unwrap();
    assert!(session.read_exact(data.len()).unwrap() == data);
    session.finish().unwrap();

    let mut small = with(tool("cat", &[]), |limits| limits.stdout = 1000)
        .session()
        .unwrap();
    let error = small.write_all(&data).unwrap_err();
    assert!(
        matches!(error, ToolError::TooMuchOutput { limit: 1000, .. }),
        "{error:?}"
    );
}

#[test]
fn a_session_names_what_went_wrong() {
    let mut early = shell("echo why >&2; printf ab; exit 5").session().unwrap();
    assert_eq!(early.read_exact(2).unwrap(), b"ab");
    match early.read_exact(1).unwrap_err() {
        ToolError::EndedEarly { ended, stderr, .. } => {
            assert_eq!(ended, Ended::Exited(5));
            assert_eq!(stderr, b"why\n");
        }
        other => panic!("{other:?}"),
    }
    let mut endless = tool("cat", &["/dev/zero"]).session().unwrap();
    let error = endless.read_until(b'\n', 5000).unwrap_err();
    assert!(
        matches!(error, ToolError::TooMuchOutput { limit: 5000, .. }),
        "{error:?}"
    );
    let silent = with(tool("sleep", &["1000"]), |limits| {
        limits.time = Duration::from_millis(50);
    });
    let error = silent.session().unwrap().read_exact(1).unwrap_err();
    assert!(matches!(error, ToolError::TimedOut { .. }), "{error:?}");
}

#[test]
fn a_dropped_session_leaves_nothing() {
    let mut line = Lifeline::new();
    let script = format!("{} echo; sleep 1000 & sleep 1000; true", line.hold());
    let mut session = shell(&script).session().unwrap();
    session.read_until(b'\n', 10).unwrap();
    drop(session);
    assert!(line.is_let_go(LONG));
}

/// As when taffrail is killed: nothing of ours runs, the kernel ends the tool.
#[cfg(target_os = "linux")]
#[test]
fn a_tool_dies_with_the_thread_that_started_it() {
    let mut line = Lifeline::new();
    let script = format!("{} echo; exec sleep 1000", line.hold());
    let starter = std::thread::spawn(move || {
        let mut session = shell(&script).session().unwrap();
        session.read_until(b'\n', 10).unwrap();
        std::mem::forget(session);
    });
    starter.join().unwrap();
    assert!(line.is_let_go(LONG));
}

/// The twin: a child that was not asked to die lives on after its thread.
#[test]
fn twin_without_the_request_it_lives_on() {
    let mut line = Lifeline::new();
    let script = format!("{} echo; exec sleep 1000", line.hold());
    let starter = std::thread::spawn(move || {
        let mut child = std::process::Command::new("sh")
            .args(["-c", &script])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0];
        child.stdout.take().unwrap().read_exact(&mut ready).unwrap();
        child
    });
    let mut child = starter.join().unwrap();
    assert!(child.try_wait().unwrap().is_none());
    assert!(!line.is_let_go(Duration::from_millis(200)));
    child.kill().unwrap();
    child.wait().unwrap();
}
