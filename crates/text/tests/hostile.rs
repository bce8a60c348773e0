//! POL-08: hostile text cannot act on a terminal, ordinary prose is left alone.

use proptest::prelude::*;
use taffrail_text::Shown;

/// Two hundred strings: every control, every bidi control, tags, invisible characters and known terminal attacks, each
/// inside ordinary words.
fn hostile() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let hidden = (0..0x20)
        .chain(0x7f..0xa0)
        .filter(|code| ![0x0a, 0x09].contains(code))
        .chain([
            0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180e, 0x3164, 0xfeff, 0xffa0,
        ])
        .chain(0x200b..=0x200f)
        .chain(0x2028..=0x202e)
        .chain(0x2060..=0x206f)
        .chain(0xfff9..=0xfffb)
        .chain(0xe0000..0xe0020)
        .chain([
            0xe0041, 0xe0061, 0xe007f, 0xe0100, 0xe01ef, 0xfe00, 0xfe0f, 0x1d173,
        ]);
    for letter in hidden.filter_map(char::from_u32) {
        all.push(format!("run {letter}rm -rf x{letter}"));
    }
    for attack in [
        "\x1b[2J\x1b[H",
        "\x1b[1A\x1b[2K",
        "\x1b]0;title\x07",
        "\x1b]52;c;cm0gLXJm\x07",
        "\x1b]8;;http://evil.invalid\x1b\\click\x1b]8;;\x1b\\",
        "\x1bP1000p\x1b\\",
        "\x1b_G\x1b\\",
        "\x1b^x\x1b\\",
        "\x1b[?1049h",
        "\x1b[?25l",
        "\x1b[6n",
        "\x1bc",
        "\x1b(0lqqk\x1b(B",
        "\x1b[31m",
        "\x1b[8mhidden\x1b[0m",
        "\x1b]1337;File=x:AAAA\x07",
        "\x1b[>q",
        "\x1b[5i",
        "safe\rrm -rf /",
        "abc\x08\x08\x08xyz",
        "a\x0bb\x0cc",
        "\u{9b}2J",
        "\u{9d}0;t\u{9c}",
        "\u{90}x\u{9c}",
        "file\u{202e}gpj.exe",
        "\u{2066}if admin\u{2069} \u{2066}{",
        "a\u{200b}b\u{200c}c\u{200d}d",
        "\u{feff}#!/bin/sh",
        "\u{0}\u{0}",
        "x\u{2028}y\u{2029}z",
    ] {
        for shape in ["{}", "echo {}", "{} ok", "é{}日", "\u{5d0}{}"] {
            all.push(shape.replace("{}", attack));
        }
    }
    all
}

fn acts(letter: char) -> bool {
    letter.is_control()
        || matches!(u32::from(letter), 0x202a..=0x202e | 0x2066..=0x2069 | 0x2028 | 0x2029 | 0x2060..=0x2065
            | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe00ff | 0xad)
}

#[test]
fn pol_08_s21_s22_two_hundred_hostile_strings_cannot_act() {
    let all = hostile();
    assert!(all.len() >= 200, "{}", all.len());
    for text in &all {
        assert!(
            text.chars().any(|c| acts(c) || !c.is_ascii()),
            "the twin: {text:?} would act"
        );
        for shown in [
            Shown::line(text),
            Shown::block(text),
            Shown::bytes_line(text.as_bytes()),
        ] {
            let bad = shown
                .as_str()
                .chars()
                .find(|c| acts(*c) && !matches!(c, '\n' | '\t'));
            assert_eq!(bad, None, "{text:?} gave {shown}");
        }
        assert_eq!(Shown::line(text).as_str().lines().count().max(1), 1);
    }
}

#[test]
fn pol_08_escapes_are_readable() {
    for (text, shown) in [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\u{9b}2J", "⟨U+009B⟩2J"),
        ("x\u{e0041}\u{e007f}y", "x⟨U+E0041⟩⟨U+E007F⟩y"),
        ("gpj\u{202e}exe", "gpj⟨U+202E⟩exe"),
        ("pay\u{200b}pal", "pay⟨U+200B⟩pal"),
        ("\u{7f}\u{0}", "\\x7f\\x00"),
        ("ab\u{fe0f}", "ab⟨U+FE0F⟩"),
        ("admin\u{200d}", "admin⟨U+200D⟩"),
        ("abc\u{200e}def", "abc⟨U+200E⟩def"),
        ("😀\u{fe0f}\u{fe0f}", "😀\u{fe0f}⟨U+FE0F⟩"),
        ("می\u{200c}\u{200c}خ", "می\u{200c}⟨U+200C⟩خ"),
    ] {
        assert_eq!(Shown::line(text).as_str(), shown);
    }
    assert_eq!(Shown::block("a\nb\tc\rd").as_str(), "a\nb\tc\\rd");
    assert_eq!(
        Shown::bytes_line(b"a\xff\xfeb\n").as_str(),
        "a\\xff\\xfeb\\n"
    );
    assert_eq!(
        Shown::bytes_block(b"a\xe6\x97\nb").as_str(),
        "a\\xe6\\x97\nb"
    );
}

#[test]
fn pol_08_ordinary_prose_is_left_alone() {
    for prose in [
        "The quick brown fox — “quoted”, naïve café, £5 ≠ €5.",
        "C:\\new\\table and a regex \\d+\\n",
        "Größe, Straße, çalışma, İstanbul, ångström, žluťoučký kůň",
        "Привет, мир! Ελληνικά. Հայերեն. ქართული",
        "日本語の文章と、漢字。한국어 문장입니다. 中文（繁體）",
        "این یک متن فارسی است و می\u{200c}خواهم کتاب\u{200c}ها را ببینم.",
        "مرحبا بالعالم، كيف الحال؟",
        "שלום עולם (abc)\u{200f}, 10%\u{200f} יותר",
        "हिन्दी में लिखा क\u{94d}\u{200d}ष और र\u{94d}\u{200c}ड",
        "தமிழ், ಕನ್ನಡ, മലയാളം ന\u{d4d}\u{200d}, සිංහල ශ\u{dca}\u{200d}රී",
        "ภาษาไทย\u{200b}ไม่มี\u{200b}ช่องว่าง",
        "ខ្មែរ\u{200b}ភាសា",
        "ᠮᠣᠩᠭᠣᠯ\u{180e}ᠠ",
        "👨\u{200d}👩\u{200d}👧\u{200d}👦 👩🏽\u{200d}💻 ❤\u{fe0f}\u{200d}🔥 🏳\u{fe0f}\u{200d}🌈",
        "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3} ☎\u{fe0e} ✔\u{fe0f} 🇩🇪",
        "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Scotland",
        "葛\u{e0100}飾区 辻\u{e0101}",
        "non\u{a0}breaking : l’été\u{202f}!",
        "e\u{301} a\u{308}\u{304} Việt Nam",
        "x² + y₁ → ∞ ∑ ∫ ½",
        "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים",
        "ཨོཾ་མ་ཎི་པདྨེ་ཧཱུྃ",
        "ที่นี่ ผู้ใหญ่ ไม้หันอากาศ",
    ] {
        assert_eq!(Shown::line(prose).as_str(), prose);
        assert_eq!(Shown::block(prose).as_str(), prose);
    }
}

/// Marks without end on one letter paint over the lines around it, and a terminal drops them: then it shows something else.
#[test]
fn pol_08_a_letter_bears_four_marks() {
    let marked = |count: usize| format!("e{}x", "\u{301}".repeat(count));
    assert_eq!(Shown::line(&marked(4)).as_str(), marked(4));
    assert_eq!(
        Shown::line(&marked(6)).as_str(),
        "e\u{301}\u{301}\u{301}\u{301}⟨U+0301⟩⟨U+0301⟩x"
    );
}

#[test]
fn pol_08_truncation_keeps_to_the_columns() {
    for text in [
        "short",
        "日本語日本語",
        "👨\u{200d}👩\u{200d}👧 family",
        "a\x1bb\x1bc",
    ] {
        for columns in 0..12 {
            let cut = Shown::line(text).truncated(columns);
            assert!(
                cut.width() <= columns,
                "{cut} is {} of {columns}",
                cut.width()
            );
        }
    }
    assert_eq!(Shown::line("abcdef").truncated(4).as_str(), "abc…");
    assert_eq!(Shown::line("abcd").truncated(4).as_str(), "abcd");
}

proptest! {
    #[test]
    fn pol_08_no_control_character_comes_through(text in any::<String>(), bytes in any::<Vec<u8>>()) {
        for shown in [Shown::line(&text), Shown::bytes_line(&bytes)] {
            prop_assert!(!shown.as_str().chars().any(acts));
        }
        for shown in [Shown::block(&text), Shown::bytes_block(&bytes)] {
            prop_assert!(!shown.as_str().chars().any(|c| acts(c) && !matches!(c, '\n' | '\t')));
        }
    }

    #[test]
    fn pol_08_escaping_twice_changes_nothing(text in any::<String>()) {
        let once = Shown::line(&text);
        prop_assert_eq!(Shown::line(once.as_str()), once);
    }
}
