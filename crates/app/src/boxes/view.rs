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
use crate::{App, AppError, secrets};

/// Where DNS is asked over TCP: there is no UDP in the sandbox.
const DNS_PORT: u16 = 53;
/// A program that needs nothing but the common roots.
const SHELL: &str = "/bin/sh";

/// The folders of one run. Everything that the command may write lies in `boxed`; what we must believe later does not.
pub(crate) struct Folders {
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
pub(crate) struct View {
    pub program: PathBuf,
    /// Where the command starts.
    pub cwd: PathBuf,
    pub policy: Policy,
    pub env: ChildEnv,
}

/// Builds the view of one command in a box.
pub(crate) fn view(
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
    let cwd = start(folders, &plan.subfolder);
    let program = find(command, &path, &cwd)?;
    let dirs: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .collect();
    let asks = believed(&program, &folders.boxed);
    let visible = sandbox::visible_for(asks, &dirs, &app.inputs.user_home);
    let mut policy = Policy::common(plan.rung, &folders.boxed, &cwd)?;
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
    // Refused there when it was chosen; hidden all the same, and proven hidden, where it came there since.
    if let Some(key) = secrets::key_file(app)?
        && key.is_file()
    {
        policy.mask.push(key.clone());
        policy.canaries.push(Canary::Unreadable(key));
    }
    policy.net = plan.net.clone();
    plan.gate.apply(&mut policy);
    policy.bind_ports = plan
        .entry
        .iter()
        .flat_map(|entry| entry.loopback_ports.iter().copied())
        .collect();
    policy.pty = true;
    policy.proc = plan.entry.as_ref().is_some_and(|entry| entry.proc);
    policy.hosts = pinned(plan, folders)?;
    policy.canaries.extend(canaries(app, &plan.project));
    let env = environment(app, plan, folders, &visible);
    Ok(View {
        cwd,
        program,
        policy,
        env,
    })
}

/// The same place in the checkout as the person's in the project; its root where that is not in the commit, or leads out.
fn start(folders: &Folders, subfolder: &Path) -> PathBuf {
    let place = folders.tree.join(subfolder).canonicalize();
    let inside = |place: &PathBuf| place.starts_with(&folders.tree) && place.is_dir();
    place
        .ok()
        .filter(inside)
        .unwrap_or_else(|| folders.tree.clone())
}

/// A name is looked up on the PATH, a path below the checkout: never in the operator's own tree.
fn find(command: &OsStr, path: &OsStr, tree: &Path) -> Result<PathBuf, AppError> {
    Ok(sandbox::resolve_command(command, path, tree)?)
}

/// The program whose links and interpreter say what must be readable. In the checkout anybody may have written them, and
/// they could name the operator's files: what lies there sees what a shell sees.
fn believed<'a>(program: &'a Path, boxed: &Path) -> &'a Path {
    if program.starts_with(boxed) {
        Path::new(SHELL)
    } else {
        program
    }
}

/// What the proof must fail to reach: the home's database, a file of the project's `.git`, the project's folder. A
/// project that holds the home (`init --local-state`) is, seen from inside, an empty folder on the way to the box, which
/// below /tmp is private scratch: there a file can be made, and it is nobody's.
fn canaries(app: &App, project: &Project) -> Vec<Canary> {
    let mut canaries = vec![
        Canary::Unreadable(app.home.db()),
        Canary::Unreadable(project.git_dir.join("HEAD")),
    ];
    if !app.home.root().starts_with(&project.root) {
        canaries.push(Canary::Uncreatable(project.root.clone()));
    }
    canaries
}

/// A private `/etc/hosts` for an agent that cannot ask for names inside.
fn pinned(plan: &Plan, folders: &Folders) -> Result<Option<PathBuf>, AppError> {
    let wanted = plan
        .entry
        .as_ref()
        .filter(|entry| entry.pin_hosts && matches!(plan.net, Net::Ports(_)));
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
        Net::Hosts { .. } => plan.gate.environment(env),
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
pub(crate) fn quirk_args(plan: &Plan) -> &[String] {
    match (plan.rung, &plan.entry) {
        (Rung::Full | Rung::Partial, Some(entry)) => &entry.box_args,
        (Rung::None, _) | (_, None) => &[],
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a helper's panic is the test's failure
#[allow(clippy::disallowed_methods)] // a test looks from outside of the rims
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_program_of_the_checkout_opens_nothing_of_the_operator() {
        let place = tempfile::tempdir().unwrap();
        let at = place.path().canonicalize().unwrap();
        let (home, boxed) = (at.join("home"), at.join("box"));
        let own = home.join("work/tool");
        for folder in [own.join("bin"), own.join("lib"), boxed.join("wt")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let tool = own.join("bin/tool");
        std::fs::write(&tool, "").unwrap();
        let script = boxed.join("wt/script");
        std::fs::write(&script, format!("#!{}\n", tool.display())).unwrap();
        let link = boxed.join("wt/link");
        symlink(&tool, &link).unwrap();
        let opened = |program: &Path| {
            let visible = sandbox::visible_for(program, &[], &home);
            visible.read.iter().any(|root| root.starts_with(&own))
        };
        for planted in [&script, &link, &boxed.join("wt/../wt/script")] {
            assert!(!opened(believed(planted, &boxed)), "{}", planted.display());
            // The twin: believed, it opens folders of the operator.
            assert!(opened(planted), "{}", planted.display());
        }
        // A program that a person named outside of the checkout is found with what it needs.
        assert!(opened(believed(&tool, &boxed)));
    }
}
