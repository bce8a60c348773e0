//! The mode in which the agent asks the most is forced, then the model; what came of it is read from what the agent tells.

use serde_json::Value;

use super::machine::{CallKind, Client, Phase};
use super::{Effect, Gap, NoteKind, Setting, notes};
use crate::v1::{Ask, ConfigOption};
use crate::wire::RpcError;

const MODE: &str = "mode";
const MODEL: &str = "model";
/// Values of a setting that are told.
const OFFERED: usize = 12;
/// Bytes of one of them.
const WORD: usize = 64;

impl Client {
    /// The session is there: looks at its settings, and begins to change them. `model` is what a field of old times says.
    pub(super) fn settle(&mut self, model: Option<String>) {
        let mode = self
            .current(MODE)
            .or_else(|| self.modes.as_ref()?.current.clone());
        let model = self.current(MODEL).or(model);
        self.facts.mode = begun(self.plan.mode.clone(), mode);
        self.facts.modes = self.offered(MODE);
        self.facts.model = begun(self.plan.model.clone(), model);
        self.set_mode();
    }

    fn set_mode(&mut self) {
        let Some(wanted) = self.plan.mode.clone() else {
            return self.set_model();
        };
        let found = find(&self.options, MODE, &wanted);
        let listed = self.lists_mode(&wanted);
        self.wanted.mode = found
            .clone()
            .map(|(_, value)| value)
            .or(listed.then(|| wanted.clone()));
        let told = self.facts.mode.effective.as_ref();
        self.facts.mode.verified = told.is_some() && self.wanted.mode.as_ref() == told;
        if self.facts.mode.verified && !self.plan.sets_mode_anyway {
            return self.set_model();
        }
        match found {
            Some((option, value)) => self.set_option(CallKind::ModeOption, &option, &value),
            None if listed => self.set_mode_by_id(&wanted),
            None => {
                let known = self.modes.is_some() || has(&self.options, MODE);
                self.gap(CallKind::Mode, missing(known));
                self.set_model();
            }
        }
    }

    fn set_model(&mut self) {
        let Some(wanted) = self.plan.model.clone() else {
            return self.ready();
        };
        let found = find(&self.options, MODEL, &wanted);
        self.wanted.model = found.clone().map(|(_, value)| value);
        if self.facts.model.effective.as_ref()
            == Some(self.wanted.model.as_ref().unwrap_or(&wanted))
        {
            self.facts.model.verified = true;
            return self.ready();
        }
        match found {
            Some((option, value)) => self.set_option(CallKind::Model, &option, &value),
            None => {
                self.gap(CallKind::Model, missing(has(&self.options, MODEL)));
                self.ready();
            }
        }
    }

    /// A setting was answered.
    pub(super) fn set(&mut self, kind: CallKind, outcome: Result<Value, RpcError>) {
        match outcome {
            Ok(result) => {
                self.options_told(&result);
                let setting = self.setting(kind);
                if !setting.verified && setting.gap.is_none() {
                    self.gap(kind, Gap::NotConfirmed);
                }
            }
            Err(error) => {
                let wanted = self.wanted.mode.clone().unwrap_or_default();
                if kind == CallKind::ModeOption && self.lists_mode(&wanted) {
                    return self.set_mode_by_id(&wanted);
                }
                let told = self.setting(kind).verified;
                if !told {
                    self.gap(kind, Gap::Refused(notes::cut(&error.message, 512)));
                }
            }
        }
        match kind {
            CallKind::Model => self.ready(),
            _ => self.set_model(),
        }
    }

    /// A value that holds `configOptions` was told: all of them, with what they are now.
    pub(super) fn options_told(&mut self, value: &Value) {
        let options = ConfigOption::read_all(value.get("configOptions").unwrap_or(&Value::Null));
        if options.is_empty() {
            return;
        }
        self.options = options;
        if let Some(mode) = self.current(MODE) {
            self.mode_told(mode);
        }
        if let Some(model) = self.current(MODEL) {
            told(&mut self.facts.model, self.wanted.model.as_deref(), model);
        }
    }

    /// The agent told its mode.
    pub(super) fn mode_told(&mut self, mode: String) {
        let changed = self.facts.mode.effective.as_ref() != Some(&mode);
        if changed && self.phase != Phase::Opening {
            self.note(NoteKind::ModeChanged, &mode);
        }
        if changed {
            self.tell(Effect::Update(super::Update::Mode(mode.clone())));
        }
        told(&mut self.facts.mode, self.wanted.mode.as_deref(), mode);
    }

    fn ready(&mut self) {
        self.tell(Effect::Ready);
        self.prompt_first();
    }

    fn set_option(&mut self, kind: CallKind, option: &str, value: &str) {
        let session = self.facts.session.clone().unwrap_or_default();
        let ask = Ask::SetOption {
            session: &session,
            option,
            value,
        };
        self.ask(kind, ask);
    }

    fn set_mode_by_id(&mut self, mode: &str) {
        let session = self.facts.session.clone().unwrap_or_default();
        let ask = Ask::SetMode {
            session: &session,
            mode,
        };
        self.ask(CallKind::Mode, ask);
    }

    fn gap(&mut self, kind: CallKind, gap: Gap) {
        let category = match kind {
            CallKind::Model => MODEL,
            _ => MODE,
        };
        let wanted = self.setting(kind).requested.clone().unwrap_or_default();
        let why = match &gap {
            Gap::NotOffered => "it has none to choose".to_owned(),
            Gap::NoSuchValue => format!("it has {}", self.offered(category).join(", ")),
            Gap::Refused(said) => format!("it refused: {said}"),
            Gap::NotConfirmed => "it said yes, and never told that it is".to_owned(),
            Gap::Other => "it told another".to_owned(),
        };
        self.setting(kind).gap = Some(gap);
        self.note(
            NoteKind::SettingFailed,
            &format!("{category} {wanted}: {why}"),
        );
    }

    /// The values of a category, and the modes of the older list: [`OFFERED`] at most.
    fn offered(&self, category: &str) -> Vec<String> {
        let values = of_category(&self.options, category).flat_map(|option| &option.values);
        let mut offered: Vec<String> = values.map(|(id, _)| id.clone()).collect();
        if category == MODE && offered.is_empty() {
            let modes = self.modes.iter().flat_map(|modes| &modes.available);
            offered.extend(modes.cloned());
        }
        offered.truncate(OFFERED);
        offered.iter().map(|id| notes::cut(id, WORD)).collect()
    }

    fn setting(&mut self, kind: CallKind) -> &mut Setting {
        match kind {
            CallKind::Model => &mut self.facts.model,
            _ => &mut self.facts.mode,
        }
    }

    fn current(&self, category: &str) -> Option<String> {
        of_category(&self.options, category).find_map(|option| option.current.clone())
    }

    fn lists_mode(&self, id: &str) -> bool {
        let modes = self.modes.as_ref();
        modes.is_some_and(|modes| modes.available.iter().any(|mode| mode == id))
    }
}

fn begun(requested: Option<String>, now: Option<String>) -> Setting {
    Setting {
        requested,
        before: now.clone(),
        effective: now,
        ..Setting::default()
    }
}

fn told(setting: &mut Setting, wanted: Option<&str>, value: String) {
    if let Some(wanted) = wanted {
        setting.verified = wanted == value;
        setting.gap = (!setting.verified).then_some(Gap::Other);
    }
    setting.effective = Some(value);
}

fn missing(known: bool) -> Gap {
    if known {
        Gap::NoSuchValue
    } else {
        Gap::NotOffered
    }
}

fn of_category<'a>(
    options: &'a [ConfigOption],
    category: &'a str,
) -> impl Iterator<Item = &'a ConfigOption> {
    options
        .iter()
        .filter(move |option| option.category == category)
}

fn has(options: &[ConfigOption], category: &str) -> bool {
    of_category(options, category).next().is_some()
}

/// The option and the value of a category that `wanted` names.
fn find(options: &[ConfigOption], category: &str, wanted: &str) -> Option<(String, String)> {
    of_category(options, category)
        .find_map(|option| Some((option.id.clone(), option.value(wanted)?.to_owned())))
}
