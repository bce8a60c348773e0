//! What an action is, before anybody's mode or rule: its risk, what is odd about it, which floors it touches.

use taffrail_domain::{Action, Actor, Risk};

use crate::context::{Context, Place};
use crate::paths;
use crate::reason::{Reason, Why};
use crate::shell::{self, Part};

/// A change of more files than this is destructive (POL-06).
const MOST_FILES: usize = 8;

/// What an action is.
#[derive(Debug, Clone)]
pub struct Assessment {
    /// The greatest risk of its parts.
    pub risk: Risk,
    /// It takes away what cannot easily be brought back, or that cannot be ruled out.
    pub destructive: bool,
    /// Why it is not simply let through.
    pub reasons: Vec<Reason>,
    /// Why it asks in every mode.
    pub floors: Vec<Reason>,
    /// It asks in every mode without being a floor: a rule may let it through.
    pub asks: bool,
    /// The commands that it would execute, as far as they can be known.
    pub parts: Vec<Part>,
    /// Commands as they may stand there as well, in the stricter reading only.
    pub others: Vec<Part>,
    /// Files that a command line redirects to or from, from `/`.
    pub touched: Vec<Vec<u8>>,
    /// Nothing stands between its parts that a rule about a command cannot speak for.
    pub is_plain: bool,
}

/// Looks at an action.
pub fn assess(action: &Action, context: &Context<'_>) -> Assessment {
    match action {
        Action::Read { paths } => read(paths, context),
        Action::Write { paths, removes } => write(paths, removes, context),
        Action::Shell { command, paths } => {
            let mut found = shell(command, context);
            look_at_written(&mut found, paths.iter(), context);
            found
        }
        Action::Network { host } => plain(Risk::Network, Reason::new(Why::Network, host)),
        Action::Delegate { agent } => plain(Risk::Delegate, Reason::new(Why::Agent, agent)),
        Action::OwnTool { tool, paths } => own_tool(tool, paths, context),
        Action::Unknown { what, paths } => unknown(what, paths, context),
    }
}

fn plain(risk: Risk, reason: Reason) -> Assessment {
    Assessment {
        risk,
        destructive: risk == Risk::Destructive,
        reasons: vec![reason],
        floors: Vec::new(),
        asks: false,
        parts: Vec::new(),
        others: Vec::new(),
        touched: Vec::new(),
        is_plain: true,
    }
}

impl Assessment {
    fn floor(&mut self, risk: Risk, reason: Reason) {
        self.risk = self.risk.max(risk);
        self.reasons.push(reason.clone());
        self.floors.push(reason);
    }
}

fn read(paths: &[Vec<u8>], context: &Context<'_>) -> Assessment {
    let mut found = plain(Risk::Read, Reason::new(Why::Reads, ""));
    let cwds = [context.cwd.to_vec()];
    for path in paths {
        match paths::readable(context, &cwds, path) {
            Ok(()) => {}
            Err(why @ Why::Credential) => found.floor(Risk::Credential, Reason::of(why, path)),
            Err(why @ Why::ManagedState) => found.floor(Risk::Read, Reason::of(why, path)),
            Err(why) => {
                found.asks = true;
                found.reasons.push(Reason::of(why, path));
            }
        }
    }
    found
}

/// We answer the call, by our own rules; what else it names is looked at as of every reading.
fn own_tool(tool: &str, paths: &[Vec<u8>], context: &Context<'_>) -> Assessment {
    let mut found = read(paths, context);
    found.reasons.insert(0, Reason::new(Why::OwnTool, tool));
    found
}

fn write(written: &[Vec<u8>], removed: &[Vec<u8>], context: &Context<'_>) -> Assessment {
    let mut found = plain(Risk::Write, Reason::new(Why::Writes, ""));
    look_at_written(&mut found, written.iter().chain(removed), context);
    let touches_git = found.floors.iter().any(|floor| {
        let mut parts = floor.about.split('/');
        floor.why == Why::Obeyed && parts.any(|part| part.eq_ignore_ascii_case(".git"))
    });
    if !removed.is_empty() || touches_git || written.len() > MOST_FILES {
        found.risk = found.risk.max(Risk::Destructive);
        found.destructive = true;
        found.reasons.push(Reason::new(Why::Destroys, ""));
    }
    found
}

fn look_at_written<'p>(
    found: &mut Assessment,
    paths: impl Iterator<Item = &'p Vec<u8>>,
    context: &Context<'_>,
) {
    for path in paths {
        match paths::write_floor(context, path) {
            Some(why @ Why::Credential) => found.floor(Risk::Credential, Reason::of(why, path)),
            Some(why) => found.floor(Risk::Write, Reason::of(why, path)),
            None => {}
        }
        let followed = context.facts.leads(&paths::joined(context.cwd, path));
        if followed == Place::Credential {
            found.floor(Risk::Credential, Reason::of(Why::Credential, path));
        }
        if paths::inside(context, path).is_err() || followed == Place::Outside {
            found.asks = true;
            found.reasons.push(Reason::of(Why::Outside, path));
        }
    }
}

fn unknown(what: &str, paths: &[Vec<u8>], context: &Context<'_>) -> Assessment {
    let mut found = plain(Risk::Destructive, Reason::new(Why::Unclear, what));
    look_at_written(&mut found, paths.iter(), context);
    found.is_plain = false;
    found
}

fn shell(command: &[u8], context: &Context<'_>) -> Assessment {
    let line = shell::assess(context, command);
    let of_parts = line.parts.iter().map(|part| part.risk).max();
    let risk = of_parts.unwrap_or(Risk::Read).max(line.odd.risk);
    // A foreign agent's command runs in its own shell and environment: on its word alone it is never a reading.
    let least = match context.actor {
        Actor::BuiltIn => Risk::Read,
        Actor::Foreign => Risk::Shell,
    };
    let destructive = line.odd.destructive || line.parts.iter().any(|part| part.destructive);
    let is_plain = line.odd.reasons.is_empty();
    let reasons = line.parts.iter().flat_map(|part| part.reasons.clone());
    let mut reasons: Vec<Reason> = line.odd.reasons.iter().cloned().chain(reasons).collect();
    let floors = line.parts.iter().flat_map(|part| part.floors.clone());
    let mut floors: Vec<Reason> = line.odd.floors.iter().cloned().chain(floors).collect();
    if reasons.is_empty() {
        let why = match context.actor {
            Actor::BuiltIn => Why::Reads,
            Actor::Foreign => Why::Foreign,
        };
        reasons.push(Reason::new(why, ""));
    }
    once(&mut reasons);
    once(&mut floors);
    Assessment {
        risk: risk.max(least),
        destructive,
        reasons,
        floors,
        asks: false,
        parts: line.parts,
        others: line.odd.others,
        touched: line.odd.touched,
        is_plain,
    }
}

/// Each reason once, in the order of its first mention.
fn once(reasons: &mut Vec<Reason>) {
    let mut seen = std::collections::BTreeSet::new();
    reasons.retain(|reason| seen.insert(reason.clone()));
}
