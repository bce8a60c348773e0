//! The user's rules (POL-04). Each has examples that it must and must not match; one that contradicts its own examples
//! does not load.

use std::collections::BTreeSet;

use taffrail_domain::{Action, Actor, Answer, Held, RepoPath, Risk};

use crate::assess::{Assessment, assess};
use crate::caught;
use crate::checks::{RuleError, check_examples, check_form};
use crate::context::{Context, Facts, Place, Whole};
use crate::glob;
use crate::shell::Part;
use crate::unseen;

/// One rule as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSpec {
    /// What it is called in messages and records.
    pub name: String,
    /// What it answers.
    pub answer: Answer,
    /// A command begins with these words.
    pub command: Vec<String>,
    /// A path of the working tree fits this pattern.
    pub path: Option<String>,
    /// A host fits this pattern.
    pub host: Option<String>,
    /// The risk is this one.
    pub risk: Option<Risk>,
    /// An `allow` holds for what destroys too.
    pub destructive: bool,
    /// An `allow` holds for foreign agents too.
    pub foreign: bool,
    /// Examples that it matches: command lines, else paths, else hosts.
    pub matches: Vec<String>,
    /// Examples that it does not.
    pub not_matches: Vec<String>,
}

/// Rules that hold together.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    rules: Vec<RuleSpec>,
}

impl Rules {
    /// Checks every rule against its examples.
    ///
    /// # Errors
    /// The first rule that does not fit.
    pub fn new(rules: Vec<RuleSpec>) -> Result<Self, RuleError> {
        let mut names = BTreeSet::new();
        for rule in &rules {
            check_form(rule)?;
            if !names.insert(&rule.name) {
                return Err(RuleError::Twice {
                    rule: rule.name.clone(),
                });
            }
            check_examples(rule)?;
        }
        Ok(Self { rules })
    }

    /// The rules, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &RuleSpec> {
        self.rules.iter()
    }

    /// Whether a `deny` or an `ask` speaks of reading this path of the tree: what has nobody to wait for withholds it then.
    /// For what lies in the tree and is no floor this is what [`decide`](crate::decide) answers otherwise than `allow`.
    pub fn withhold(&self, path: &RepoPath) -> bool {
        let speaks = |rule: &RuleSpec| rule.command.is_empty() && rule.host.is_none();
        // Asked for each name of a walk: mostly there is no such rule.
        if !self.rules.iter().any(speaks) {
            return false;
        }
        let action = Action::Read {
            paths: vec![path.as_bytes().to_vec()],
        };
        let context = in_no_tree();
        let found = assess(&action, &context);
        let forbids = |answer| self.forbids(answer, &action, &found, &context).is_some();
        forbids(Answer::Deny) || forbids(Answer::Ask)
    }

    /// The first rule with this answer, `deny` or `ask`, that any part of the action matches.
    pub(crate) fn forbids(
        &self,
        answer: Answer,
        action: &Action,
        found: &Assessment,
        context: &Context<'_>,
    ) -> Option<&str> {
        let mut rules = self.rules.iter().filter(|rule| rule.answer == answer);
        rules
            .find(|rule| is_caught(rule, action, found, context))
            .map(|rule| rule.name.as_str())
    }

    /// The first `deny` or `ask` that may speak of a command line without its being seen.
    pub(crate) fn may_forbid(
        &self,
        action: &Action,
        found: &Assessment,
        context: &Context<'_>,
    ) -> Option<&str> {
        let Action::Shell { .. } = action else {
            return None;
        };
        let mut rules = self.rules.iter().filter(|rule| rule.answer > Answer::Allow);
        rules
            .find(|rule| unseen::may_be_caught(rule, found, context))
            .map(|rule| rule.name.as_str())
    }

    /// The first rule that lets the action through: every part of it that would ask is matched by some `allow`.
    pub(crate) fn allows(
        &self,
        action: &Action,
        found: &Assessment,
        context: &Context<'_>,
    ) -> Option<&str> {
        let may = |rule: &&RuleSpec| {
            let for_them = context.actor == Actor::BuiltIn || rule.foreign;
            rule.answer == Answer::Allow && for_them && (rule.destructive || !found.destructive)
        };
        let rules: Vec<&RuleSpec> = self.rules.iter().filter(may).collect();
        covering(&rules, action, found, context)
    }
}

/// An ordinary folder, of which nothing is asked.
pub(crate) fn in_no_tree() -> Context<'static> {
    Context {
        actor: Actor::BuiltIn,
        held: Held::Open,
        grant: false,
        root: b"/project",
        cwd: b"/project",
        home: b"/home/user/.taffrail",
        facts: &NoFacts,
    }
}

/// What stands in no tree.
struct NoFacts;

impl Facts for NoFacts {
    fn is_credential(&self, _path: &RepoPath) -> bool {
        false
    }

    fn is_obeyed(&self, _path: &RepoPath) -> bool {
        false
    }

    fn leads(&self, _path: &[u8]) -> Place {
        Place::Inside
    }

    fn is_unfit_whole(&self, _path: &[u8], _whole: Whole) -> bool {
        false
    }
}

/// Whether any part of an action is what a rule speaks of.
pub(crate) fn is_caught(
    rule: &RuleSpec,
    action: &Action,
    found: &Assessment,
    context: &Context<'_>,
) -> bool {
    let risk_fits = |risk: Risk| rule.risk.is_none_or(|wanted| wanted == risk);
    let path_fits = |path: &Vec<u8>| fits_path(rule, path, context);
    match action {
        Action::Shell { paths, .. } => {
            caught::is_caught(rule, found, context)
                || risk_fits(found.risk) && paths.iter().any(path_fits)
        }
        Action::Read { paths } | Action::OwnTool { paths, .. } | Action::Unknown { paths, .. } => {
            risk_fits(found.risk) && (is_only_risk(rule) || paths.iter().any(path_fits))
        }
        Action::Write { paths, removes } => {
            let mut all = paths.iter().chain(removes);
            risk_fits(found.risk) && (is_only_risk(rule) || all.any(path_fits))
        }
        Action::Network { host } => {
            risk_fits(found.risk) && (is_only_risk(rule) || fits_host(rule, host))
        }
        Action::Delegate { .. } => risk_fits(found.risk) && is_only_risk(rule),
    }
}

fn is_only_risk(rule: &RuleSpec) -> bool {
    rule.command.is_empty() && rule.path.is_none() && rule.host.is_none()
}

/// The rule that lets the first asking part through, where every such part has one.
pub(crate) fn covering<'r>(
    rules: &[&'r RuleSpec],
    action: &Action,
    found: &Assessment,
    context: &Context<'_>,
) -> Option<&'r str> {
    let first = |fits: &dyn Fn(&RuleSpec) -> bool| {
        let mut rules = rules.iter();
        rules.find(|rule| fits(rule)).map(|rule| rule.name.as_str())
    };
    let risk_fits = |rule: &RuleSpec| rule.risk.is_none_or(|wanted| wanted == found.risk);
    let all_paths = |rule: &RuleSpec, paths: &[Vec<u8>]| {
        risk_fits(rule)
            && (is_only_risk(rule)
                || !paths.is_empty() && paths.iter().all(|path| fits_path(rule, path, context)))
    };
    match action {
        Action::Shell { paths, .. } => {
            (found.is_plain && !found.asks && paths.is_empty()).then_some(())?;
            covering_parts(rules, &found.parts, context.actor)
        }
        Action::Read { paths } | Action::OwnTool { paths, .. } => {
            first(&|rule| all_paths(rule, paths))
        }
        Action::Write { paths, removes } => {
            let all: Vec<Vec<u8>> = paths.iter().chain(removes).cloned().collect();
            first(&|rule| all_paths(rule, &all))
        }
        Action::Network { host } => {
            first(&|rule| risk_fits(rule) && (is_only_risk(rule) || fits_host(rule, host)))
        }
        Action::Delegate { .. } => first(&|rule| risk_fits(rule) && is_only_risk(rule)),
        Action::Unknown { .. } => None,
    }
}

fn covering_parts<'r>(rules: &[&'r RuleSpec], parts: &[Part], actor: Actor) -> Option<&'r str> {
    let mut deciding = None;
    // What only reads needs a rule too where a foreign agent says so.
    let asks = |part: &&Part| part.risk > Risk::Read || actor == Actor::Foreign && !part.is_wrapper;
    for part in parts.iter().filter(asks) {
        let speaks = |rule: &&&RuleSpec| {
            rule.path.is_none()
                && rule.host.is_none()
                && rule.risk.is_none_or(|wanted| wanted == part.risk)
                && (rule.command.is_empty() || begins(rule, &part.argv))
                && (rule.destructive || !part.destructive)
        };
        let rule = rules.iter().find(speaks).filter(|_| part.is_certain)?;
        deciding = deciding.or(Some(rule.name.as_str()));
    }
    deciding
}

/// Whether a command begins with a rule's words, as they stand: an `allow` sees through nothing.
fn begins(rule: &RuleSpec, argv: &[Vec<u8>]) -> bool {
    let wanted = rule.command.iter().map(String::as_bytes);
    argv.len() >= rule.command.len() && wanted.zip(argv).all(|(word, at)| word == at)
}

fn fits_path(rule: &RuleSpec, path: &[u8], context: &Context<'_>) -> bool {
    rule.path
        .as_ref()
        .is_some_and(|pattern| fits_path_pattern(pattern, path, context))
}

/// A pattern is over the path from the root of the tree.
fn fits_path_pattern(pattern: &str, path: &[u8], context: &Context<'_>) -> bool {
    crate::paths::from_root(context, path).is_some_and(|path| glob::fits(pattern.as_bytes(), &path))
}

fn fits_host(rule: &RuleSpec, host: &str) -> bool {
    let pattern = rule.host.as_ref();
    pattern.is_some_and(|pattern| caught::fits_host(pattern, host.as_bytes()))
}
