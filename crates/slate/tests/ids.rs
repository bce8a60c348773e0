//! XSL-04: what is an id, and that no two share a file on any file system.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.

use std::collections::HashMap;

use proptest::prelude::*;
use taffrail_redact::{Options, Redactor};
use taffrail_slate::external::{ExternalId, SlateError};

/// Names that Windows takes for devices, whatever follows a dot.
const DEVICES: &[&str] = &[
    "con", "prn", "aux", "nul", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7",
    "com8", "com9", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

fn id(text: &str) -> ExternalId {
    text.parse().unwrap()
}

/// What a file system that folds case, drops trailing dots and knows devices makes of a name.
fn folded(stem: &str) -> String {
    let lower = stem.to_lowercase();
    let base = lower.split('.').next().unwrap().to_owned();
    assert!(!DEVICES.contains(&base.as_str()), "{stem} is a device");
    lower.trim_end_matches(['.', ' ']).to_owned()
}

#[test]
fn xsl_04_s34_one_to_128_of_the_alphabet_and_nothing_else() {
    let longest = "a".repeat(128);
    for fits in ["a", "Z", "0", "_", "-", "-rf", "locks", "closed", &longest] {
        assert_eq!(id(fits).as_str(), fits);
    }
    let too_long = "a".repeat(129);
    let hostile = [
        "",
        " ",
        "a b",
        ".",
        "..",
        "../a",
        "a/b",
        "/etc/passwd",
        "a\\b",
        "..\\a",
        "a.json",
        "a:b",
        "a\0b",
        "a\nb",
        "a\rb",
        "\t",
        "é",
        "e\u{301}",
        "ａ",
        "а",
        "a\u{200b}",
        "\u{202e}a",
        "a%2fb",
        "~",
        "$HOME",
        "*",
        "?",
        "a|b",
        "a;b",
        "`a`",
        "<a>",
        "\"a\"",
        "a'b",
        "💥",
        &too_long,
    ];
    for text in hostile {
        let refused = text.parse::<ExternalId>().unwrap_err();
        assert!(matches!(refused, SlateError::Id { .. }), "{text:?}");
    }
}

#[test]
fn xsl_03_an_error_repeats_at_most_80_characters_of_what_was_given() {
    let refused = "é".repeat(1_000_000).parse::<ExternalId>().unwrap_err();
    let SlateError::Id { given } = refused else {
        panic!("{refused}");
    };
    assert_eq!(given.chars().count(), 80);
}

#[test]
fn an_id_with_the_shape_of_a_secret_is_refused_and_ordinary_ones_are_not() {
    let redactor = Redactor::new(Options::default());
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let refused = ExternalId::new(&secret, &redactor).unwrap_err();
    assert!(!refused.to_string().contains("a1B2c3"), "{refused}");
    assert!(matches!(refused, SlateError::SecretId { .. }));
    // The same text without the check is an id like any other.
    assert!(secret.parse::<ExternalId>().is_ok());
    for ordinary in [
        "0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
        "01K9Z8Y7X6W5V4T3S2R1Q0P9N8",
        "V1StGXR8_Z5jdHi6B-myT",
        "session-2026-11-30_15-07",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ] {
        assert_eq!(
            ExternalId::new(ordinary, &redactor).unwrap().as_str(),
            ordinary
        );
    }
}

#[test]
fn xsl_04_lower_case_ids_are_their_own_file_names_and_the_others_say_how_they_are_written() {
    for (text, stem) in [
        ("session-1", "session-1"),
        ("_", "_"),
        ("x", "x"),
        ("A", "x.a.1"),
        ("aB", "x.ab.2"),
        ("AB", "x.ab.3"),
        ("abcdeF", "x.abcdef.01"),
        ("con", "x.con"),
        ("Con", "x.con.1"),
        ("CON", "x.con.7"),
        ("LPT9", "x.lpt9.7"),
        ("com10", "com10"),
        ("console", "console"),
    ] {
        assert_eq!(id(text).file_stem(), stem, "{text}");
    }
}

#[test]
fn xsl_04_every_way_to_write_a_device_has_its_own_file_that_is_no_device() {
    let mut seen = HashMap::new();
    for device in DEVICES {
        for bits in 0..1_u32 << device.len() {
            let text: String = device
                .chars()
                .enumerate()
                .map(|(at, letter)| match bits >> at & 1 {
                    1 => letter.to_ascii_uppercase(),
                    _ => letter,
                })
                .collect();
            let taken = seen.insert(folded(&id(&text).file_stem()), text.clone());
            assert!(taken.is_none_or(|other| other == text), "{text}");
        }
    }
    assert_eq!(seen.len(), DEVICES.len() * 8);
}

#[test]
fn xsl_04_the_longest_ids_leave_room_for_what_is_put_behind_them() {
    for text in [
        "A".repeat(128),
        "Z".repeat(127) + "a",
        "aA".repeat(64),
        "-".repeat(128),
    ] {
        let stem = id(&text).file_stem();
        assert!(stem.len() <= 157, "{} for {text}", stem.len());
        // `.corrupt-`, a time and a number, or a generation, a number and `.json`: below 45.
        assert!(stem.len() + 45 < 255);
        assert_eq!(ExternalId::from_file_stem(&stem).unwrap().as_str(), text);
    }
}

#[test]
fn names_that_no_id_has_are_no_stems() {
    for stem in [
        "", ".", "..", "A", "aB", "con", "nul", "x.", "x.a", "x.a.", "x.a.0", "x.a.2", "x.a.w",
        "x.a.1.1", "x.a.10", "x.A.1", "x.con.", "x.con.0", "x.com.01", "y.a.1", "a.1", "a.json",
        "x..1", "x.1.1", "x.-.1", "x.é.1", "é", "a/b",
    ] {
        assert_eq!(ExternalId::from_file_stem(stem), None, "{stem}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn xsl_04_a_stem_is_one_ids_alone(text in "[A-Za-z0-9_-]{1,128}") {
        let stem = id(&text).file_stem();
        // That the id can be read back out of its stem is what makes stems of two ids differ.
        let back = ExternalId::from_file_stem(&stem);
        prop_assert_eq!(back.as_ref().map(ExternalId::as_str), Some(text.as_str()));
        prop_assert_eq!(folded(&stem), stem.as_str());
        prop_assert!(stem.len() <= 157);
        prop_assert!(stem.bytes().all(|at| at.is_ascii_lowercase() || at.is_ascii_digit() || b"_-.".contains(&at)));
        prop_assert!(!stem.starts_with('.'));
    }

    #[test]
    fn xsl_04_s34_ids_that_differ_only_in_case_stay_apart(text in "[A-Za-z0-9_-]{1,40}", flips in prop::collection::vec(any::<bool>(), 40)) {
        let other: String = text.chars().zip(flips).map(|(at, flip)| match (flip, at.is_ascii_lowercase()) {
            (true, true) => at.to_ascii_uppercase(),
            (true, false) => at.to_ascii_lowercase(),
            (false, _) => at,
        }).collect();
        let (one, two) = (id(&text).file_stem(), id(&other).file_stem());
        prop_assert_eq!(text == other, folded(&one) == folded(&two));
    }

    #[test]
    fn any_stem_is_read_to_the_id_that_has_it_or_to_none(stem in "(x\\.)?[a-z0-9_-]{0,12}(\\.[0-9a-z]{0,4})?") {
        if let Some(id) = ExternalId::from_file_stem(&stem) {
            prop_assert_eq!(id.file_stem(), stem);
        }
    }

    #[test]
    fn any_text_at_all_is_an_id_or_an_error(text in "\\PC*") {
        if let Ok(id) = text.parse::<ExternalId>() {
            prop_assert!(text.len() <= 128 && !text.is_empty());
            prop_assert_eq!(id.as_str(), text);
        }
    }
}

/// The twin: taken for the name of a file, an id of a caller leaves the folder, and two ids are one file.
#[test]
fn xsl_04_s34_twin_an_id_as_the_name_of_a_file_leads_elsewhere() {
    let folder = std::path::Path::new("/home/ada/slates");
    for id in ["/etc/passwd", "../planted"] {
        let file = folder.join(id);
        let leaves = file.components().any(|part| part.as_os_str() == "..");
        assert!(leaves || !file.starts_with(folder), "{id}");
    }
    assert_eq!(folded("Same"), folded("same."));
}
