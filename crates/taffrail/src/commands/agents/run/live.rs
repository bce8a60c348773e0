//! A run while it goes on: JSON lines for a script, or lines for a person.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use taffrail_app::external::events::{Decided, Envelope, Init, RunEvent};
use taffrail_app::external::questions::{Approver, UNATTENDED_WAIT};
use taffrail_app::external::{NOT_APPROVED, Surface};
use taffrail_domain::{Ground, Served};
use taffrail_text::Shown;

use crate::commands::agents::approver::TerminalApprover;
use crate::commands::agents::words;
use crate::commands::boxes;

use crate::output::{Colour, Meter, Paint, Screen};

/// Shows a run on the terminal of its process.
pub struct Live<'a> {
    screen: &'a Screen<'a>,
    meter: &'a Meter,
    approver: Option<&'a TerminalApprover<'a>>,
    json: bool,
    paint: Paint,
    /// The checkout's path, once the session stands.
    checkout: OnceLock<String>,
    /// What was said before the run began, which goes on record as notes of it.
    noticed: Mutex<Vec<String>>,
    /// The result was told.
    is_over: AtomicBool,
}

impl<'a> Live<'a> {
    pub fn new(
        screen: &'a Screen<'a>,
        meter: &'a Meter,
        approver: Option<&'a TerminalApprover<'a>>,
        json: bool,
        paint: Paint,
    ) -> Self {
        Self {
            screen,
            meter,
            approver,
            json,
            paint,
            checkout: OnceLock::new(),
            noticed: Mutex::default(),
            is_over: AtomicBool::new(false),
        }
    }

    /// Whether the last event was told, of a run that failed too.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Says something before the run begins.
    pub fn notice(&self, text: &str) {
        let line = format!("note: {}", Shown::line(text));
        self.meter.aside(|| self.say(&line));
        let noticed = self.noticed.lock();
        noticed
            .unwrap_or_else(PoisonError::into_inner)
            .push(text.to_owned());
    }

    fn is_news(&self, text: &str) -> bool {
        let noticed = self.noticed.lock();
        let noticed = noticed.unwrap_or_else(PoisonError::into_inner);
        !noticed.iter().any(|said| said == text)
    }

    fn words(&self, event: &RunEvent) {
        match event {
            RunEvent::Init(init) => {
                self.checkout.get_or_init(|| init.checkout.clone());
                self.say(&started(init));
                network(init).iter().for_each(|line| self.say(line));
            }
            RunEvent::Message {
                text,
                thought: false,
            } => {
                self.screen
                    .data(Shown::block(text).as_str().as_bytes())
                    .unwrap_or_default();
            }
            // Nobody sits at this terminal to whom it is shown whole.
            RunEvent::Question { id, what, .. } if self.approver.is_none() => {
                self.say(&self.paint.with(Colour::Warn, &waits(id, what)));
            }
            RunEvent::Message { thought: true, .. }
            | RunEvent::Usage { .. }
            | RunEvent::Question { .. }
            // The command ends with it, and says it then.
            | RunEvent::Error { .. }
            | RunEvent::Result(_) => {}
            RunEvent::ToolCall { title, status, .. } => {
                self.tool(title.as_deref(), status.as_deref())
            }
            // The edit that was let through the moment before is no news.
            RunEvent::Decision(decided) if decided.ground == Ground::SameEdit.name() => {}
            RunEvent::Decision(decided) => self.say(&self.decided(decided)),
            // The decision before it said so.
            RunEvent::FsRequest {
                reason: Some(reason),
                ..
            } if reason.starts_with(NOT_APPROVED) => {}
            RunEvent::FsRequest {
                method,
                outcome,
                reason: Some(reason),
                ..
            } if *outcome == Served::Refused.name() => {
                // The reason names the path.
                let reason = words::beneath(reason, self.checkout.get());
                let line = format!("not done, {method}: {reason}");
                self.say(&Shown::line(&line).into_string());
            }
            RunEvent::FsRequest { .. } => {}
            RunEvent::Note { text } if !self.is_news(text) => {}
            RunEvent::Note { text } => self.say(&format!("note: {}", Shown::line(text))),
        }
    }

    fn tool(&self, title: Option<&str>, status: Option<&str>) {
        let ended = matches!(status, Some("completed" | "failed"));
        let title = title.filter(|title| !title.is_empty());
        if let (Some(title), true) = (title, ended) {
            let status = status.unwrap_or_default();
            let line = format!("{status}: {}", Shown::line(title).truncated(120));
            self.say(&self.paint.with(Colour::Place, &line));
        }
    }

    fn decided(&self, decided: &Decided) -> String {
        let what = Shown::line(&decided.what).truncated(160);
        let ground = words::ground(decided.ground);
        let why = words::why(decided)
            .map(|why| format!(": {}", Shown::line(why).truncated(120)))
            .unwrap_or_default();
        let line = format!("{}: {what} ({ground}{why})", decided.verdict);
        match decided.verdict {
            "allowed" => line,
            _ => self.paint.with(Colour::Warn, &line),
        }
    }

    fn say(&self, line: &str) {
        self.screen.say(line);
    }
}

impl Surface for Live<'_> {
    fn event(&self, event: &Envelope) {
        // From here on the terminal belongs to the run: a meter that is redrawn would hide what a person is asked.
        self.meter.done();
        if matches!(event.event, RunEvent::Result(_)) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        if self.json {
            if let Ok(mut line) = serde_json::to_vec(event) {
                line.push(b'\n');
                // On a terminal lines wait while a question stands.
                self.screen.data(line).unwrap_or_default();
            }
        } else {
            self.words(&event.event);
        }
    }

    fn approver(&self) -> Option<&dyn Approver> {
        self.approver.map(|approver| approver as &dyn Approver)
    }
}

/// How a question is answered that no terminal of the run shows.
fn waits(id: &str, what: &str) -> String {
    format!(
        "asked: {} ({} s for an answer, at another terminal: taffrail inbox; or taffrail inbox answer {id} yes|no)",
        Shown::line(what).truncated(160),
        UNATTENDED_WAIT.as_secs(),
    )
}

/// What can be reached over the network, and what stays open.
fn network(init: &Init) -> Vec<String> {
    let Some(enforcement) = &init.enforcement else {
        return Vec::new();
    };
    let net = boxes::network(&enforcement.net);
    let open = enforcement.open.iter();
    std::iter::once(net)
        .chain(open.map(|open| format!("  open: {}", Shown::line(open))))
        .collect()
}

fn started(init: &Init) -> String {
    let name = init.agent_name.as_deref().unwrap_or(&init.agent);
    let version = init.agent_version.as_deref().unwrap_or_default();
    let mode = init
        .mode
        .as_deref()
        .map(|mode| format!(", its mode {}", Shown::line(mode)));
    format!(
        "{} {}, run {}, sandbox {}{}",
        Shown::line(name),
        Shown::line(version),
        init.run,
        init.sandbox,
        mode.unwrap_or_default(),
    )
}
