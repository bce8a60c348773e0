//! Starting this program again as the warden and attacker of one attempt, and reading what came of it.

use std::io::{IsTerminal, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use taffrail_confine::sandbox::{Canary, Policy, bwrap_args, layers};
use taffrail_domain::{Enforcement, Layer, Net, Probe, Rung};

use super::raw::Answer;
use super::world::Target;

/// What the attacker is to do.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// Enter the sandbox (unless the rung is none) and try the row of this name.
    Try(String),
    /// Try the row of this name with nothing in force but this layer.
    TryUnder(Layer, String),
    /// Put every layer but this one in force and tell what the proof says.
    Prove(Skip),
    /// Enter and tell what is enforced.
    Enter,
    /// Enter with a second thread running.
    EnterThreaded,
    /// Take the terminal at descriptor 2, enter, and run this text with a shell on it.
    Terminal(String),
    /// Enter and run this text with a shell.
    Shell(String),
}

/// The layer that is left out.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skip {
    Nothing,
    Capabilities,
    Landlock,
    Seccomp,
}

/// What came of it.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
pub enum Told {
    Tried(Answer),
    Proved(Vec<Probe>),
    Entered(Enforcement, u64),
    Failed(String),
    /// How the shell ended, and what it wrote to its standard error.
    Ran(Option<i32>, String),
    /// The kernel killed the attacker with this signal.
    Killed(i32),
}

/// The argument that makes this program the attacker.
pub const ATTACKER: &str = "__attack";

/// A policy over the target's box.
pub fn policy(target: &Target, rung: Rung, net: Net) -> Policy {
    let mut policy = Policy::common(rung, &target.boxed, &target.checkout).unwrap();
    policy.bwrap = (rung == Rung::Full).then(|| PathBuf::from("/usr/bin/bwrap"));
    policy.net = net;
    policy.outside.port = target.other;
    policy.canaries = vec![
        Canary::Unreadable(target.home.join(".taffrail/taffrail.db")),
        Canary::Unreadable(target.home.join(".bashrc")),
        Canary::Uncreatable(target.project.clone()),
    ];
    policy
}

/// Starts the attacker: inside bubblewrap's view when the policy is for the full rung and `view` is wanted.
pub fn launch(policy: &Policy, target: &Target, order: &Order, view: bool) -> Told {
    let mut command = command(policy, view);
    run(command.stderr(Stdio::piped()), policy, target, order)
}

/// The same with a new terminal as its standard error.
pub fn launch_on_terminal(policy: &Policy, target: &Target, order: &Order) -> Told {
    use rustix::pty;
    let flags = pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY | pty::OpenptFlags::CLOEXEC;
    let master = pty::openpt(flags).unwrap();
    pty::unlockpt(&master).unwrap();
    let other = pty::ioctl_tiocgptpeer(&master, flags).unwrap();
    run(command(policy, true).stderr(other), policy, target, order)
}

fn command(policy: &Policy, view: bool) -> Command {
    let own = std::env::current_exe().unwrap();
    let mut command = if policy.rung == Rung::Full && view {
        let line = bwrap_args(policy, &own).unwrap();
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]);
        command
    } else {
        Command::new(&own)
    };
    command.arg(ATTACKER);
    command
}

fn run(command: &mut Command, policy: &Policy, target: &Target, order: &Order) -> Told {
    let mut child = command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .current_dir(Path::new("/"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let blob = serde_json::to_vec(&(policy, target, order)).unwrap();
    child.stdin.take().unwrap().write_all(&blob).unwrap();
    let output = child.wait_with_output().unwrap();
    // bubblewrap passes a signal on as 128 and its number.
    let code = output.status.code();
    let passed = code.filter(|code| *code > 128).map(|code| code - 128);
    match (
        serde_json::from_slice(&output.stdout),
        output.status.signal().or(passed),
    ) {
        (Ok(told), None) => told,
        (_, Some(signal)) => Told::Killed(signal),
        (Err(_), None) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Told::Failed(format!("{} {said}", output.status))
        }
    }
}

/// The attacker's whole life.
pub fn attacker() {
    // An attempt that hangs is ended by its own alarm, not by the one who waits for it.
    super::raw::call(libc::SYS_alarm, [20, 0, 0, 0, 0, 0]).unwrap();
    let (policy, target, order): (Policy, Target, Order) =
        serde_json::from_reader(std::io::stdin()).unwrap();
    let told = obey(&policy, &target, &order);
    println!("{}", serde_json::to_string(&told).unwrap());
}

fn obey(policy: &Policy, target: &Target, order: &Order) -> Told {
    match order {
        Order::Try(name) => {
            if policy.rung != Rung::None
                && let Err(why) = taffrail_confine::sandbox::enter(policy)
            {
                return Told::Failed(why.to_string());
            }
            Told::Tried((super::rows::find(name).act)(target))
        }
        Order::TryUnder(layer, name) => {
            under(policy, *layer);
            Told::Tried((super::rows::find(name).act)(target))
        }
        Order::Prove(skip) => prove(policy, *skip),
        Order::Enter => enter(policy),
        Order::Terminal(text) => {
            rustix::process::setsid().unwrap();
            rustix::process::ioctl_tiocsctty(rustix::stdio::stderr()).unwrap();
            obey(policy, target, &Order::Shell(text.clone()))
        }
        Order::Shell(text) => match taffrail_confine::sandbox::enter(policy) {
            Ok(_) => shell(text, policy),
            Err(why) => Told::Failed(why.to_string()),
        },
        Order::EnterThreaded => {
            let (hold, held) = std::sync::mpsc::channel::<()>();
            let other = std::thread::spawn(move || held.recv());
            let told = enter(policy);
            drop(hold);
            drop(other.join());
            told
        }
    }
}

/// The view is there already, or it is not.
fn under(policy: &Policy, layer: Layer) {
    match layer {
        // Capabilities go with it: a process that holds some is excepted from parts of it.
        Layer::Landlock => {
            layers::capabilities().unwrap();
            layers::landlock(policy).unwrap();
        }
        Layer::Seccomp => layers::seccomp(policy).unwrap(),
        Layer::Bubblewrap => {}
    }
}

fn shell(text: &str, policy: &Policy) -> Told {
    let ran = Command::new("/bin/sh")
        .args(["-euc", text])
        .env("HOME", policy.boxed.join("home"))
        .env("TMPDIR", policy.boxed.join("tmp"))
        .stdin(Stdio::null())
        .stderr(if std::io::stderr().is_terminal() {
            Stdio::inherit()
        } else {
            Stdio::piped()
        })
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    Told::Ran(ran.status.code(), said)
}

fn enter(policy: &Policy) -> Told {
    let start = std::time::Instant::now();
    match taffrail_confine::sandbox::enter(policy) {
        Ok(enforcement) => {
            let micros = u64::try_from(start.elapsed().as_micros()).unwrap();
            Told::Entered(enforcement, micros)
        }
        Err(why) => Told::Failed(why.to_string()),
    }
}

fn prove(policy: &Policy, skip: Skip) -> Told {
    let before = layers::Before::look(policy).unwrap();
    if skip != Skip::Capabilities {
        layers::capabilities().unwrap();
    }
    if skip != Skip::Landlock {
        layers::landlock(policy).unwrap();
    }
    if skip != Skip::Seccomp {
        layers::seccomp(policy).unwrap();
    }
    Told::Proved(layers::prove(policy, &before))
}
