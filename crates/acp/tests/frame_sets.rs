//! Conversations shaped like those of real agents, played through reader and machine (FA-22, FA-28).
//!
//! A line of a set is: `!` the plan, `<` what the agent says (`$method` stands for the id of our request), `log` a line of its
//! output that is no message, `>` what we must have sent next, `?` a decision, `r` and `w` a file read or written, `@` what
//! must be known by now, `=` the end.

#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.

mod support;

use serde_json::{Value, json};
use support::{Play, key};
use taffrail_acp::{Asked, Decision, Effect, Event, Plan, RequestKey, RpcError};

struct Stage {
    play: Play,
    /// How much of what was sent the set has seen.
    seen: usize,
    waits: Option<RequestKey>,
    asked: Asked,
}

fn play(set: &str) {
    let mut lines = set
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let plan: Value =
        serde_json::from_str(lines.next().unwrap().strip_prefix("! ").unwrap()).unwrap();
    let text = |key: &str| plan[key].as_str().map(str::to_owned);
    let mut stage = Stage {
        play: Play::new(Plan {
            auth_method: text("auth_method"),
            mode: text("mode"),
            write: plan["write"] != json!(false),
            ..support::plan()
        }),
        seen: 0,
        waits: None,
        asked: Asked::default(),
    };
    stage.event(Event::Begun);
    for line in lines {
        stage.step(line);
    }
    assert!(stage.play.client.ended(), "the set ends with an end");
    let questions: Vec<_> = stage.play.effects.iter().filter_map(key_of).collect();
    let answers = stage
        .play
        .sent
        .iter()
        .filter(|sent| sent.get("method").is_none())
        .count();
    let refused = stage
        .play
        .effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Refused(_)))
        .count();
    assert_eq!(
        answers,
        questions.len() + refused,
        "each request was answered once"
    );
}

fn key_of(effect: &Effect) -> Option<RequestKey> {
    match effect {
        Effect::Permission { request, .. }
        | Effect::Read { request, .. }
        | Effect::Write { request, .. } => Some(*request),
        _ => None,
    }
}

impl Stage {
    fn step(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "<" => self.says(rest),
            "log" => self.took(|play| play.line(rest)),
            ">" => self.expects(rest),
            "?" => self.decides(rest),
            "r" => self.answers_read(Ok(rest.to_owned())),
            "r!" => self.answers_read(Err(RpcError::new(rest.parse().unwrap(), "no"))),
            "w" => self.answers_write(Ok(())),
            "w!" => self.answers_write(Err(RpcError::new(rest.parse().unwrap(), "no"))),
            "@" => self.knows(rest),
            "=" => {
                self.event(Event::Finish);
                assert_eq!(self.play.reason().map(|reason| reason.name()), Some(rest));
            }
            other => panic!("`{other}` is no step"),
        }
    }

    fn took(&mut self, act: impl FnOnce(&mut Play) -> Vec<Effect>) {
        let effects = act(&mut self.play);
        if effects.iter().any(|effect| key_of(effect).is_some()) {
            self.waits = Some(key(&effects));
        }
        for effect in effects {
            if let Effect::Permission { asked, .. } = effect {
                self.asked = *asked;
            }
        }
    }

    fn event(&mut self, event: Event) {
        self.took(|play| play.event(event));
    }

    fn says(&mut self, text: &str) {
        let mut message: Value = serde_json::from_str(text).unwrap();
        if let Some(method) = message["id"].as_str().and_then(|id| id.strip_prefix('$')) {
            message["id"] = self.play.id_of(method);
        }
        self.took(|play| play.says(message));
    }

    fn expects(&mut self, text: &str) {
        let sent: Vec<_> = self.play.sent.iter().skip(self.seen).cloned().collect();
        let mut words = text.splitn(3, ' ');
        let (what, id, value) = (words.next().unwrap(), words.next(), words.next());
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let fits = |sent: &Value| match (what, id, value) {
            ("answer", Some(id), Some(result)) => {
                sent["id"] == json(id) && sent["result"] == json(result)
            }
            ("error", Some(id), Some(code)) => {
                sent["id"] == json(id) && sent["error"]["code"] == json(code)
            }
            (method, _, _) => sent["method"] == method,
        };
        let at = sent.iter().position(fits);
        let at = at.unwrap_or_else(|| panic!("`{text}` is not among {sent:?}"));
        self.seen += at + 1;
    }

    fn decides(&mut self, text: &str) {
        let request = self.waits.take().unwrap();
        let event = match text {
            "allow" => Event::Decided {
                request,
                decision: Decision::Allow,
            },
            "reject" => Event::Decided {
                request,
                decision: Decision::Reject,
            },
            _ => Event::Cancel,
        };
        self.event(event);
    }

    fn answers_read(&mut self, result: Result<String, RpcError>) {
        let request = self.waits.take().unwrap();
        self.event(Event::ReadDone { request, result });
    }

    fn answers_write(&mut self, result: Result<(), RpcError>) {
        let request = self.waits.take().unwrap();
        self.event(Event::WriteDone { request, result });
    }

    fn knows(&self, text: &str) {
        let (what, wanted) = text.split_once(' ').unwrap();
        let facts = self.play.client.facts();
        let Asked {
            kind,
            paths,
            command,
            host,
            diffs,
            ..
        } = &self.asked;
        if what == "note" {
            let noted = facts
                .notes
                .iter()
                .find(|(kind, _)| wanted.starts_with(kind.name()));
            let (kind, count) = noted.unwrap_or_else(|| panic!("{text}: {:?}", facts.notes));
            return assert_eq!(format!("{kind} {count}"), wanted);
        }
        let found = match what {
            "kind" => json!(kind.map(|kind| kind.name())),
            "paths" => json!(paths),
            "command" => json!(command),
            "host" => json!(host),
            "new" => json!(diffs.iter().map(|diff| &diff.new).collect::<Vec<_>>()),
            "text" => json!(self.play.client.text()),
            "mode" => json!([facts.mode.verified, facts.mode.effective]),
            "model" => json!([facts.model.verified, facts.model.effective]),
            "usage" => facts.prompt_usage.last().unwrap().clone(),
            other => panic!("`{other}` is not known"),
        };
        assert_eq!(
            found,
            serde_json::from_str::<Value>(wanted).unwrap(),
            "{text}"
        );
    }
}

macro_rules! sets {
    ($($name:ident $file:literal)+) => {
        $(#[test]
        fn $name() {
            play(include_str!(concat!("frames/", $file)));
        })+
    };
}

sets! {
    fa_28_like_claude "claude.txt"
    fa_28_like_codex "codex.txt"
    fa_28_like_copilot "copilot.txt"
    fa_28_like_gemini "gemini.txt"
    fa_28_like_goose "goose.txt"
    fa_28_like_kimi "kimi.txt"
    fa_28_like_opencode "opencode.txt"
    fa_28_like_qwen "qwen.txt"
}
