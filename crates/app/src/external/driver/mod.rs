//! The loop of one run: what is heard of the agent's process goes to the session machine, and what the machine wants is
//! done.
//!
//! One thread decides everything. Others only read the agent's output, hold its process, or ask a person, and tell this one
//! through a channel of bounded length: an agent that floods waits.

mod end;
mod threads;

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread::Scope;
use std::time::Duration;

use taffrail_acp::{Client, Effect, Event, Facts, Frame, RequestKey, Update};
use taffrail_confine::stopwatch::Stopwatch;
use taffrail_confine::stream::{Drain, DrainLimits, Feed, Kept};
use taffrail_confine::supervise::{
    self, FirstSignal, Launch, LaunchError, OurPipes, Outcome, Stop, Streams, Veto,
};
use taffrail_domain::{EndReason, Enforcement};
use taffrail_tools::TextDoor;

use end::End;
use threads::{hold, not_started, read_output};

use super::doors::MethodCall;
use super::gates::is_of_user;
use super::judge::Judge;
use super::record::{Record, keep_call};
use super::wishes::{Pending, SameEdit};
use super::{Surface, notes, questions, result};
use crate::network::HostAsked;
use crate::{App, AppError};

/// Bytes that may wait until the agent reads them: some answers to `fs/read_text_file`, which have 4 MiB each.
const UNREAD: usize = 32 << 20;
/// Bytes of text and events of a run (FA-27); each event counts 64 beside its text.
const OUTPUT: u64 = 16 << 20;
const EVENT: u64 = 64;
/// From the end of its input to TERM. Of the agents that are known, one takes seven seconds to leave by itself.
const LEAVE: Duration = Duration::from_secs(2);
/// What is still in the pipes when the process is gone is waited for no longer than this.
const REST: Duration = Duration::from_secs(1);

/// What a run is driven with.
pub(super) struct Setup<'a> {
    pub app: &'a App,
    pub surface: &'a dyn Surface,
    pub door: TextDoor,
    /// A missing file is read as an empty one: an agent that cannot make files otherwise (FA-21).
    pub missing_is_empty: bool,
    pub unattended: bool,
    /// Our MCP server is offered: a call of its tools that the agent asks about comes to us.
    pub offers_mcp: bool,
    /// A refusal makes the agent end its turn as cancelled, before it could say what it did.
    pub refusal_ends_turn: bool,
    pub stderr_budget: u64,
    /// The checkout, as questions show it.
    pub tree: String,
    /// The agent's id.
    pub agent: String,
}

/// What came of it.
pub(super) struct Driven {
    pub outcome: Result<Outcome, AppError>,
    pub enforcement: Option<Enforcement>,
    pub reason: EndReason,
    pub detail: String,
    pub facts: Facts,
    pub result: Option<Result<result::ResultDocument, result::ResultFault>>,
    pub final_text: String,
    pub repair_asked: bool,
    pub cancel_sent: bool,
    pub stderr: Kept,
    /// Paths that were allowed to change, beneath the checkout.
    pub allowed_paths: Vec<Vec<u8>>,
    /// A command was allowed: what it changed cannot be told from what was not asked for.
    pub commands_allowed: bool,
}

/// What is heard.
pub(super) enum Heard {
    /// Frames, and what is dropped when they were looked at: who sent large ones waits for that.
    Frames(Vec<Frame>, SyncSender<()>),
    OutputClosed,
    StderrBudget,
    Enforced(Box<Enforcement>, SyncSender<Result<(), Veto>>),
    Started,
    Signal,
    /// A person had us stopped for so long.
    StoodStill(Duration),
    Over(Box<Result<Outcome, LaunchError>>),
    Answered(RequestKey, Box<Result<questions::Outcome, AppError>>),
    Called(Box<MethodCall>),
    /// A person is asked for a host that no rule names, or is not any more.
    Host(HostAsked),
}

/// Drives a run to its end.
pub(super) fn drive<'a>(
    setup: &Setup<'a>,
    record: &mut Record<'a>,
    judge: &mut Judge,
    client: Client,
    launch: Launch,
    (heard, hears): (SyncSender<Heard>, Receiver<Heard>),
) -> Result<Driven, AppError> {
    let stop = Stop::new().map_err(not_started)?;
    let (ours, theirs) = supervise::pipes().map_err(not_started)?;
    let OurPipes {
        stdin,
        stdout,
        stderr,
    } = ours;
    let launch = Launch {
        streams: Streams::Piped(theirs),
        stop: Some(stop.clone()),
        first_signal: FirstSignal::IsTold,
        ..launch
    };
    let limits = DrainLimits {
        budget: setup.stderr_budget,
        ..DrainLimits::STDERR
    };
    let tells = heard.clone();
    let drain = Drain::start(stderr, limits, move || {
        // Nobody hears it once the run is over.
        drop(tells.send(Heard::StderrBudget));
    })
    .map_err(not_started)?;
    let feed = Feed::start(stdin, UNREAD).map_err(not_started)?;
    read_output(stdout, heard.clone())?;
    hold(launch, heard.clone())?;
    let mut driven = std::thread::scope(|scope| {
        let driver = Driver {
            scope,
            setup,
            record,
            judge,
            client,
            heard,
            watch: Stopwatch::start(),
            began: Duration::ZERO,
            feed: Some(feed),
            stop,
            pending: BTreeMap::new(),
            host_asked: false,
            edits: Vec::new(),
            tools: BTreeMap::new(),
            output: 0,
            end: End::default(),
        };
        // Dropped with the run: who still wants to tell something does not wait for ever.
        let driven = driver.run(&hears);
        drop(hears);
        driven
    })?;
    driven.stderr = drain.finish(REST);
    Ok(driven)
}

/// The deciding thread's state.
pub(super) struct Driver<'scope, 'env, 'a, 'r> {
    pub scope: &'scope Scope<'scope, 'env>,
    pub setup: &'env Setup<'a>,
    pub record: &'r mut Record<'a>,
    pub judge: &'r mut Judge,
    pub client: Client,
    pub heard: SyncSender<Heard>,
    watch: Stopwatch,
    /// When the agent was started, on `watch`: the machine counts from there.
    began: Duration,
    feed: Option<Feed>,
    stop: Stop,
    pub pending: BTreeMap<RequestKey, Pending>,
    /// A person is asked for a host.
    pub host_asked: bool,
    /// What was allowed in this turn, so that the same bytes are not asked about twice.
    pub edits: Vec<SameEdit>,
    /// The last status of each tool call that was told.
    tools: BTreeMap<String, Option<String>>,
    output: u64,
    pub end: End,
}

impl<'scope, 'env, 'a, 'r> Driver<'scope, 'env, 'a, 'r> {
    fn run(mut self, hears: &Receiver<Heard>) -> Result<Driven, AppError> {
        while !self.is_over() {
            match self.wait(hears) {
                Some(heard) => self.hear(heard),
                None => self.feed_machine(Event::Tick),
            }
        }
        if let Some(Ok(outcome)) = &self.end.outcome {
            let ended = outcome.ended;
            self.feed_machine(Event::Exited(ended));
        }
        self.withdraw_all();
        self.conclude()
    }

    /// The process is gone and everything that it said was heard.
    fn is_over(&self) -> bool {
        let late = self
            .end
            .rest_until
            .is_some_and(|until| until <= self.watch.elapsed());
        self.end.outcome.is_some() && (self.end.output_closed || late)
    }

    /// The time since the agent was started.
    fn since_begun(&self) -> Duration {
        self.watch.elapsed().saturating_sub(self.began)
    }

    /// What is heard next; none when it is time to look at the clock.
    fn wait(&self, hears: &Receiver<Heard>) -> Option<Heard> {
        let machine = self.client.wakes_at().map(|at| self.began + at);
        let until = [machine, self.end.rest_until].into_iter().flatten().min();
        match until {
            None => hears.recv().ok(),
            Some(until) => {
                let left = until.saturating_sub(self.watch.elapsed());
                hears.recv_timeout(left).ok()
            }
        }
    }

    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Frames(frames, _looked_at) => {
                frames.into_iter().for_each(|frame| self.frame(frame));
            }
            Heard::OutputClosed => {
                self.end.output_closed = true;
                self.feed_machine(Event::OutputClosed);
            }
            Heard::StderrBudget => self.feed_machine(Event::Stop(EndReason::StderrLimit)),
            Heard::Enforced(enforcement, answer) => {
                let kept = self.enforced(*enforcement);
                // The other side waits for it.
                answer.send(kept).unwrap_or_default();
            }
            Heard::Started => {
                self.began = self.watch.elapsed();
                self.feed_machine(Event::Begun);
            }
            Heard::Signal => {
                self.end.cancel_sent = true;
                self.record.note("ended by a person");
                self.feed_machine(Event::Cancel);
            }
            Heard::StoodStill(time) => self.watch.stood_still(time),
            Heard::Over(outcome) => self.over(*outcome),
            Heard::Answered(request, outcome) => self.answered(request, *outcome),
            Heard::Called(call) => self.called(&call),
            Heard::Host(asked) => self.host(asked),
        }
    }

    /// A call of our MCP server, answered by its own thread.
    fn called(&mut self, call: &MethodCall) {
        let kept = keep_call(self.setup.app, &self.record.run, call);
        self.kept(kept);
        let stop = self.counts(call.what.len());
        stop.into_iter().for_each(|stop| self.feed_machine(stop));
    }

    /// The row that the agent runs is written before it does.
    fn enforced(&mut self, enforcement: Enforcement) -> Result<(), Veto> {
        let app = self.setup.app;
        let facts = crate::boxes::facts::clean_json(&app.redactor, &enforcement);
        self.end.enforcement = Some(enforcement);
        let kept = app.store.run_started(&self.record.run, &facts);
        kept.map_err(|error| {
            self.end.failed = Some(error.into());
            Veto
        })
    }

    fn frame(&mut self, frame: Frame) {
        let kept = self.record.received(self.since_begun(), &frame);
        self.kept(kept);
        if self.client.ended() {
            let kept = self.record.late(&frame.incoming);
            self.kept(kept);
        }
        self.feed_machine(Event::Received(frame.incoming));
    }

    /// A process that ended may have left its last words in the pipe: those are heard before it is told as gone.
    fn over(&mut self, outcome: Result<Outcome, LaunchError>) {
        self.end.rest_until = Some(self.watch.elapsed() + REST);
        self.end.outcome = Some(outcome);
    }

    /// What could not be put on record ends the run, as soon as the machine has said what it has to say.
    pub fn kept<T>(&mut self, kept: Result<T, AppError>) -> Option<T> {
        match kept {
            Ok(value) => Some(value),
            Err(error) => {
                self.end.failed.get_or_insert(error);
                None
            }
        }
    }

    /// Tells the machine, does what it wants, and tells it what came of that, until there is nothing left to do.
    pub fn feed_machine(&mut self, event: Event) {
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            let now = self.since_begun();
            for effect in self.client.on(now, event) {
                events.extend(self.effect(effect));
            }
            if self.end.failed.is_some() && !self.end.failure_is_told {
                self.end.failure_is_told = true;
                events.push_front(Event::Stop(EndReason::NotRecorded));
            }
        }
    }

    fn effect(&mut self, effect: Effect) -> Option<Event> {
        match effect {
            Effect::Send(line) => self.send(line),
            Effect::Permission { request, asked } => self.permission(request, *asked),
            Effect::Read {
                request,
                path,
                line,
                limit,
            } => {
                let stop = self.counts(path.len());
                stop.or_else(|| self.read(request, path, (line, limit)))
            }
            Effect::Write {
                request,
                path,
                content,
            } => {
                let stop = self.counts(path.len());
                stop.or_else(|| self.write(request, path, content))
            }
            Effect::Withdrawn { request } => self.withdraw(request),
            Effect::Refused(refused) => {
                let kept = self.record.refused(&refused);
                self.kept(kept);
                self.counts(refused.method.len() + refused.what.len())
            }
            Effect::Update(update) => self.update(update),
            Effect::Note(note) => {
                self.record.note(&notes::sentence(&note));
                None
            }
            Effect::Ready => {
                self.ready();
                None
            }
            Effect::TurnEnded { stop, text } => Some(self.turn_ended(&stop, text)),
            Effect::CloseInput => {
                self.close_input();
                None
            }
            Effect::Ended(reason, detail) => {
                self.ended(reason, detail);
                None
            }
        }
    }

    fn send(&mut self, line: Vec<u8>) -> Option<Event> {
        let kept = self.record.sent(self.since_begun(), &line);
        self.kept(kept);
        let sent = self.feed.as_ref().map(|feed| feed.send(line));
        match sent {
            Some(Err(taffrail_confine::stream::FeedError::Full { waiting, limit })) => {
                self.record.note(&format!(
                    "the agent does not read: {waiting} bytes wait for it, and {limit} may"
                ));
                Some(Event::Stop(EndReason::OutputLimit))
            }
            // An agent that is gone says so by its output and its exit.
            Some(Ok(()) | Err(taffrail_confine::stream::FeedError::Gone)) | None => None,
        }
    }

    fn close_input(&mut self) {
        if let Some(feed) = self.feed.take() {
            // What still waits is given the moment that the agent has to leave anyway.
            std::thread::spawn(move || feed.close(LEAVE));
        }
    }

    fn ended(&mut self, reason: EndReason, detail: String) {
        self.close_input();
        self.withdraw_all();
        match reason {
            EndReason::EndTurn
            | EndReason::InvalidResult
            | EndReason::MaxTokens
            | EndReason::MaxTurnRequests
            | EndReason::Refusal
            | EndReason::AgentCancelled
            | EndReason::UnknownStop
            | EndReason::AgentError
            | EndReason::SignIn
            | EndReason::ProtocolVersion => self.stop.stop_after(LEAVE),
            EndReason::LineLimit
            | EndReason::OutputLimit
            | EndReason::StderrLimit
            | EndReason::NotRecorded
            | EndReason::InitializeTimeout
            | EndReason::SessionTimeout
            | EndReason::Timeout
            | EndReason::Inactivity
            | EndReason::CancelIgnored
            | EndReason::OutputClosed
            | EndReason::Exited
            | EndReason::Signalled
            | EndReason::Cancelled
            | EndReason::SupervisorLost
            | EndReason::TaffrailKilled => self.stop.stop(),
        }
        self.end.said = Some((reason, detail));
    }

    fn update(&mut self, update: Update) -> Option<Event> {
        self.output += EVENT;
        match update {
            Update::Text { text, .. } => {
                self.output += text.len() as u64;
                self.record.says(&text, false);
            }
            Update::Thought(text) => {
                self.output += text.len() as u64;
                self.record.says(&text, true);
            }
            Update::Tool(seen) => self.tool(&seen),
            Update::Usage(usage) => {
                let kept = self.record.usage(&usage);
                self.kept(kept);
            }
            Update::Mode(mode) => self.record.note(&format!("the agent's mode is now {mode}")),
            Update::Plan(_) | Update::Title(_) => {}
        }
        self.too_much()
    }

    /// Counts text and events of the run (FA-27).
    pub fn counts(&mut self, bytes: usize) -> Option<Event> {
        self.output += EVENT + bytes as u64;
        self.too_much()
    }

    fn too_much(&self) -> Option<Event> {
        let over = self.output > OUTPUT && !self.client.ended();
        over.then_some(Event::Stop(EndReason::OutputLimit))
    }

    /// Told and kept where it is new or its status is; each later update only counts.
    fn tool(&mut self, seen: &taffrail_acp::ToolSeen) {
        let known = self.tools.get(&seen.id);
        if known.is_some_and(|status| *status == seen.status) {
            return;
        }
        let status = seen.status.as_ref().map_or(0, String::len);
        self.output += (seen.id.len() + seen.title.len() + status) as u64;
        self.tools.insert(seen.id.clone(), seen.status.clone());
        self.record.tool_seen(seen);
        if let Some(call) = self.client.tool_call(&seen.id) {
            let kept = self.record.tool(call, 0);
            self.kept(kept);
        }
    }

    fn ready(&mut self) {
        let kept = self.record.ready(
            self.client.facts(),
            &self.setup.agent,
            &self.setup.tree,
            self.end.enforcement.as_ref(),
        );
        self.kept(kept);
        let entry = self.setup.app.config.agents.get(&self.setup.agent);
        // Of the built-in ones it was found out which mode asks the most.
        let of_user = entry.is_some_and(|entry| is_of_user(entry, "command"));
        let mode = notes::own_mode(self.client.facts()).filter(|_| of_user);
        mode.iter().for_each(|mode| self.record.note(mode));
    }
}
