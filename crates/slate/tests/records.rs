//! XSL-05, XSL-07, XSL-08, XSL-10: anchors, seeds, the record and what it proposes, within their limits.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.

use proptest::prelude::*;
use taffrail_domain::{CloseTrigger, Millis, SeedKind};
use taffrail_redact::{Options, Redactor};
use taffrail_slate::external::{
    Anchors, AnchorsSent, Client, ExternalId, Origin, Seed, Slate, SlateError, groups,
    idempotency_hash, workspace_title,
};

const NOW: Millis = Millis(1_800_000_000_000);
const SECRET: &str = "AKIAQ3EGT7JLZ2K5MXNP";

fn redactor() -> Redactor {
    Redactor::new(Options::default())
}

fn id(text: &str) -> ExternalId {
    text.parse().unwrap()
}

fn anchors(sent: &AnchorsSent) -> Result<Anchors, SlateError> {
    Anchors::new(sent, &redactor())
}

fn origin() -> Origin {
    Origin {
        harness: Origin::MCP.to_owned(),
        client: Some(Client::masked("a client", "1.2.3", &redactor())),
    }
}

fn seed(text: &str, kind: Option<SeedKind>, number: u8) -> Seed {
    Seed::new([number; 16], redactor().clean(text), NOW, kind, origin())
}

fn slate() -> Slate {
    Slate::new(&id("s1"), 1, Anchors::default(), NOW)
}

fn limits(sent: &AnchorsSent) -> String {
    anchors(sent).unwrap_err().to_string()
}

#[test]
fn xsl_05_anchors_hold_their_limits_in_characters() {
    // Four bytes and two UTF-16 units each: the limit counts neither.
    let at_the_limit = AnchorsSent {
        root: Some("𝔯".repeat(4_096)),
        touched: vec!["𝔱".repeat(1_024); 200],
        note: Some("𝔫".repeat(2_000)),
    };
    let kept = anchors(&at_the_limit).unwrap();
    assert_eq!(kept.root(), at_the_limit.root.as_deref().unwrap());
    assert_eq!(kept.touched(), at_the_limit.touched);
    assert_eq!(kept.note(), at_the_limit.note.as_deref());
    let one = |change: &dyn Fn(&mut AnchorsSent)| {
        let mut sent = at_the_limit.clone();
        change(&mut sent);
        limits(&sent)
    };
    let root = one(&|sent| sent.root.as_mut().unwrap().push('a'));
    assert_eq!(
        root,
        "'anchors.root' exceeds the 4096-character limit (got 4097)"
    );
    let note = one(&|sent| sent.note.as_mut().unwrap().push('a'));
    assert_eq!(
        note,
        "'anchors.note' exceeds the 2000-character limit (got 2001)"
    );
    let item = one(&|sent| sent.touched[199].push('a'));
    assert_eq!(
        item,
        "'anchors.touched[]' exceeds the 1024-character limit (got 1025)"
    );
    let touched = one(&|sent| sent.touched.push(String::new()));
    assert_eq!(
        touched,
        "'anchors.touched' exceeds the limit of 200 items (got 201)"
    );
}

#[test]
fn xsl_05_anchors_are_stored_as_sent_and_nothing_is_inferred() {
    let sent = AnchorsSent {
        root: None,
        touched: vec![
            "../x".into(),
            String::new(),
            "a\\b".into(),
            "a".into(),
            "a".into(),
        ],
        note: Some("  two  spaces\n".into()),
    };
    let kept = anchors(&sent).unwrap();
    assert_eq!((kept.root(), kept.note()), ("", Some("  two  spaces\n")));
    assert_eq!(kept.touched(), sent.touched);
    let nothing = serde_json::to_string(&anchors(&AnchorsSent::default()).unwrap()).unwrap();
    assert_eq!(nothing, r#"{"root":""}"#);
}

#[test]
fn xsl_05_every_anchor_is_redacted() {
    let sent = AnchorsSent {
        root: Some(format!("/srv/{SECRET}")),
        touched: vec!["plain".into(), SECRET.into()],
        note: Some(format!("uses {SECRET} here")),
    };
    let text = serde_json::to_string(&anchors(&sent).unwrap()).unwrap();
    assert!(!text.contains(SECRET), "{text}");
    assert!(text.contains("uses ") && text.contains("plain"), "{text}");
}

#[test]
fn xsl_08_a_text_has_1_to_4000_scalar_values() {
    for letter in ["a", "é", "𝔸", "👩", "\u{301}"] {
        assert_eq!(Seed::check(&letter.repeat(4_000)), Ok(()), "{letter}");
        let refused = Seed::check(&letter.repeat(4_001)).unwrap_err();
        let expected = "'text' exceeds the 4000-character limit (got 4001)";
        assert_eq!(refused.to_string(), expected);
    }
    for blank in [
        "",
        " ",
        "\n\t",
        "\u{a0}\u{2003}",
        "\u{200b}\u{feff}",
        "\0\0",
        "\u{ad}",
    ] {
        assert_eq!(
            Seed::check(blank),
            Err(SlateError::Blank { argument: "text" }),
            "{blank:?}"
        );
    }
    assert_eq!(Seed::check("\u{200b}x"), Ok(()));
}

#[test]
fn xsl_08_the_201st_seed_is_refused_and_changes_nothing() {
    let mut slate = slate();
    for number in 0..200 {
        slate.add(seed("a text", None, number)).unwrap();
    }
    let before = slate.clone();
    let mut late = seed("one more", None, 200);
    late.ts = Millis(NOW.0 + 1);
    assert_eq!(slate.add(late), Err(SlateError::Full { limit: 200 }));
    assert_eq!(slate, before);
}

#[test]
fn xsl_08_a_key_is_remembered_by_its_hash_alone() {
    let hash = idempotency_hash("the key").unwrap();
    let mut slate = slate();
    let mut first = seed("a text", None, 1);
    first.key_hash = Some(hash.clone());
    slate.add(first.clone()).unwrap();
    assert_eq!(slate.seed_of_key(&hash), Some(&first));
    let other = idempotency_hash("The key").unwrap();
    assert_eq!(slate.seed_of_key(&other), None);
    assert!(
        !String::from_utf8(slate.bytes().unwrap())
            .unwrap()
            .contains("the key")
    );
    assert!(idempotency_hash("").is_err());
    assert!(idempotency_hash(&"𝔨".repeat(200)).is_ok());
    assert!(idempotency_hash(&"k".repeat(201)).is_err());
}

#[test]
fn xsl_07_a_seed_is_written_as_the_wire_has_it() {
    let text = serde_json::to_string(&seed("a text", Some(SeedKind::WikiUpdate), 7)).unwrap();
    let expected = r#"{"id":"seed-07070707-0707-4707-8707-070707070707","text":"a text","ts":"2027-01-15T08:00:00.000Z","kind":"wiki-update","origin":{"harness":"mcp-external","client":{"name":"a client","version":"1.2.3"}},"trust":"external-unverified"}"#;
    assert_eq!(text, expected);
    let absent = serde_json::to_string(&seed("a text", None, 7)).unwrap();
    assert!(!absent.contains("kind"), "{absent}");
}

#[test]
fn a_clients_words_are_masked_before_they_are_cut() {
    let name = format!("{}-{SECRET}", "n".repeat(119));
    let client = Client::masked(&name, SECRET, &redactor());
    assert!(
        !client.name.contains("AKIA") && !client.version.contains("AKIA"),
        "{client:?}"
    );
    // Cut first, what is left of the secret would not be known for one.
    let cut: String = name.chars().take(128).collect();
    assert!(redactor().clean(&cut).as_str().contains("AKIA"));
    assert!(
        Client::masked(&"𝔫".repeat(500), "", &redactor())
            .name
            .chars()
            .count()
            <= 128
    );
}

#[test]
fn xsl_10_the_same_text_after_trimming_and_nfc_is_proposed_once() {
    let seeds = [
        seed("Stra\u{df}e caf\u{e9}", Some(SeedKind::Risk), 1),
        seed("  Stra\u{df}e cafe\u{301}\n", Some(SeedKind::Decision), 2),
        seed("Strasse cafe", None, 3),
        seed("\u{1100}\u{1161}", None, 4),
        seed("\u{ac00}", Some(SeedKind::FollowUp), 5),
        seed("\u{212b}", Some(SeedKind::Decision), 6),
        seed("A\u{30a}", Some(SeedKind::Decision), 7),
        // Compatibility forms are other texts: NFC keeps them apart.
        seed("\u{fb01}", Some(SeedKind::Decision), 8),
        seed("fi", Some(SeedKind::Decision), 9),
    ];
    let said: Vec<(SeedKind, Vec<&str>)> = groups(&seeds)
        .into_iter()
        .map(|group| {
            (
                group.kind,
                group.seeds.iter().map(|seed| seed.text()).collect(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            (SeedKind::Decision, vec!["\u{212b}", "\u{fb01}", "fi"]),
            (SeedKind::FollowUp, vec!["Strasse cafe", "\u{1100}\u{1161}"]),
            (SeedKind::Risk, vec!["Stra\u{df}e caf\u{e9}"]),
        ]
    );
}

#[test]
fn xsl_09_every_kind_is_a_group_and_nothing_is_lost() {
    let kinds = SeedKind::ALL.iter().copied().map(Some).chain([None]);
    let seeds: Vec<Seed> = kinds
        .zip(0..)
        .map(|(kind, number)| seed(&format!("text {number}"), kind, number))
        .collect();
    let groups = groups(&seeds);
    assert_eq!(groups.len(), SeedKind::ALL.len());
    assert_eq!(
        groups.iter().map(|group| group.seeds.len()).sum::<usize>(),
        seeds.len()
    );
    let follow_ups = groups.iter().find(|group| group.kind == SeedKind::FollowUp);
    assert_eq!(follow_ups.unwrap().seeds.len(), 2);
    assert!(taffrail_slate::external::groups(&[]).is_empty());
}

#[test]
fn xsl_06_a_title_is_one_line_of_1_to_200_characters() {
    let title = |root: &str, note: Option<&str>| {
        let sent = AnchorsSent {
            root: Some(root.to_owned()),
            touched: Vec::new(),
            note: note.map(str::to_owned),
        };
        workspace_title(&anchors(&sent).unwrap(), &id("the-id"))
    };
    assert_eq!(title("/srv/a", Some("a note")), "a note");
    assert_eq!(title("/srv/a", Some(" \n\u{2028} ")), "/srv/a");
    assert_eq!(title("/srv/a", None), "/srv/a");
    assert_eq!(title(" ", None), "the-id");
    assert_eq!(
        title("", Some("two\r\n lines\tand\u{1b}[31m red\0")),
        "two lines and [31m red"
    );
    assert_eq!(title("", Some(&"𝔫".repeat(2_000))).chars().count(), 200);
    assert_eq!(
        title("", Some(&format!("{} b", "a".repeat(199)))),
        "a".repeat(199)
    );
}

#[test]
fn xsl_11_idle_is_longer_than_the_limit_and_never_the_future() {
    let slate = slate();
    let hour = 3_600_000;
    assert!(!slate.is_idle(Millis(NOW.0 + hour), hour));
    assert!(slate.is_idle(Millis(NOW.0 + hour + 1), hour));
    assert!(!slate.is_idle(Millis(NOW.0 - 1), 0));
    assert!(!slate.is_idle(Millis(i64::MIN), 0));
    assert!(slate.is_idle(Millis(i64::MAX), hour));
}

#[test]
fn xsl_14_a_record_of_another_id_or_without_sense_is_not_read() {
    let mut whole = slate();
    whole.workspace_id = Some("wsp_0123456789".into());
    whole.add(seed("SENTINEL text", None, 1)).unwrap();
    let text = String::from_utf8(whole.bytes().unwrap()).unwrap();
    assert_eq!(Slate::read(text.as_bytes(), &id("s1")).as_ref(), Ok(&whole));
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        Slate::read(text.replace(from, to).as_bytes(), &id("s1")).unwrap_err()
    };
    for (from, to, why) in [
        ("\"s1\"", "\"S1\"", "it is the slate of another id"),
        ("\"s1\"", "\"../s1\"", "it is the slate of another id"),
        (":1,", ":0,", "its generation is 0"),
        (":1,", ":-1,", "a field does not fit"),
        (":1,", ":4294967296,", "a field does not fit"),
        ("wsp_0123456789", "SENTINEL", "its workspace is no id"),
        ("wsp_0123456789", "wsp_01", "its workspace is no id"),
        ("seed-0", "SENTINEL-0", "a seed of it is none of ours"),
        ("mcp-external", "SENTINEL", "a seed of it is none of ours"),
        ("external-unverified", "SENTINEL", "a field does not fit"),
        ("2027-01-15T", "SENTINEL", "a field does not fit"),
        ("\"root\"", "\"SENTINEL\"", "a field does not fit"),
        ("\"seeds\":[", "\"seeds\":{", "a field does not fit"),
        ("\"generation\":1,", "", "a field does not fit"),
        ("}\n", "", "it ends too early"),
        ("}\n", "}}\n", "it is no JSON"),
        (
            "\"generation\"",
            "\"closedAt\":\"2027-01-15T08:00:00.000Z\",\"generation\"",
            "it does not say",
        ),
    ] {
        let said = changed(from, to);
        assert!(said.starts_with(why), "{from} to {to}: {said}");
        assert!(!said.contains("SENTINEL"), "it quotes what it read: {said}");
    }
    assert!(Slate::read(b"", &id("s1")).is_err());
    assert!(Slate::read(&[0; 100], &id("s1")).is_err());
    let deep = "[".repeat(1_000_000);
    assert!(Slate::read(deep.as_bytes(), &id("s1")).is_err());
    let nested = text.replace(
        "\"generation\"",
        &format!(
            "\"x\":{}{},\"generation\"",
            "[".repeat(5_000),
            "]".repeat(5_000)
        ),
    );
    // A field that only a later version knows is passed over, however deep it is.
    assert_eq!(Slate::read(nested.as_bytes(), &id("s1")), Ok(whole));
}

#[test]
fn a_record_that_could_not_be_read_again_is_not_written() {
    let with = |change: &dyn Fn(&mut Slate)| {
        let mut slate = slate();
        change(&mut slate);
        slate.bytes()
    };
    assert!(with(&|_| ()).is_ok());
    assert!(with(&|slate| slate.generation = 0).is_err());
    // The one plain text of a record takes nothing but an id.
    assert!(with(&|slate| slate.workspace_id = Some(SECRET.into())).is_err());
    assert!(with(&|slate| slate.last_write_at = Millis(i64::MAX)).is_err());
    assert!(with(&|slate| slate.last_write_at = Millis(i64::MIN)).is_err());
    assert!(with(&|slate| slate.closed_at = Some(NOW)).is_err());
    let odd = |change: &dyn Fn(&mut Seed)| {
        let mut odd = seed("a text", None, 1);
        change(&mut odd);
        with(&|slate| slate.add(odd.clone()).unwrap())
    };
    assert!(odd(&|_| ()).is_ok());
    assert!(odd(&|seed| seed.id = SECRET.into()).is_err());
    assert!(odd(&|seed| seed.key_hash = Some(SECRET.into())).is_err());
    assert!(odd(&|seed| seed.origin.harness = SECRET.into()).is_err());
}

fn any_text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 1..60).prop_map(|letters| letters.into_iter().collect())
}

fn any_slate() -> impl Strategy<Value = Slate> {
    let kinds = prop::option::of(prop::sample::select(SeedKind::ALL));
    let stamps = -60_000_000_000_000_i64..250_000_000_000_000;
    let seeds = prop::collection::vec(
        (
            any_text(),
            kinds,
            stamps.clone(),
            any::<[u8; 16]>(),
            any::<bool>(),
        ),
        0..8,
    );
    let sent = (
        any_text(),
        prop::collection::vec(any_text(), 0..4),
        prop::option::of(any_text()),
    );
    let closed = prop::option::of((prop::sample::select(CloseTrigger::ALL), stamps.clone()));
    (
        "[A-Za-z0-9_-]{1,128}",
        1..=u32::MAX,
        sent,
        seeds,
        closed,
        stamps,
        any::<bool>(),
    )
        .prop_map(
            |(name, generation, (root, touched, note), seeds, closed, now, bound)| {
                let sent = AnchorsSent {
                    root: Some(root),
                    touched,
                    note,
                };
                let mut slate =
                    Slate::new(&id(&name), generation, anchors(&sent).unwrap(), Millis(now));
                slate.workspace_id = bound.then(|| "wsp_abcdefghjk".to_owned());
                for (text, kind, ts, random, keyed) in seeds {
                    let mut seed =
                        Seed::new(random, redactor().clean(&text), Millis(ts), kind, origin());
                    seed.key_hash = keyed.then(|| idempotency_hash(&text).unwrap());
                    slate.add(seed).unwrap();
                }
                if let Some((by, at)) = closed {
                    slate.close(by, Millis(at));
                }
                slate
            },
        )
}

proptest! {
    #[test]
    fn a_record_comes_back_as_it_was(slate in any_slate()) {
        let bytes = slate.bytes().unwrap();
        prop_assert_eq!(bytes.iter().filter(|at| **at == b'\n').count(), 1, "one line");
        let id = id(slate.id());
        prop_assert_eq!(Slate::read(&bytes, &id), Ok(slate));
    }

    #[test]
    fn a_record_with_a_byte_changed_is_read_whole_or_not_at_all(slate in any_slate(), at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let mut bytes = slate.bytes().unwrap();
        let at = at.index(bytes.len());
        bytes[at] = to;
        if let Ok(read) = Slate::read(&bytes, &id(slate.id())) {
            prop_assert!(read.bytes().is_ok());
        }
    }

    #[test]
    fn a_torn_record_is_never_taken_for_a_whole_one(slate in any_slate(), at in any::<prop::sample::Index>()) {
        let bytes = slate.bytes().unwrap();
        // Without the last brace and the end of the line, wherever it is torn.
        let torn = &bytes[..at.index(bytes.len() - 1)];
        prop_assert!(Slate::read(torn, &id(slate.id())).is_err());
    }

    #[test]
    fn a_check_counts_scalar_values(text in any_text()) {
        let long = text.repeat(120);
        let count = long.chars().count();
        match Seed::check(&long) {
            Ok(()) => prop_assert!(count <= 4_000),
            Err(SlateError::TooLong { got, .. }) => prop_assert_eq!((got, count > 4_000), (count, true)),
            Err(error) => prop_assert_eq!(error, SlateError::Blank { argument: "text" }),
        }
    }

    #[test]
    fn a_title_is_one_line_whatever_was_sent(root in any_text(), note in prop::option::of(any_text())) {
        let sent = AnchorsSent { root: Some(root.repeat(9)), touched: Vec::new(), note: note.map(|note| note.repeat(9)) };
        let title = workspace_title(&anchors(&sent).unwrap(), &id("s1"));
        let count = title.chars().count();
        prop_assert!((1..=200).contains(&count), "{count}");
        prop_assert!(!title.chars().any(char::is_control));
    }

    #[test]
    fn grouping_keeps_each_text_once_and_loses_none(texts in prop::collection::vec("[ab ]{1,3}", 0..20)) {
        let seeds: Vec<Seed> = texts.iter().zip(0..).map(|(text, number)| seed(text, None, number)).collect();
        let mut kept: Vec<&str> = groups(&seeds).into_iter().flat_map(|group| group.seeds).map(|seed| seed.text().trim()).collect();
        let mut given: Vec<&str> = texts.iter().map(|text| text.trim()).collect();
        given.sort_unstable();
        given.dedup();
        kept.sort_unstable();
        prop_assert_eq!(kept, given);
    }
}
