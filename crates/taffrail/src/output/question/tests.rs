//! A dialog on a screen model: keys that count, keys that do not, and what stands on the screen then.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;

use taffrail_app::external::questions::{Form, Part, Question, View};
use taffrail_domain::{QuestionId, Risk, RunId};

use super::device::{Device, Size, Typed, erasing};
use super::panel::lines;
use super::{Choice, Dialog, Offers, Place};
use crate::output::Paint;

/// What a person does next.
#[derive(Debug, Clone)]
pub enum Act {
    /// Types when asked for a key.
    Types(&'static str),
    /// Types while the guard goes by.
    TypesInGuard(&'static str),
    /// The question is over now.
    ItIsOver,
    /// Closes the terminal.
    HangsUp,
    /// Makes the window another size.
    Resizes(Size),
}

/// What a terminal does beside showing text.
#[derive(Debug, Default)]
pub struct Effects {
    /// Each effect, in words.
    pub seen: Vec<String>,
}

impl vt100::Callbacks for Effects {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.seen.push(format!("title {title:?}"));
    }

    fn set_window_icon_name(&mut self, _: &mut vt100::Screen, name: &[u8]) {
        self.seen.push(format!("icon {name:?}"));
    }

    fn copy_to_clipboard(&mut self, _: &mut vt100::Screen, _: &[u8], data: &[u8]) {
        self.seen.push(format!("clipboard {data:?}"));
    }

    fn paste_from_clipboard(&mut self, _: &mut vt100::Screen, _: &[u8]) {
        self.seen.push("reads the clipboard".to_owned());
    }

    fn audible_bell(&mut self, _: &mut vt100::Screen) {
        self.seen.push("bell".to_owned());
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        self.seen.push(format!("osc {params:?}"));
    }

    fn unhandled_control(&mut self, _: &mut vt100::Screen, byte: u8) {
        self.seen.push(format!("control {byte}"));
    }

    fn unhandled_escape(&mut self, _: &mut vt100::Screen, _: Option<u8>, _: Option<u8>, byte: u8) {
        self.seen.push(format!("escape {byte}"));
    }
}

/// A terminal whose screen is a model and whose person follows a script.
pub struct Played {
    pub parser: vt100::Parser<Effects>,
    size: Size,
    pending: VecDeque<u8>,
    acts: VecDeque<Act>,
    over: std::rc::Rc<Cell<bool>>,
    /// The rows of the screen each time a key was waited for.
    pub seen: Vec<Vec<String>>,
}

impl Played {
    pub fn new(size: Size, ahead: &str, acts: &[Act]) -> Self {
        Self {
            parser: parser(size),
            size,
            pending: ahead.bytes().collect(),
            acts: acts.iter().cloned().collect(),
            over: std::rc::Rc::default(),
            seen: Vec::new(),
        }
    }

    /// Rows as they are now, blanks at their ends cut.
    pub fn rows(&self) -> Vec<String> {
        let columns = u16::try_from(self.size.columns).unwrap();
        let rows = self.parser.screen().rows(0, columns);
        rows.map(|row| row.trim_end().to_owned()).collect()
    }

    fn taken(&mut self) -> Typed {
        Typed::Bytes(self.pending.drain(..).collect())
    }
}

fn parser(size: Size) -> vt100::Parser<Effects> {
    let (rows, columns) = (
        u16::try_from(size.rows).unwrap(),
        u16::try_from(size.columns).unwrap(),
    );
    let at_least_one = |count| std::num::NonZeroU16::new(count).unwrap();
    vt100::Parser::new_with_callbacks(
        at_least_one(rows),
        at_least_one(columns),
        0,
        Effects::default(),
    )
}

impl Device for Played {
    fn size(&self) -> Size {
        self.size
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        // A terminal's own output processing.
        self.parser.process(text.replace('\n', "\r\n").as_bytes());
        Ok(())
    }

    fn erase(&mut self, rows: usize) -> io::Result<()> {
        self.put(&erasing(rows))
    }

    fn forget(&mut self) {
        self.pending.clear();
    }

    fn typed(&mut self) -> io::Result<Typed> {
        if !self.pending.is_empty() {
            return Ok(self.taken());
        }
        self.seen.push(self.rows());
        Ok(match self.acts.pop_front() {
            Some(Act::Types(text)) => Typed::Bytes(text.bytes().collect()),
            Some(Act::ItIsOver) => {
                self.over.set(true);
                Typed::Nothing
            }
            Some(Act::Resizes(size)) => {
                self.size = size;
                self.parser = parser(size);
                Typed::Nothing
            }
            // What was to be typed in a guard that did not come.
            Some(Act::TypesInGuard(_)) => panic!("no guard"),
            Some(Act::HangsUp) | None => Typed::Gone,
        })
    }

    fn pause(&mut self) {
        if let Some(Act::TypesInGuard(text)) = self.acts.front() {
            self.pending.extend(text.bytes());
            self.acts.pop_front();
        }
    }
}

pub const SCREEN: Size = Size {
    rows: 24,
    columns: 80,
};

const ALL: Offers = Offers {
    yes: true,
    edits: true,
    skip: false,
};

pub fn question(parts: Vec<Part>) -> Question {
    Question {
        id: QuestionId::new(1_800_000_000_000, [7; 10]),
        run: RunId::new(1_800_000_000_000, [1; 10]),
        fingerprint: [0; 32],
        risk: Risk::Shell,
        destructive: true,
        may_grant: true,
        view: View {
            agent: "gemini-acp".to_owned(),
            wants: "run a command".to_owned(),
            title: Some("Tidy up".to_owned()),
            kind: Some("execute".to_owned()),
            parts,
            cwd: "/checkout".to_owned(),
            reasons: vec!["destroys: rm -rf".to_owned()],
            masked: false,
        },
    }
}

pub fn part(form: Form, text: &str) -> Part {
    Part {
        label: "command".to_owned(),
        form,
        text: text.to_owned(),
    }
}

fn short() -> Question {
    question(vec![part(Form::Block, "rm -rf build")])
}

fn long() -> Question {
    let lines: Vec<String> = (0..60).map(|line| format!("echo {line}")).collect();
    question(vec![part(Form::Block, &lines.join("\n"))])
}

fn play(device: &mut Played, question: &Question, offers: Offers) -> Choice {
    let over = std::rc::Rc::clone(&device.over);
    let asked = RefCell::new(0);
    let rows = |columns| {
        *asked.borrow_mut() += 1;
        lines(question, Place::Run, Paint::new(false), columns)
    };
    let dialog = Dialog {
        device,
        rows: &rows,
        offers,
        over: &|| over.get(),
    };
    dialog.ask().unwrap()
}

fn choice(question: &Question, ahead: &str, acts: &[Act]) -> Choice {
    play(&mut Played::new(SCREEN, ahead, acts), question, ALL)
}

#[test]
fn pol_07_keys_say_what_they_say() {
    for (keys, expected) in [
        ("y", Choice::Yes),
        ("y\r", Choice::Yes),
        ("e", Choice::Edits),
        ("n", Choice::No(None)),
    ] {
        assert_eq!(
            choice(&short(), "", &[Act::Types(keys)]),
            expected,
            "{keys}"
        );
    }
}

/// S23: "y\n" before the prompt, and a key that is on its way while it is drawn.
#[test]
fn pol_07_what_was_typed_before_the_question_was_seen_answers_nothing() {
    let acts = [Act::TypesInGuard("y\n"), Act::Types("n")];
    assert_eq!(choice(&short(), "y\n", &acts), Choice::No(None));
    // The twin: the same keys after it are an answer.
    assert_eq!(choice(&short(), "", &[Act::Types("y\n")]), Choice::Yes);
}

#[test]
fn pol_07_only_a_key_alone_counts() {
    for burst in [
        "yes",                 // a paste
        "yy",                  // a key that is held down
        "\x1b[A",              // an arrow
        "\x1bOy",              // keypad 9
        "\x1by",               // Alt-y
        "\x1b[200~y\x1b[201~", // a bracketed paste
        "\u{443}",             // another letter that looks like it
        "Y",
        "E",
        " ",
        "\r",
        "\t",
        "v",
    ] {
        let acts = [Act::Types(burst), Act::Types("n")];
        assert_eq!(choice(&short(), "", &acts), Choice::No(None), "{burst:?}");
    }
}

#[test]
fn pol_07_what_is_not_offered_has_no_key() {
    let only_no = Offers {
        yes: false,
        edits: false,
        skip: false,
    };
    let acts = [
        Act::Types("y"),
        Act::Types("e"),
        Act::Types("s"),
        Act::Types("q"),
        Act::Types("n"),
    ];
    let mut device = Played::new(SCREEN, "", &acts);
    assert_eq!(play(&mut device, &short(), only_no), Choice::No(None));
    let prompt = device.seen.last().unwrap().join("\n");
    assert!(
        !prompt.contains("[y]") && !prompt.contains("[e]dits"),
        "{prompt}"
    );
    let skips = Offers {
        skip: true,
        ..only_no
    };
    let mut device = Played::new(SCREEN, "", &[Act::Types("s")]);
    assert_eq!(play(&mut device, &short(), skips), Choice::Skip);
}

#[test]
fn pol_07_a_yes_counts_only_once_all_of_it_was_shown() {
    let acts = [
        Act::Types("y"),
        Act::Types("e"),
        Act::Types("v"),
        Act::Types("y"),
        Act::Types("\r"),
        Act::Types(" "),
        Act::Types("y"),
    ];
    let mut device = Played::new(SCREEN, "", &acts);
    assert_eq!(play(&mut device, &long(), ALL), Choice::Yes);
    assert!(device.acts.is_empty(), "{:?}", device.acts);
    // Every row of it stood on the screen while the person was asked, in order.
    let shown = lines(&long(), Place::Run, Paint::new(false), SCREEN.columns - 1);
    let mut seen: Vec<String> = Vec::new();
    for screen in &device.seen {
        for row in screen {
            if shown.contains(row) && !seen.contains(row) {
                seen.push(row.clone());
            }
        }
    }
    assert_eq!(seen, shown);
    let first = device.seen.first().unwrap().join("\n");
    assert!(first.contains("[v]iew all (23 of 76 lines)"), "{first}");
    assert!(!first.contains("[y]es"), "{first}");
}

/// A no needs nothing to be read.
#[test]
fn pol_07_a_no_counts_at_once() {
    assert_eq!(choice(&long(), "", &[Act::Types("n")]), Choice::No(None));
}

#[test]
fn pol_07_keys_typed_ahead_of_the_next_page_are_dropped_too() {
    let acts = [
        Act::Types("v"),
        Act::TypesInGuard("vvvvy"),
        Act::Types("y"),
        Act::Types("v"),
        Act::Types("v"),
        Act::TypesInGuard("y"),
        Act::Types("n"),
    ];
    assert_eq!(choice(&long(), "", &acts), Choice::No(None));
}

#[test]
fn pol_07_another_window_shows_it_from_the_beginning() {
    let small = Size {
        rows: 24,
        columns: 40,
    };
    let acts = [
        Act::Resizes(small),
        Act::Types("v"),
        Act::Types("y"),
        Act::HangsUp,
    ];
    let mut device = Played::new(SCREEN, "", &acts);
    assert_eq!(play(&mut device, &long(), ALL), Choice::Gone);
    let last = device.seen.last().unwrap().join("\n");
    assert!(
        last.starts_with("gemini-acp wants to run a command"),
        "{last}"
    );
}

#[test]
fn pol_07_a_denial_can_carry_a_reason() {
    for (keys, reason) in [
        (vec!["use the trash", "\r"], Some("use the trash")),
        (
            vec!["u", "s", "é", "\x7f", "e", "\x1b[D", "\n"],
            Some("use"),
        ),
        (vec!["all wrong", "\x15", "yes", "\r"], Some("yes")),
        (vec!["ひらがな\r"], Some("ひらがな")),
        (vec!["\r"], None),
        (vec!["  \r"], None),
    ] {
        let mut acts = vec![Act::Types("r")];
        acts.extend(keys.iter().map(|text| Act::Types(text)));
        let expected = Choice::No(reason.map(str::to_owned));
        assert_eq!(choice(&short(), "", &acts), expected, "{keys:?}");
    }
}

#[test]
fn pol_07_a_reason_can_be_taken_back_and_then_keys_are_keys_again() {
    let acts = [
        Act::Types("r"),
        Act::Types("y"),
        Act::Types("\x1b"),
        Act::TypesInGuard("y"),
        Act::Types("e"),
    ];
    let mut device = Played::new(SCREEN, "", &acts);
    assert_eq!(play(&mut device, &short(), ALL), Choice::Edits);
    let asked = device.seen.get(2).unwrap().join("\n");
    assert!(
        asked.contains("why not? y") && !asked.contains("[y]es"),
        "{asked}"
    );
    let back = device.seen.last().unwrap().join("\n");
    assert!(
        back.contains("[y]es") && !back.contains("why not?"),
        "{back}"
    );
}

#[test]
fn pol_07_a_long_reason_stays_in_its_row() {
    let acts = [
        Act::Types("r"),
        Act::Types("0123456789012345678901234567890123456789012345678901234567890123456789"),
        Act::Types("x\x1b[31mred\u{202e}"),
        Act::HangsUp,
    ];
    let mut device = Played::new(SCREEN, "", &acts);
    assert_eq!(play(&mut device, &short(), ALL), Choice::Gone);
    let last = device.seen.last().unwrap().join("\n");
    let end = "0123456789x[31mred⟨U+202E⟩";
    assert!(last.contains(end), "{last}");
    let row = last.lines().find(|row| row.contains("why not?")).unwrap();
    assert_eq!(row.chars().count(), SCREEN.columns - 1, "{row}");
}

#[test]
fn pol_07_it_goes_when_it_is_over_and_when_nobody_is_there() {
    for acts in [
        vec![Act::ItIsOver],
        vec![Act::Types("r"), Act::Types("because"), Act::ItIsOver],
    ] {
        assert_eq!(choice(&short(), "", &acts), Choice::Over);
    }
    assert_eq!(choice(&short(), "", &[Act::HangsUp]), Choice::Gone);
    let acts = [Act::Types("r"), Act::HangsUp];
    assert_eq!(choice(&short(), "", &acts), Choice::Gone);
}

/// On every screen, the smallest too: the prompt is gone, and the next line stands in its place.
#[test]
fn pol_07_the_prompt_goes_and_leaves_the_question() {
    for columns in [20, 40, 80, 200] {
        let size = Size { rows: 60, columns };
        let mut device = Played::new(size, "", &[Act::Types("n")]);
        assert_eq!(play(&mut device, &short(), ALL), Choice::No(None));
        device.put("you said: no\n").unwrap();
        let rows = device.rows();
        let mut expected = lines(&short(), Place::Run, Paint::new(false), columns - 1);
        expected.push("you said: no".to_owned());
        let shown: Vec<String> = rows.into_iter().take(expected.len()).collect();
        assert_eq!(shown, expected);
        assert!(device.parser.callbacks().seen.is_empty());
    }
}

#[test]
fn pol_07_a_question_reads_like_this() {
    let mut whole = short();
    whole
        .view
        .parts
        .push(part(Form::Diff, "--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two\n"));
    let text = lines(&whole, Place::Inbox("otter"), Paint::new(false), 79).join("\n");
    insta::assert_snapshot!(text, @r"
    gemini-acp wants to run a command
    question qst_r70w3ge1r7 of the run otter, risk shell
    DESTRUCTIVE: it may take away what cannot easily be brought back
    command:
      │ rm -rf build
    command:
      │ --- a
      │ +++ b
      │ @@ -1 +1 @@
      │ -one
      │ +two
    in the folder:
      │ /checkout
    asked because:
      │ destroys: rm -rf
    in the agent's own words:
      │ Tidy up
      │ kind: execute
    the agent describes this itself: after a yes nobody checks that it does just
    this
    [e] would allow this and every further edit inside the checkout of this run, as
    long as the sandbox holds: never flagged files, credentials, removals or
    commands
    ");
    let painted = lines(&whole, Place::Run, Paint::new(true), 79).join("\n");
    assert!(painted.contains("\x1b[32m  │ +two\x1b[0m"), "{painted}");
    assert!(painted.contains("\x1b[31m  │ -one\x1b[0m"), "{painted}");
}
