//! What an agent wishes to do, decided and put on record: permissions, reads and writes through the protocol (FA-21 to
//! FA-24).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest, Sha256};
use taffrail_acp::{Asked, Decision as Reply, Event, RequestKey};
use taffrail_domain::{Action, Answer, Ground, Millis, Verdict};
use taffrail_policy::{Question as Told, foreign_action};
use taffrail_store::{DecisionSource, GrantSource};

use super::driver::{Driver, Heard};
use super::events::{Decided, RunEvent};
use super::judge::{Grant, Judged};
use super::questions::{self, Asking, Edit, Outcome};
use super::{announced, own_tools};
use crate::AppError;

/// Bytes of a title that are kept: it is the agent's own, and all of it is in the frames.
const TITLE: usize = 4 << 10;
/// Bytes of wishes that may wait for a person together; one alone may be as large as a message. Shown and on record a wish
/// takes some four times its bytes, and all of taffrail has 128 MiB (FA-27).
const WAITING: usize = 4 << 20;
/// Why a wish is refused that would be one too many.
const TOO_MUCH: &str = "too much waits for an answer already";
/// Bytes of one line about an action.
const SHOWN: usize = 512;

/// The bytes of an edit that was let through, so that writing exactly these is no second question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SameEdit {
    path: Vec<u8>,
    content: [u8; 32],
}

/// A wish that waits for a person.
pub(super) struct Pending {
    wish: Wish,
    judged: Judged,
    question: taffrail_domain::QuestionId,
    over: Arc<AtomicBool>,
}

/// What an agent wishes.
#[derive(Debug, Clone)]
pub(super) struct Wish {
    pub request: RequestKey,
    pub source: DecisionSource,
    pub action: Action,
    pub tool_call: Option<String>,
    pub title: Option<String>,
    pub kind: Option<String>,
    pub edits: Vec<Edit>,
    /// The option that allows it once; none where the agent offered none.
    pub allow: Option<String>,
    pub reject: Option<String>,
    pub asked_at: Millis,
    /// The text of a write through the protocol; the path of a read.
    pub content: Option<String>,
    /// Of a read through the protocol: the first line, and how many.
    pub lines: (Option<u64>, Option<u64>),
}

/// What became of a wish.
pub(super) struct Settled {
    verdict: Verdict,
    pub ground: Ground,
    question: Option<taffrail_domain::QuestionId>,
    pub said: Option<String>,
}

impl Settled {
    const fn of(verdict: Verdict, ground: Ground) -> Self {
        Self {
            verdict,
            ground,
            question: None,
            said: None,
        }
    }
}

impl Driver<'_, '_, '_, '_> {
    /// The agent asks whether it may.
    pub(super) fn permission(&mut self, request: RequestKey, mut asked: Asked) -> Option<Event> {
        let paths: usize = asked.paths.iter().map(String::len).sum();
        let command = asked.command.as_ref().map_or(0, String::len);
        asked.title = clipped(asked.title, TITLE);
        if let Some(stop) = self.counts(asked.title.len() + command + paths) {
            return Some(stop);
        }
        let own = self
            .setup
            .offers_mcp
            .then(|| own_tools::call(&asked))
            .flatten();
        let action = own.unwrap_or_else(|| {
            let paths = std::mem::take(&mut asked.paths).into_iter();
            foreign_action(Told {
                kind: asked.kind,
                title: asked.title.clone(),
                command: asked.command.take().map(String::into_bytes),
                paths: paths.map(String::into_bytes).collect(),
                host: asked.host.take(),
            })
        });
        let edits = asked.diffs.into_iter().map(|diff| Edit {
            path: diff.path,
            old: diff.old,
            new: diff.new,
        });
        let wish = Wish {
            request,
            source: DecisionSource::Permission,
            action,
            tool_call: Some(asked.tool_call_id),
            title: Some(asked.title).filter(|title| !title.is_empty()),
            kind: asked.kind.map(|kind| kind.name().to_owned()),
            edits: edits.collect(),
            allow: asked.allow,
            reject: asked.reject,
            asked_at: self.now(),
            content: None,
            lines: (None, None),
        };
        let offers = wish.allow.is_some();
        self.decide(wish, offers)
    }

    /// The agent writes a file through us: gated by itself, unless it is what was just let through.
    pub(super) fn write(
        &mut self,
        request: RequestKey,
        path: String,
        content: String,
    ) -> Option<Event> {
        let same = self.same_edit(&path, &content);
        let is_same = same.as_ref().is_some_and(|same| self.edits.contains(same));
        let old = self.setup.door.read(Path::new(&path), None, None).ok();
        let wish = Wish {
            request,
            source: DecisionSource::FsWrite,
            action: Action::Write {
                paths: vec![path.clone().into_bytes()],
                removes: Vec::new(),
            },
            tool_call: None,
            title: None,
            kind: None,
            edits: vec![Edit {
                path,
                old,
                new: content.clone(),
            }],
            allow: None,
            reject: None,
            asked_at: self.now(),
            content: Some(content),
            lines: (None, None),
        };
        if is_same {
            let judged = self.judge.judge(&wish.action);
            return Some(self.settle(
                &wish,
                &judged,
                &Settled::of(Verdict::Allowed, Ground::SameEdit),
            ));
        }
        self.decide(wish, true)
    }

    pub(super) fn decide(&mut self, wish: Wish, can_allow: bool) -> Option<Event> {
        let mut judged = self.judge.judge(&wish.action);
        let refused = |ground| Some(Settled::of(Verdict::Refused, ground));
        let settled = match judged.answer {
            Answer::Deny => refused(Ground::Policy),
            _ if !can_allow => refused(Ground::NoAllowOption),
            Answer::Allow => Some(Settled::of(Verdict::Allowed, allowed_by(&judged))),
            Answer::Ask if self.setup.unattended => refused(Ground::Unattended),
            Answer::Ask if self.too_much_waits(&wish) => {
                judged.why = Some(TOO_MUCH);
                refused(Ground::Unfit)
            }
            Answer::Ask => None,
        };
        match settled {
            Some(settled) => Some(self.settle(&wish, &judged, &settled)),
            None => self.ask(wish, judged),
        }
    }

    fn too_much_waits(&self, wish: &Wish) -> bool {
        let waiting = self.pending.values().map(|pending| pending.wish.bytes());
        let waiting: usize = waiting.sum();
        waiting > 0 && waiting + wish.bytes() > WAITING
    }

    /// Puts the question on record and waits for the answer in a thread of its own.
    fn ask(&mut self, wish: Wish, judged: Judged) -> Option<Event> {
        let asking = self.asking(&wish, &judged);
        let (app, run) = (self.setup.app, self.record.run);
        let approver = self.setup.surface.approver();
        self.record.flush();
        let put = questions::put(app, &run, &asking, approver.is_some());
        let question = self.kept(put)?;
        self.record.tell(RunEvent::Question {
            id: question.id.short(),
            what: self.shown(&wish.action),
            risk: judged.decision.risk.name(),
            destructive: judged.decision.destructive,
        });
        let over = Arc::new(AtomicBool::new(false));
        let (heard, request) = (self.heard.clone(), wish.request);
        let (id, is_over) = (question.id, Arc::clone(&over));
        self.scope.spawn(move || {
            let cancelled = || is_over.load(Ordering::Relaxed);
            let outcome = questions::wait(app, &question, approver, &cancelled);
            // Once the run is over nobody hears it.
            drop(heard.send(Heard::Answered(request, Box::new(outcome))));
        });
        let first = !self.somebody_is_asked();
        let pending = Pending {
            wish,
            judged,
            question: id,
            over,
        };
        self.pending.insert(request, pending);
        first.then_some(Event::PersonAsked(true))
    }

    fn asking(&self, wish: &Wish, judged: &Judged) -> Asking {
        Asking {
            request: wish.request.0.to_string(),
            agent: self.setup.agent.clone(),
            title: wish.title.clone(),
            kind: wish.kind.clone(),
            action: wish.action.clone(),
            edits: wish.edits.clone(),
            beside: announced::beside(wish, self.client.tool_calls()),
            cwd: self.setup.tree.clone().into_bytes(),
            risk: judged.decision.risk,
            destructive: judged.decision.destructive,
            reasons: judged.reasons(),
            may_grant: self.judge.may_grant(&wish.action),
        }
    }

    /// A person answered, or nobody did.
    pub(super) fn answered(&mut self, request: RequestKey, outcome: Result<Outcome, AppError>) {
        let Some(pending) = self.pending.remove(&request) else {
            return;
        };
        let outcome = self.kept(outcome).unwrap_or(Outcome::Withdrawn);
        let settled = self.settled(&pending, outcome);
        let event = self.settle(&pending.wish, &pending.judged, &settled);
        self.feed_machine(event);
        self.person_is_free();
    }

    fn settled(&mut self, pending: &Pending, outcome: Outcome) -> Settled {
        use taffrail_domain::Reply::{Edits, No, Yes};
        let (verdict, ground, said) = match outcome {
            Outcome::Said(said) => {
                if said.reply == Edits {
                    self.granted();
                }
                let verdict = match said.reply {
                    Yes | Edits => Verdict::Allowed,
                    No => Verdict::Refused,
                };
                (verdict, Ground::Human, said.reason)
            }
            Outcome::Unanswered => (Verdict::Refused, Ground::Timeout, None),
            Outcome::Withdrawn => (Verdict::Refused, Ground::Cancelled, None),
        };
        Settled {
            verdict,
            ground,
            question: Some(pending.question),
            said,
        }
    }

    /// Every further edit inside of the checkout is let through while the sandbox holds (FA-24).
    fn granted(&mut self) {
        self.judge.grant = Grant::Human;
        let kept = self
            .setup
            .app
            .store
            .agent_granted(&self.record.run, GrantSource::Human);
        self.kept(kept.map_err(AppError::from));
        self.record
            .note("a person granted all edits inside the checkout of this run");
    }

    fn somebody_is_asked(&self) -> bool {
        self.host_asked || !self.pending.is_empty()
    }

    pub(super) fn person_is_free(&mut self) {
        if !self.somebody_is_asked() {
            self.feed_machine(Event::PersonAsked(false));
        }
    }

    /// The machine answered by itself: nobody needs to be asked any more.
    pub(super) fn withdraw(&mut self, request: RequestKey) -> Option<Event> {
        let mut pending = self.pending.remove(&request)?;
        pending.over.store(true, Ordering::Relaxed);
        // Neither option was selected.
        (pending.wish.allow, pending.wish.reject) = (None, None);
        let settled = Settled {
            question: Some(pending.question),
            ..Settled::of(Verdict::Refused, Ground::Cancelled)
        };
        self.put_on_record(&pending.wish, &pending.judged, &settled);
        (!self.somebody_is_asked()).then_some(Event::PersonAsked(false))
    }

    /// The run is over.
    pub(super) fn withdraw_all(&mut self) {
        let requests: Vec<RequestKey> = self.pending.keys().copied().collect();
        for request in requests {
            self.withdraw(request);
        }
    }

    /// On record first; then it is done.
    fn settle(&mut self, wish: &Wish, judged: &Judged, settled: &Settled) -> Event {
        let is_kept = self.put_on_record(wish, judged, settled);
        let may = settled.verdict == Verdict::Allowed && is_kept;
        if may {
            self.allowed(wish, settled.ground);
        }
        match wish.source {
            DecisionSource::FsWrite => self.write_now(wish, may, settled),
            DecisionSource::FsRead => self.read_settled(wish, may, settled),
            _ => Event::Decided {
                request: wish.request,
                decision: if may { Reply::Allow } else { Reply::Reject },
            },
        }
    }

    /// What was let through, for what is not asked twice and for what cannot be told from it later.
    fn allowed(&mut self, wish: &Wish, ground: Ground) {
        match &wish.action {
            Action::Write { paths, removes } => {
                let all = paths.iter().chain(removes);
                self.end.allowed_paths.extend(all.cloned());
            }
            Action::Shell { .. } | Action::Unknown { .. } => self.end.commands_allowed = true,
            Action::Read { .. }
            | Action::OwnTool { .. }
            | Action::Network { .. }
            | Action::Delegate { .. } => {}
        }
        // A rule that lets a command through has not judged the edits that were put beside it; a person saw them.
        let judged = matches!(wish.action, Action::Write { .. }) || ground == Ground::Human;
        for edit in wish.edits.iter().filter(|_| judged) {
            self.edits.extend(self.same_edit(&edit.path, &edit.new));
        }
    }

    fn put_on_record(&mut self, wish: &Wish, judged: &Judged, settled: &Settled) -> bool {
        let shown = self.shown(&wish.action);
        let event = Decided {
            what: shown.clone(),
            risk: judged.decision.risk.name(),
            destructive: judged.decision.destructive,
            answer: judged.answer.name(),
            verdict: settled.verdict.name(),
            ground: settled.ground.name(),
            reasons: self.record.cleaned(judged.reasons()),
        };
        let kept = self.record.decision(&super::record::Row {
            wish: &wish.of_row(),
            judged,
            verdict: settled.verdict,
            ground: settled.ground,
            question: settled.question,
            shown: &shown,
        });
        if self.kept(kept).is_none() {
            // What is not on record is not let through, and is not told as if it were.
            return false;
        }
        self.record.tell(RunEvent::Decision(event));
        if let Some(said) = &settled.said {
            self.record.note(&format!("the person said: {said}"));
        }
        if settled.verdict == Verdict::Refused {
            self.record.refuses(&shown, settled.ground);
        }
        true
    }

    fn shown(&self, action: &Action) -> String {
        // A path of the checkout is told as the project knows it, in what the agent calls it as well.
        let folder = format!("{}/", self.setup.tree);
        let shown = questions::summary(action, self.setup.tree.as_bytes());
        let shown = shown.as_str().replace(&folder, "");
        clipped(self.setup.app.redactor.clean(&shown).into_string(), SHOWN)
    }

    /// None for a path that is not one of the checkout.
    fn same_edit(&self, path: &str, content: &str) -> Option<SameEdit> {
        let path = self.setup.door.beneath(Path::new(path))?;
        Some(SameEdit {
            path: path.as_bytes().to_vec(),
            content: Sha256::digest(content.as_bytes()).into(),
        })
    }

    pub(super) fn now(&self) -> Millis {
        self.setup.app.inputs.clock.now()
    }
}

impl Wish {
    /// Bytes of its texts.
    fn bytes(&self) -> usize {
        let old = |edit: &Edit| edit.old.as_ref().map_or(0, String::len);
        let edits = self.edits.iter();
        let edits: usize = edits.map(|edit| old(edit) + edit.new.len()).sum();
        let all = |paths: &[Vec<u8>]| paths.iter().map(Vec::len).sum::<usize>();
        let action = match &self.action {
            Action::Shell { command, paths } => command.len() + all(paths),
            Action::Write { paths, removes } => all(paths) + all(removes),
            Action::Read { paths }
            | Action::OwnTool { paths, .. }
            | Action::Unknown { paths, .. } => all(paths),
            Action::Network { host } => host.len(),
            Action::Delegate { agent } => agent.len(),
        };
        edits + action + self.content.as_ref().map_or(0, String::len)
    }

    fn of_row(&self) -> super::record::WishRow<'_> {
        super::record::WishRow {
            request: self.request.0,
            source: self.source,
            action: &self.action,
            tool_call: self.tool_call.as_deref(),
            kind: self.kind.as_deref(),
            option: [&self.allow, &self.reject].map(Option::as_deref),
            asked_at: self.asked_at,
        }
    }
}

fn allowed_by(judged: &Judged) -> Ground {
    let granted = judged
        .decision
        .reasons
        .iter()
        .any(|reason| reason.why == taffrail_policy::Why::Grant);
    if granted {
        Ground::Grant
    } else {
        Ground::Policy
    }
}

/// The beginning of a text that is longer than `most` bytes, and how long it was.
fn clipped(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let begin = text
        .get(..text.floor_char_boundary(most))
        .unwrap_or_default();
    format!("{begin}… ({} bytes)", text.len())
}
