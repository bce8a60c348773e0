//! What a box will be, decided before anything is made: project, agent, network, sandbox, what may run first.

use std::ffi::OsString;
use std::path::PathBuf;

use taffrail_config::{AgentEntry, NetMode};
use taffrail_confine::fs::{FsError, Root};
use taffrail_confine::sandbox::{self, Ladder, LadderInputs};
use taffrail_domain::{Duration, Net, RepoPath, Rung};
use taffrail_gitbox::Project;

use super::local_model;
use crate::network::{self, Gate};
use crate::trust::{self, Setup, Wishes};
use crate::{App, AppError, secrets};

/// What a person asked for.
#[derive(Debug, Clone)]
pub struct BoxRequest {
    /// The command and its arguments; the first is looked up on the PATH or below the checkout.
    pub command: Vec<OsString>,
    /// A name; none means the run's id.
    pub name: Option<String>,
    /// Ignored paths to bring along, beside those of the configuration.
    pub carry: Vec<String>,
    /// Bring uncommitted changes along as a first commit.
    pub include_uncommitted: bool,
    /// The network, where it was said.
    pub net: Option<NetRequest>,
    /// The agent's id, where it was said.
    pub agent: Option<String>,
    /// Keep the checkout after the end.
    pub keep: bool,
    /// A limit on time.
    pub timeout: Option<Duration>,
    /// Contain the command; `false` is on record.
    pub sandboxed: bool,
}

/// The network as a person names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetRequest {
    /// Nothing.
    Off,
    /// By host where hosts are named, else by port.
    On,
    /// By host, and a person is asked for those that are not named.
    Ask,
    /// By port, on any host.
    Ports,
}

/// How the agent that was asked for is installed, where it is one of the registry.
pub fn installation(app: &App, request: &BoxRequest) -> Option<String> {
    let entry = entry(app, request).ok().flatten()?;
    (!entry.install.is_empty()).then_some(entry.install)
}

/// A box that can be made.
pub(crate) struct Plan {
    pub project: Project,
    pub entry: Option<AgentEntry>,
    pub net: Net,
    /// The way to the hosts of `net`.
    pub gate: Gate,
    pub rung: Rung,
    pub ladder: Ladder,
    /// Where in the project the person stands: the command starts there.
    pub subfolder: PathBuf,
    pub carry: Vec<String>,
    pub setup: Option<Setup>,
    /// What a person should know before it starts.
    pub notices: Vec<String>,
}

/// Decides everything that can be decided without making anything.
pub(crate) fn plan(app: &App, request: &BoxRequest) -> Result<Plan, AppError> {
    let project = app.project()?;
    refuse_key_inside(app, &project)?;
    let entry = entry(app, request)?;
    let (rung, ladder) = rung(app, request.sandboxed)?;
    let net = net(app, request, entry.as_ref(), rung);
    let own = entry.as_ref().map(|entry| &entry.loopback_ports[..]);
    let gate = Gate::open(&net, rung, own.unwrap_or_default())?;
    let wishes = trust::project_wishes(app, &project)?;
    let setup = trust::agreed_setup(app, &project, &wishes)?;
    let mut notices = notices(&wishes, setup.as_ref(), entry.as_ref(), rung);
    if rung != Rung::None {
        notices.extend(out_of_reach(app, entry.as_ref(), &net));
    }
    Ok(Plan {
        subfolder: subfolder(app, &project),
        carry: carry(app, request, &project, &wishes)?,
        notices,
        project,
        entry,
        net,
        gate,
        rung,
        ladder,
        setup,
    })
}

/// A project that holds the file which opens the secrets would bring it along into a checkout, or its next commit would.
fn refuse_key_inside(app: &App, project: &Project) -> Result<(), AppError> {
    let key = secrets::key_file(app)?;
    let inside = |key: &PathBuf| {
        key.starts_with(&project.root) && !key.starts_with(app.home.root()) && key.is_file()
    };
    match key.filter(inside) {
        Some(path) => {
            let why = "it lies in this project, where a box could get it; move it out".to_owned();
            Err(secrets::SecretFault::KeyFile { path, why }.into())
        }
        None => Ok(()),
    }
}

/// Paths to bring along, from the user's configuration, the project's file and the flags. What a file names is a
/// standing wish for every project and every clone: where it is not there, nothing is missed. What a flag names must be.
fn carry(
    app: &App,
    request: &BoxRequest,
    project: &Project,
    wishes: &Wishes,
) -> Result<Vec<String>, AppError> {
    let root = Root::open(&project.root)?;
    let standing = app.config.checkout.carry.value.iter().chain(&wishes.carry);
    let mut carry: Vec<String> = standing
        .filter(|name| !is_missing(&root, name))
        .chain(&request.carry)
        .cloned()
        .collect();
    carry.sort();
    carry.dedup();
    Ok(carry)
}

fn is_missing(root: &Root, name: &str) -> bool {
    RepoPath::new(name).is_ok_and(|path| matches!(root.stat(&path), Err(FsError::NotFound { .. })))
}

/// Models of this machine that the agent is led to, and that the box does not lead to.
fn out_of_reach(app: &App, entry: Option<&AgentEntry>, net: &Net) -> Vec<String> {
    let value = |name: &str| {
        let value = app.inputs.environment.get(name)?;
        value.to_str().map(str::to_owned)
    };
    let of = |entry: &AgentEntry| {
        let own = &entry.loopback_ports;
        local_model::out_of_reach((&entry.id, &entry.pass_env, own), net, value)
    };
    entry.map(of).unwrap_or_default()
}

fn notices(
    wishes: &Wishes,
    setup: Option<&Setup>,
    entry: Option<&AgentEntry>,
    rung: Rung,
) -> Vec<String> {
    let refused = wishes
        .refused
        .iter()
        .map(|why| format!("the project's own file is not used: {why}"));
    let waiting = wishes.setup.iter().filter(|_| setup.is_none());
    let waiting = waiting.map(|command| {
        format!(
            "the project wants to run `{command}` first; nobody agreed to it yet: taffrail trust"
        )
    });
    let crippled = entry.filter(|entry| entry.pty && rung == Rung::Partial).map(|entry| {
        format!("{} opens terminals of its own for its commands, which need bubblewrap: its commands will fail", entry.id)
    });
    refused.chain(waiting).chain(crippled).collect()
}

/// The working directory below the project's root; empty at the root itself.
fn subfolder(app: &App, project: &Project) -> PathBuf {
    let below = app.inputs.cwd.strip_prefix(&project.root);
    below.map(PathBuf::from).unwrap_or_default()
}

fn entry(app: &App, request: &BoxRequest) -> Result<Option<AgentEntry>, AppError> {
    if let Some(id) = &request.agent {
        let known = || {
            app.config
                .agents
                .keys()
                .cloned()
                .collect::<Vec<_>>()
                .join(", ")
        };
        let entry = app.config.agents.get(id).cloned();
        return entry.map(Some).ok_or_else(|| AppError::NoSuchAgent {
            id: id.clone(),
            known: known(),
        });
    }
    let program = request
        .command
        .first()
        .map(PathBuf::from)
        .unwrap_or_default();
    let name = program
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    Ok(taffrail_config::entry_for_command(&app.config, &name).cloned())
}

/// Off unless said, but on for a known agent: an agent without its model is of no use. What is not contained is not by
/// host either: a proxy that nothing forces a program through would look like protection.
fn net(app: &App, request: &BoxRequest, entry: Option<&AgentEntry>, rung: Rung) -> Net {
    let flag = request.net.map(|wanted| match wanted {
        NetRequest::Off => NetMode::Off,
        NetRequest::On => NetMode::On,
        NetRequest::Ask => NetMode::Ask,
        NetRequest::Ports => NetMode::Ports,
    });
    let mut own: Vec<u16> = entry
        .iter()
        .flat_map(|entry| entry.loopback_ports.iter().copied())
        .collect();
    own.sort_unstable();
    own.dedup();
    let net = app.config.net_for(flag, entry).value;
    match (net, rung) {
        (Net::Off, _) => Net::Off,
        (Net::Hosts { allowed, ask, .. }, Rung::Full | Rung::Partial) => Net::Hosts {
            allowed,
            ask,
            loopback: network::that_answer(&own),
        },
        (Net::Hosts { .. }, Rung::None) => Net::Ports(app.config.sandbox.ports.value.clone()),
        (Net::Ports(mut ports), _) => {
            ports.extend(own);
            ports.sort_unstable();
            ports.dedup();
            Net::Ports(ports)
        }
    }
}

/// The highest rung that this machine holds; an error where it is below what the configuration requires.
pub(crate) fn rung(app: &App, sandboxed: bool) -> Result<(Rung, Ladder), AppError> {
    let ladder = sandbox::probe_ladder(&LadderInputs {
        bwrap: app.bwrap(),
        scratch: app.home.checkouts(),
    });
    if !sandboxed {
        return Ok((Rung::None, ladder));
    }
    let rung = ladder.rung();
    let required = app.config.sandbox.require.value;
    if required.is_met_by(rung) {
        Ok((rung, ladder))
    } else {
        Err(AppError::SandboxUnavailable {
            required,
            why: ladder.why().unwrap_or_default(),
        })
    }
}
