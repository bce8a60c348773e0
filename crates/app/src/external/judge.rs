//! The policy of one run: what of an agent's wishes is let through, asked or refused (POL-03, FA-22, FA-24).

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use taffrail_domain::{Action, Actor, Answer, Held, Mode, Rung};
use taffrail_policy::{Context, Decision, Rules, decide};

use crate::policy::{Disk, rules};
use crate::{App, AppError};

/// Who said yes to all edits inside of the checkout of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Nobody.
    None,
    /// The user's configuration.
    Config,
    /// A person, in this run.
    Human,
}

/// The policy over one checkout.
pub(super) struct Judge {
    rules: Rules,
    requested: Mode,
    root: Vec<u8>,
    home: Vec<u8>,
    held: Held,
    disk: Disk,
    pub grant: Grant,
    pub may_write: bool,
}

/// What the policy of a run says to an action.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    pub answer: Answer,
    pub decision: Decision,
    /// Words of this run beside the policy's reasons.
    pub why: Option<&'static str>,
    /// The checkout, with a slash behind it.
    folder: String,
}

impl Judged {
    /// Why, each in words. Paths of the checkout are told as the project knows them: `credential: ` before a long path is
    /// taken for a secret by the record.
    pub fn reasons(&self) -> Vec<String> {
        let own = self.why.map(str::to_owned);
        let reasons = self.decision.reasons.iter();
        let reasons = reasons.map(|reason| reason.to_string().replace(&self.folder, ""));
        let mut each: Vec<String> = Vec::new();
        for reason in own.into_iter().chain(reasons) {
            // A floor and the table may find the same.
            if !each.contains(&reason) {
                each.push(reason);
            }
        }
        each
    }
}

/// A run that was started without `--write`: nothing that it writes is kept, so nobody is asked about it.
const READ_ONLY: &str = "this run may not write (--write)";

impl Judge {
    pub fn new(app: &App, tree: &Path, rung: Rung, may_write: bool) -> Result<Self, AppError> {
        Ok(Self {
            rules: rules(&app.config)?,
            requested: (*app.config.policy.mode).into(),
            root: tree.as_os_str().as_bytes().to_vec(),
            home: app.home.root().as_os_str().as_bytes().to_vec(),
            held: match rung {
                Rung::Full | Rung::Partial => Held::Sandboxed,
                Rung::None => Held::Open,
            },
            disk: Disk::new(tree),
            grant: Grant::None,
            may_write,
        })
    }

    pub fn judge(&self, action: &Action) -> Judged {
        let context = Context {
            actor: Actor::Foreign,
            held: self.held,
            grant: self.grant != Grant::None && self.may_write,
            root: &self.root,
            cwd: &self.root,
            home: &self.home,
            facts: &self.disk,
        };
        let decision = decide(action, self.requested, &self.rules, &context);
        let folder = format!("{}/", String::from_utf8_lossy(&self.root));
        let is_write = matches!(action, Action::Write { .. });
        if is_write && !self.may_write {
            return Judged {
                answer: Answer::Deny,
                decision,
                why: Some(READ_ONLY),
                folder,
            };
        }
        Judged {
            answer: decision.answer,
            decision,
            why: None,
            folder,
        }
    }

    /// Whether a grant would have let this through: then a person may give it instead of a single yes.
    pub fn may_grant(&self, action: &Action) -> bool {
        let context = Context {
            actor: Actor::Foreign,
            held: self.held,
            grant: true,
            root: &self.root,
            cwd: &self.root,
            home: &self.home,
            facts: &self.disk,
        };
        let would = decide(action, self.requested, &self.rules, &context);
        self.may_write && would.answer == Answer::Allow
    }
}
