//! POL-08, S21, S22: two hundred hostile strings in every field of a question, on a screen model. What stands there is what
//! our own layout says, row by row; nothing else of the terminal was touched.

use taffrail_app::external::questions::{Form, Question};
use taffrail_text::Shown;

use super::device::Size;
use super::panel::lines;
use super::tests::{Act, Played, part, question};
use super::{Choice, Dialog, Offers, Place};
use crate::output::Paint;

/// Attacks, each with what must stand on the screen in its place.
const ATTACKS: &[(&str, &str)] = &[
    ("\x1b[2J\x1b[H", "\\x1b[2J\\x1b[H"),
    ("\x1b[1A\x1b[2K\r", "\\x1b[1A\\x1b[2K"),
    ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
    ("\x1b]2;owned\x1b\\", "\\x1b]2;owned\\x1b\\"),
    ("\x1b]52;c;cm0gLXJm\x07", "\\x1b]52;c;cm0gLXJm\\x07"),
    (
        "\x1b]8;;http://e.invalid\x1b\\x\x1b]8;;\x1b\\",
        "\\x1b]8;;http://e.invalid\\x1b\\x\\x1b]8;;\\x1b\\",
    ),
    ("\x1b[8mhidden\x1b[0m", "\\x1b[8mhidden\\x1b[0m"),
    ("\x1b[?1049h\x1b[?25l", "\\x1b[?1049h\\x1b[?25l"),
    ("\x1bc", "\\x1bc"),
    ("\x1b[6n\x1b[c", "\\x1b[6n\\x1b[c"),
    ("\x1b(0lqqk\x1b(B", "\\x1b(0lqqk\\x1b(B"),
    ("\x1bP1000p\x1b\\", "\\x1bP1000p\\x1b\\"),
    ("\x1b_G\x1b\\\x1b^x\x1b\\", "\\x1b_G\\x1b\\\\x1b^x\\x1b\\"),
    ("\x1b[5;5H", "\\x1b[5;5H"),
    ("\x1b[1;1r\x1b[10T", "\\x1b[1;1r\\x1b[10T"),
    ("\u{9b}2J", "⟨U+009B⟩2J"),
    ("\u{9d}0;t\u{9c}", "⟨U+009D⟩0;t⟨U+009C⟩"),
    ("\u{90}x\u{9c}\u{85}", "⟨U+0090⟩x⟨U+009C⟩⟨U+0085⟩"),
    ("safe\rrm", "safe\\rrm"),
    ("abc\x08\x08\x08xyz", "abc\\x08\\x08\\x08xyz"),
    ("a\x0bb\x0cc", "a\\x0bb\\x0cc"),
    ("a\0b\x07", "a\\x00b\\x07"),
    ("\x7f\x7f", "\\x7f\\x7f"),
    ("\x0e\x0f", "\\x0e\\x0f"),
    ("gpj\u{202e}exe", "gpj⟨U+202E⟩exe"),
    ("\u{2066}if admin\u{2069}", "⟨U+2066⟩if admin⟨U+2069⟩"),
    (
        "\u{202a}\u{202b}\u{202c}\u{202d}",
        "⟨U+202A⟩⟨U+202B⟩⟨U+202C⟩⟨U+202D⟩",
    ),
    ("pay\u{200b}pal", "pay⟨U+200B⟩pal"),
    ("a\u{200d}b\u{200c}c", "a⟨U+200D⟩b⟨U+200C⟩c"),
    ("\u{2060}\u{feff}\u{ad}", "⟨U+2060⟩⟨U+FEFF⟩⟨U+00AD⟩"),
    ("\u{e0072}\u{e006d}\u{e007f}", "⟨U+E0072⟩⟨U+E006D⟩⟨U+E007F⟩"),
    ("\u{2028}\u{2029}", "⟨U+2028⟩⟨U+2029⟩"),
    ("\u{3164}\u{115f}\u{ffa0}", "⟨U+3164⟩⟨U+115F⟩⟨U+FFA0⟩"),
    ("\u{fe0f}\u{e0100}", "⟨U+FE0F⟩⟨U+E0100⟩"),
    ("\u{fff9}\u{fffb}\u{fffe}", "⟨U+FFF9⟩⟨U+FFFB⟩⟨U+FFFE⟩"),
    (
        "z\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        "⟨U+0301⟩⟨U+0301⟩",
    ),
];

/// Where an attack stands in ordinary words: beginning, middle, end, among wide and right-to-left letters.
const AROUND: &[&str] = &[
    "{}",
    "run {} now",
    "{} ok",
    "é{}日本",
    "\u{5d0}{}",
    "x {}{}",
];

/// What fills a row or many.
fn floods() -> Vec<String> {
    vec![
        "a".repeat(5_000),
        "日".repeat(2_000),
        " ".repeat(500),
        format!("ls{}; rm -rf /", " ".repeat(400)),
        "\x1b".repeat(600),
        "e\u{301}".repeat(700),
        format!("e{}", "\u{301}".repeat(300)),
        "👨\u{200d}👩\u{200d}👧".repeat(100),
        "\u{202e}".repeat(200),
        "ａ\tb\t".repeat(50),
    ]
}

fn hostile() -> Vec<(String, &'static str)> {
    let mut all: Vec<(String, &'static str)> = Vec::new();
    for (attack, spelled) in ATTACKS {
        for around in AROUND {
            all.push((around.replace("{}", attack), spelled));
        }
    }
    all.extend(floods().into_iter().map(|flood| (flood, "")));
    all
}

/// Puts a text into one field of a question.
type Put = fn(&mut Question, &str);

const FIELDS: &[(&str, Put)] = &[
    ("agent", |of, text| of.view.agent = text.to_owned()),
    ("wants", |of, text| of.view.wants = text.to_owned()),
    ("title", |of, text| of.view.title = Some(text.to_owned())),
    ("kind", |of, text| of.view.kind = Some(text.to_owned())),
    ("label", |of, text| of.view.parts[0].label = text.to_owned()),
    ("line", |of, text| of.view.parts[0] = part(Form::Line, text)),
    ("block", |of, text| {
        of.view.parts[0] = part(Form::Block, text)
    }),
    ("diff", |of, text| of.view.parts[0] = part(Form::Diff, text)),
    ("cwd", |of, text| of.view.cwd = text.to_owned()),
    ("reason", |of, text| of.view.reasons = vec![text.to_owned()]),
];

/// So high that every question fits.
const SIZE: Size = Size {
    rows: 130,
    columns: 80,
};
/// What stands above the question.
const ABOVE: &str = "what stood there before";

fn asked(question: &Question) -> Played {
    let mut device = Played::new(SIZE, "", &[Act::HangsUp]);
    device.parser.process(format!("{ABOVE}\r\n").as_bytes());
    let rows = |columns| lines(question, Place::Inbox("otter"), Paint::new(true), columns);
    let dialog = Dialog {
        device: &mut device,
        rows: &rows,
        offers: Offers {
            yes: true,
            edits: true,
            skip: true,
        },
        over: &|| false,
    };
    assert_eq!(dialog.ask().unwrap(), Choice::Gone);
    device
}

fn plain(question: &Question) -> Vec<String> {
    let rows = lines(
        question,
        Place::Inbox("otter"),
        Paint::new(false),
        SIZE.columns - 1,
    );
    rows.iter().map(|row| row.trim_end().to_owned()).collect()
}

/// The text behind the margins, without the folds, and our own words.
fn unfolded(rows: &[String]) -> String {
    let text = |row: &String| {
        let rest = row
            .strip_prefix("  │ ")
            .or_else(|| row.strip_prefix("  ┊ "));
        rest.unwrap_or(row).to_owned()
    };
    rows.iter().map(text).collect()
}

fn acts(letter: char) -> bool {
    letter.is_control()
        || matches!(u32::from(letter), 0x202a..=0x202e | 0x2066..=0x2069 | 0x2028 | 0x2029 | 0x2060..=0x2065
            | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe00ff | 0xad)
}

#[test]
fn pol_08_hostile_text_stays_in_its_place_on_the_screen() {
    let all = hostile();
    assert!(all.len() >= 200, "{}", all.len());
    for (field, put) in FIELDS {
        for (text, spelled) in &all {
            let mut question = question(vec![part(Form::Block, "make")]);
            put(&mut question, text);
            check(&question, spelled, &format!("{field}: {text:?}"));
        }
    }
}

fn check(question: &Question, spelled: &str, what: &str) {
    let device = asked(question);
    let expected = plain(question);
    // While the person was asked: what was there before, the question, the prompt, and nothing below.
    let screen = device.seen.last().unwrap();
    assert_eq!(screen[0], ABOVE, "{what}");
    let prompt = expected.len() + 1;
    assert_eq!(screen[1..prompt], expected, "{what}");
    assert!(screen[prompt].starts_with("[y]es once"), "{what}");
    assert!(screen[prompt + 1..].iter().all(String::is_empty), "{what}");
    // Afterwards the prompt is gone, and the cursor stands where it began.
    let cursor = device.parser.screen().cursor_position();
    assert_eq!(cursor, (u16::try_from(prompt).unwrap(), 0), "{what}");
    assert!(device.rows()[prompt].is_empty(), "{what}");
    // Each hostile byte is spelled out.
    let text = unfolded(&screen[1..prompt]);
    assert!(!text.chars().any(acts), "{what}: {text:?}");
    assert!(text.contains(spelled), "{what}: {text}");
    // No title, clipboard, bell, mode or colour that is not ours.
    assert!(
        device.parser.callbacks().seen.is_empty(),
        "{what}: {:?}",
        device.parser.callbacks()
    );
    let screen = device.parser.screen();
    assert!(
        !screen.hide_cursor() && !screen.alternate_screen(),
        "{what}"
    );
}

/// The twin: the same strings, written as they are, do act.
#[test]
fn pol_08_s21_s22_twin_the_same_text_unescaped_acts_on_the_screen() {
    let escapes = |text: &str| text.starts_with(['\x1b', '\r', '\x08', '\u{9b}']);
    let all = ATTACKS.iter().filter(|(attack, _)| escapes(attack));
    let mut acted = 0;
    for (attack, spelled) in all {
        let mut device = Played::new(SIZE, "", &[]);
        device.parser.process(format!("{ABOVE}\r\n").as_bytes());
        device.parser.process(format!("  │ {attack}").as_bytes());
        let row = device.rows()[1].clone();
        acted += usize::from(!row.contains(spelled));
    }
    assert!(acted >= 15, "{acted}");
}

#[test]
fn pol_08_ordinary_prose_is_unharmed_on_the_screen() {
    for prose in [
        "The quick brown fox — “quoted”, naïve café, £5 ≠ €5.",
        "Größe, Straße, çalışma, İstanbul, žluťoučký kůň",
        "Привет, мир! Ελληνικά. Հայերեն. ქართული",
        "日本語の文章と、漢字。한국어 문장입니다。",
        "این متن فارسی است و می\u{200c}خواهم کتاب\u{200c}ها را ببینم.",
        "مرحبا بالعالم، كيف الحال؟",
        "שלום עולם (abc)\u{200f}, 10%\u{200f} יותר",
        "हिन्दी में लिखा क\u{94d}\u{200d}ष और र\u{94d}\u{200c}ड",
        "தமிழ், ಕನ್ನಡ, മലയാളം",
        "ภาษาไทย\u{200b}ไม่มี\u{200b}ช่องว่าง",
        "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} 1\u{fe0f}\u{20e3} 🇩🇪",
        "e\u{301} a\u{308}\u{304} Việt Nam",
    ] {
        assert_eq!(Shown::block(prose).as_str(), prose);
        let question = question(vec![part(Form::Block, prose)]);
        let device = asked(&question);
        let text = unfolded(device.seen.last().unwrap());
        assert!(text.contains(prose), "{prose}: {text}");
    }
}
