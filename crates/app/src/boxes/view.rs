//! From plan to sandbox: which folders a run has, what it may see, what its environment holds.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use taffrail_config::AgentEntry;
use taffrail_confine::env::ChildEnv;
use taffrail_confine::sandbox::{self, Canary, Policy};
use taffrail_domain::{Net, RunId, Rung};
use taffrail_gitbox::Project;
use taffrail_store::{Home, files};

use super::names;
use super::plan::Plan;
use crate::{App, AppError};

/// Where DNS is asked over TCP: there is no UDP in the sandbox.
const DNS_PORT: u16 = 53;

/// The folders of one run. Everything that the command may write lies in `boxed`; what we must believe later does not.
pub(super) struct Folders {
    /// `checkouts/<run>`: removed as a whole.
    pub checkout: PathBuf,
    /// `checkouts/<run>/box`: the one writable folder.
    pub boxed: PathBuf,
    /// The work tree.
    pub tree: PathBuf,
    /// The run's HOME.
    pub home: PathBuf,
    /// The run's TMPDIR.
    pub scratch: PathBuf,
    /// `sessions/<run>`: what is kept.
    pub session: PathBuf,
    /// Objects of the operator's uncommitted work, out of the command's reach.
    pub kept: PathBuf,
}

impl Folders {
    pub fn of(home: &Home, run: &RunId) -> Self {
        let checkout = home.checkout(run);
        let boxed = checkout.join("box");
        Self {
            tree: boxed.join("wt"),
            home: boxed.join("home"),
            scratch: boxed.join("tmp"),
            session: home.session(run),
            kept: home.session(run).join("kept"),
            boxed,
            checkout,
        }
    }

    /// The folders to make, in an order in which each has its parent.
    pub fn to_make(&self) -> [&Path; 5] {
        [
            &self.boxed,
            &self.home,
            &self.scratch,
            &self.session,
            &self.kept,
        ]
    }

    /// The base of the tree: path, mode and blob of every file before anything ran.
    pub fn listing(&self) -> PathBuf {
        self.session.join("base.listing")
    }

    /// The operator's uncommitted changes, as a diff against HEAD.
    pub fn first_patch(&self) -> PathBuf {
        self.session.join("first.patch")
    }

    /// The paths of that diff, for the landing.
    pub fn first_changes(&self) -> PathBuf {
        self.session.join("first.changes")
    }

    /// What the command changed, byte-exact.
    pub fn patch(&self) -> PathBuf {
        self.session.join("change.patch")
    }
}

/// What a command sees: the program that was found, and the policy and environment around it.
pub(super) struct View {
    pub program: PathBuf,
    pub policy: Policy,
    pub env: ChildEnv,
}

/// Builds the view of one command in a box.
pub(super) fn view(
    app: &App,
    plan: &Plan,
    folders: &Folders,
    command: &OsStr,
) -> Result<View, AppError> {
    let path = app
        .inputs
        .environment
        .get("PATH")
        .map(OsString::from)
        .unwrap_or_default();
    let program = find(command, &path, &folders.tree)?;
    let dirs: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .collect();
    let visible = sandbox::visible_for(&program, &dirs, &app.inputs.user_home);
    let mut policy = Policy::common(plan.rung, &folders.boxed, &folders.tree)?;
    policy.bwrap = plan.ladder.bwrap.clone().ok();
    policy.read.extend(visible.read.iter().cloned());
    policy
        .read
        .extend(app.config.sandbox.read.value.iter().cloned());
    // A project below a common root (/opt, /usr/src) would be readable: hidden, as every other is.
    if policy
        .read
        .iter()
        .any(|root| plan.project.root.starts_with(root))
    {
        policy.mask.push(plan.project.root.clone());
    }
    policy.net = plan.net.clone();
    policy.bind_ports = plan
        .entry
        .iter()
        .flat_map(|entry| entry.loopback_ports.iter().copied())
        .collect();
    policy.pty = true;
    policy.proc = plan.entry.as_ref().is_some_and(|entry| entry.proc);
    policy.hosts = pinned(plan, folders)?;
    policy.canaries = canaries(app, &plan.project);
    let env = environment(app, plan, folders, &visible);
    Ok(View {
        program,
        policy,
        env,
    })
}

/// A name is looked up on the PATH, a path below the checkout: never in the operator's own tree.
fn find(command: &OsStr, path: &OsStr, tree: &Path) -> Result<PathBuf, AppError> {
    Ok(sandbox::resolve_command(command, path, tree)?)
}

/// What the proof must fail to reach: the home's database, a file of the operator, the project.
fn canaries(app: &App, project: &Project) -> Vec<Canary> {
    vec![
        Canary::Unreadable(app.home.db()),
        Canary::Uncreatable(project.root.clone()),
    ]
}

/// A private `/etc/hosts` for an agent that cannot ask for names inside.
fn pinned(plan: &Plan, folders: &Folders) -> Result<Option<PathBuf>, AppError> {
    let wanted = plan
        .entry
        .as_ref()
        .filter(|entry| entry.pin_hosts && plan.net != Net::Off);
    let Some(entry) = wanted else { return Ok(None) };
    let path = folders.session.join("hosts");
    files::write_private(&path, names::hosts_file(&entry.hosts).as_bytes())?;
    Ok(Some(path))
}

fn environment(app: &App, plan: &Plan, folders: &Folders, visible: &sandbox::Visible) -> ChildEnv {
    let operator = &app.inputs.environment;
    let mut env = ChildEnv::allowed(operator);
    if let Some(entry) = &plan.entry {
        env = env.pass(operator, &entry.pass_env);
        env = literal(env, entry);
    }
    for (name, value) in &visible.env {
        env = env.set(name, value);
    }
    env = env
        .set("HOME", &folders.home)
        .set("TMPDIR", &folders.scratch)
        .set("GIT_CONFIG_NOSYSTEM", "1");
    if let Ok(path) = std::env::join_paths(&visible.path) {
        env = env.set("PATH", path);
    }
    match &plan.net {
        Net::Ports(ports) if ports.contains(&DNS_PORT) => env.set("RES_OPTIONS", "use-vc"),
        Net::Ports(_) | Net::Off => env,
    }
}

fn literal(env: ChildEnv, entry: &AgentEntry) -> ChildEnv {
    entry
        .env
        .iter()
        .fold(env, |env, (name, value)| env.set(name, value))
}

/// Whether an agent's own sandbox has to be off: it would start bubblewrap inside ours, which fails silently.
pub(super) fn quirk_args(plan: &Plan) -> &[String] {
    match (plan.rung, &plan.entry) {
        (Rung::Full | Rung::Partial, Some(entry)) => &entry.box_args,
        (Rung::None, _) | (_, None) => &[],
    }
}
