//! The one function: action, mode, rules and context in, a decision out (POL-01 to POL-04).

use taffrail_domain::{Action, Actor, Answer, Held, Mode, Risk};

use crate::assess::{Assessment, assess};
use crate::context::Context;
use crate::reason::{Reason, Why};
use crate::rules::Rules;
use crate::shell::Part;

/// The answer to an action, and everything that a record of it holds.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The answer.
    pub answer: Answer,
    /// The greatest risk of its parts.
    pub risk: Risk,
    /// It takes away what cannot easily be brought back, or that cannot be ruled out.
    pub destructive: bool,
    /// Why, the strongest first.
    pub reasons: Vec<Reason>,
    /// The rule of the user that decided.
    pub rule: Option<String>,
    /// The mode that was asked for.
    pub requested: Mode,
    /// The mode that counted.
    pub effective: Mode,
    /// The commands that it would execute, as far as they can be known.
    pub commands: Vec<Part>,
}

impl Decision {
    /// Whether another mode counted than the one that was asked for.
    pub fn is_clamped(&self) -> bool {
        self.requested != self.effective
    }

    /// Whether a floor is among the reasons: no rule and no mode lets it through.
    pub fn is_floor(&self) -> bool {
        self.reasons.iter().any(|reason| is_floor(reason.why))
    }
}

/// Decides. Pure: the same arguments give the same decision.
pub fn decide(action: &Action, mode: Mode, rules: &Rules, context: &Context<'_>) -> Decision {
    let found = assess(action, context);
    let (effective, clamp) = effective(mode, context);
    let (answer, reason, rule) = answer(action, &found, effective, rules, context);
    let mut reasons: Vec<Reason> = reason.into_iter().chain(clamp).collect();
    reasons.extend(found.reasons);
    Decision {
        answer,
        risk: found.risk,
        destructive: found.destructive,
        reasons,
        rule,
        requested: mode,
        effective,
        commands: found.parts,
    }
}

/// The mode that counts. What nothing holds has no `auto`.
fn effective(mode: Mode, context: &Context<'_>) -> (Mode, Option<Reason>) {
    match (context.actor, mode, context.held) {
        (_, Mode::Ask, _) | (Actor::BuiltIn, Mode::Trust, _) => (mode, None),
        (Actor::BuiltIn, Mode::Auto, Held::Sandboxed | Held::Waived) => (mode, None),
        (Actor::BuiltIn, Mode::Auto, Held::Open) => {
            (Mode::Ask, Some(Reason::new(Why::NoSandbox, "")))
        }
        (Actor::Foreign, Mode::Trust | Mode::Auto, _) => {
            (Mode::Ask, Some(Reason::new(Why::Clamped, mode.name())))
        }
    }
}

type Settled = (Answer, Option<Reason>, Option<String>);

/// Floors, deny, ask, allow, then the tables. A floor is at least asked; what a rule denies stays denied.
fn answer(
    action: &Action,
    found: &Assessment,
    mode: Mode,
    rules: &Rules,
    context: &Context<'_>,
) -> Settled {
    let by_rule = |answer, name: &str| {
        let reason = Reason::new(Why::Rule, name);
        (answer, Some(reason), Some(name.to_owned()))
    };
    if let Some(name) = rules.forbids(Answer::Deny, action, found, context) {
        return by_rule(Answer::Deny, name);
    }
    if let Some(floor) = found.floors.first() {
        let managed = found
            .floors
            .iter()
            .any(|floor| floor.why == Why::ManagedState);
        let answer = match context.actor {
            Actor::Foreign if managed => Answer::Deny,
            Actor::BuiltIn | Actor::Foreign => Answer::Ask,
        };
        return (
            answer.max(table(action, found, mode, context)),
            Some(floor.clone()),
            None,
        );
    }
    let by_table = table(action, found, mode, context);
    if let Some(name) = rules.forbids(Answer::Ask, action, found, context) {
        return by_rule(by_table.max(Answer::Ask), name);
    }
    if by_table < Answer::Deny
        && let Some(name) = rules.may_forbid(action, found, context)
    {
        return by_rule(Answer::Ask, name);
    }
    if by_table == Answer::Ask
        && let Some(name) = rules.allows(action, found, context)
    {
        return by_rule(Answer::Allow, name);
    }
    if by_table == Answer::Ask && is_granted(action, found, context) {
        return (Answer::Allow, Some(Reason::new(Why::Grant, "")), None);
    }
    (by_table, None, None)
}

/// "Yes to all edits inside the checkout of this run" (FA-24): never what is flagged, removed or outside.
fn is_granted(action: &Action, found: &Assessment, context: &Context<'_>) -> bool {
    matches!(action, Action::Write { removes, .. } if removes.is_empty())
        && context.grant
        && context.held == Held::Sandboxed
        && found.risk == Risk::Write
        && !found.asks
}

/// The tables of POL-02 and FA-22.
fn table(action: &Action, found: &Assessment, mode: Mode, context: &Context<'_>) -> Answer {
    let answer = match context.actor {
        Actor::BuiltIn => of_mode(found.risk, mode),
        Actor::Foreign => of_foreign(action, found.risk),
    };
    // A risk that outranks another must not answer for it alone: what destroys asks as such.
    let destroys = found.destructive && mode != Mode::Auto;
    if found.asks || destroys {
        answer.max(Answer::Ask)
    } else {
        answer
    }
}

fn of_mode(risk: Risk, mode: Mode) -> Answer {
    match (risk, mode) {
        (Risk::Read, _)
        | (Risk::Write | Risk::Shell, Mode::Trust | Mode::Auto)
        | (Risk::Network | Risk::Delegate | Risk::Destructive, Mode::Auto) => Answer::Allow,
        (Risk::Write | Risk::Shell, Mode::Ask)
        | (Risk::Network | Risk::Delegate | Risk::Destructive, Mode::Ask | Mode::Trust)
        | (Risk::Credential, _) => Answer::Ask,
    }
}

/// What only fetches is refused; a command that reaches another machine (`npm install`) is a command, and asks as any other.
fn of_foreign(action: &Action, risk: Risk) -> Answer {
    match risk {
        Risk::Network if matches!(action, Action::Shell { .. }) => Answer::Ask,
        Risk::Read => Answer::Allow,
        Risk::Write | Risk::Shell | Risk::Delegate | Risk::Destructive | Risk::Credential => {
            Answer::Ask
        }
        Risk::Network => Answer::Deny,
    }
}

/// Whether a reason is one of the floors.
pub fn is_floor(why: Why) -> bool {
    matches!(
        why,
        Why::Credential | Why::ManagedState | Why::Obeyed | Why::Unreadable | Why::Privilege
    )
}
