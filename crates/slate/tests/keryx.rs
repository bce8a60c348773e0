//! `workspace import --from keryx`: what is read of a record of another harness, and what never is.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.

use proptest::prelude::*;
use serde_json::{Value, json};
use taffrail_domain::{Millis, SeedKind};
use taffrail_redact::{Options, Redactor};
use taffrail_slate::external::keryx::{self, FILE_LIMIT, Imported, KeryxError, Remark};
use taffrail_slate::external::{ExternalId, Origin, Slate, SlateError};

const NOW: Millis = Millis(1_800_000_000_000);
const SECRET: &str = "AKIAQ3EGT7JLZ2K5MXNP";

fn read(record: &Value) -> Result<Imported, KeryxError> {
    let redactor = Redactor::new(Options::default());
    keryx::read(&serde_json::to_vec_pretty(record).unwrap(), &redactor, NOW)
}

fn record() -> Value {
    json!({
        "externalSessionId": "Agent_7",
        "workspaceId": "payments",
        "anchors": { "root": "/srv/shop", "touched": ["src/a.rs"], "note": "a note" },
        "seeds": [
            {
                "id": "seed-3f1c9a52-7b0e-4d8f-9a61-2c5d7e8f9012", "text": "first", "ts": "2026-08-01T10:00:00.123Z",
                "kind": "decision", "origin": { "harness": "mcp-external" }, "trust": "external-unverified",
            },
            { "id": "seed-4f1c9a52-7b0e-4d8f-9a61-2c5d7e8f9012", "text": "second", "ts": "2026-08-01T10:00:01.000Z" },
        ],
        "lastWriteAt": "2026-08-01T10:00:01.000Z",
        "closedAt": "2026-08-01T11:00:00.000Z",
    })
}

#[test]
fn a_whole_record_is_taken_as_it_stands() {
    let read = read(&record()).unwrap();
    assert_eq!(read.id.as_str(), "Agent_7");
    assert_eq!(read.workspace.unwrap().as_str(), "payments");
    assert_eq!(
        (read.anchors.root(), read.anchors.note()),
        ("/srv/shop", Some("a note"))
    );
    assert_eq!(read.anchors.touched(), ["src/a.rs"]);
    assert_eq!(read.last_write_at, Millis(1_785_578_401_000));
    assert_eq!(read.closed_at, Some(Millis(1_785_582_000_000)));
    assert_eq!(read.remarks, []);
    let [first, second] = read.seeds.as_slice() else {
        panic!("{:?}", read.seeds);
    };
    assert_eq!(first.id, "seed-3f1c9a52-7b0e-4d8f-9a61-2c5d7e8f9012");
    assert_eq!(
        (first.text(), first.ts),
        ("first", Millis(1_785_578_400_123))
    );
    assert_eq!((first.kind, second.kind), (Some(SeedKind::Decision), None));
    assert_eq!(first.origin.harness, Origin::KERYX);
}

#[test]
fn what_is_absent_or_of_another_type_counts_as_not_given() {
    let bare = read(&json!({ "externalSessionId": "a" })).unwrap();
    assert_eq!(
        (bare.seeds.len(), bare.closed_at, bare.last_write_at),
        (0, None, NOW)
    );
    assert_eq!(bare.remarks, []);
    let odd = read(&json!({
        "externalSessionId": "a", "workspaceId": 5, "anchors": "none", "lastWriteAt": "yesterday", "closedAt": false,
        "seeds": [
            { "text": "kept", "ts": 5, "id": 6, "origin": [], "kind": null },
            { "text": "of no kind", "ts": "2026-08-01T10:00:00Z", "kind": 5 },
            { "text": "of another", "kind": "gossip" },
            { "text": 7 }, "a text", null, { "text": " \n" },
        ],
    }))
    .unwrap();
    let texts: Vec<&str> = odd.seeds.iter().map(|seed| seed.text()).collect();
    assert_eq!(texts, ["kept", "of no kind", "of another"]);
    assert_eq!(odd.seeds[0].ts, NOW);
    assert_eq!(odd.last_write_at, NOW);
    let blank = SlateError::Blank { argument: "text" };
    let left = |place| Remark::Seed {
        place,
        why: blank.clone(),
    };
    let kind = |place| Remark::Kind { place };
    assert_eq!(
        odd.remarks,
        [kind(2), kind(3), left(4), left(5), left(6), left(7)]
    );
    assert_eq!(
        odd.remarks[2].to_string(),
        "seed 4 was left out: 'text' is blank"
    );
}

#[test]
fn what_is_no_record_is_an_error_that_quotes_nothing() {
    let redactor = Redactor::new(Options::default());
    let read = |bytes: &[u8]| keryx::read(bytes, &redactor, NOW).unwrap_err();
    for bytes in [
        &b""[..],
        b"{",
        b"[]",
        b"\"a\"",
        b"null",
        b"\0\0",
        b"{\"a\":\"\xff\"}",
    ] {
        assert_eq!(read(bytes), KeryxError::NotJson, "{bytes:?}");
    }
    assert_eq!(read("[".repeat(1 << 20).as_bytes()), KeryxError::NotJson);
    let deep = format!(
        "{{\"externalSessionId\":\"a\",\"x\":{}",
        "[".repeat(1 << 20)
    );
    assert_eq!(read(deep.as_bytes()), KeryxError::NotJson);
    assert_eq!(read(&vec![b' '; FILE_LIMIT + 1]), KeryxError::TooLarge);
    assert_eq!(read(b"{\"externalSessionId\":5}"), KeryxError::NoId);
    for id in ["../a", "", "a.b", "a\\u0000b"] {
        let bytes = format!("{{\"externalSessionId\":\"{id}\"}}");
        assert!(matches!(read(bytes.as_bytes()), KeryxError::Id(_)), "{id}");
    }
    let secret = format!("{{\"externalSessionId\":\"{SECRET}\"}}");
    assert!(!read(secret.as_bytes()).to_string().contains(SECRET));
}

#[test]
fn secrets_in_every_field_stay_outside() {
    let with = |text: &str| format!("{text} {SECRET} {text}");
    let mut hostile = record();
    for place in [
        "/workspaceId",
        "/anchors/root",
        "/anchors/note",
        "/anchors/touched/0",
        "/seeds/0/text",
        "/seeds/0/kind",
        "/seeds/0/origin/harness",
        "/seeds/0/trust",
        "/seeds/1/id",
        "/seeds/1/ts",
        "/lastWriteAt",
        "/closedAt",
    ] {
        let field = hostile.pointer_mut(place).unwrap();
        *field = json!(with("x"));
    }
    let said = format!("{:?}", read(&hostile).unwrap());
    assert!(!said.contains(SECRET), "{said}");
    assert!(hostile.to_string().matches(SECRET).count() == 12);
}

#[test]
fn longer_than_we_keep_is_cut_or_left_out_and_said() {
    let mut long = record();
    // A secret across the place of the cut: masked before it is cut.
    long["anchors"]["root"] = json!(format!("{}/{SECRET}", "r".repeat(4_085)));
    long["anchors"]["note"] = json!("𝔫".repeat(2_001));
    long["anchors"]["touched"] = json!(vec!["t".repeat(1_025); 203]);
    long["seeds"] = json!(
        (0..203)
            .map(|at| json!({ "text": format!("text {at}") }))
            .collect::<Vec<_>>()
    );
    long["seeds"][1]["text"] = json!("x".repeat(4_001));
    long["seeds"][2]["text"] = json!("𝔵".repeat(4_000));
    let read = read(&long).unwrap();
    assert_eq!(read.anchors.note().unwrap().chars().count(), 2_000);
    assert_eq!(read.anchors.root().chars().count(), 4_096);
    assert!(!read.anchors.root().contains("AKIA"));
    assert_eq!((read.anchors.touched().len(), read.seeds.len()), (200, 199));
    let cut = |argument, limit| Remark::Cut { argument, limit };
    let too_long = SlateError::TooLong {
        argument: "text",
        limit: 4_000,
        got: 4_001,
    };
    assert_eq!(
        read.remarks,
        [
            Remark::Touched { count: 3 },
            cut("anchors.root", 4_096),
            cut("anchors.touched[]", 1_024),
            cut("anchors.note", 2_000),
            Remark::Seed {
                place: 2,
                why: too_long
            },
            Remark::Seeds { count: 3 },
        ]
    );
}

#[test]
fn the_same_file_gives_the_same_ids_again_and_each_seed_its_own() {
    let mut without = record();
    without["seeds"] =
        json!([{ "text": "same" }, { "text": "same" }, { "text": "same", "id": "seed-1" }]);
    let ids = |record: &Value| -> Vec<String> {
        let read = read(record).unwrap();
        read.seeds.into_iter().map(|seed| seed.id).collect()
    };
    let first = ids(&without);
    assert_eq!(first, ids(&without));
    assert!(first[0] != first[1] && first[1] != first[2]);
    without["externalSessionId"] = json!("another");
    assert_ne!(first, ids(&without));
}

proptest! {
    #[test]
    fn any_bytes_are_a_record_of_ours_or_an_error(at in any::<prop::sample::Index>(), to in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let mut bytes = serde_json::to_vec(&record()).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = to;
        let redactor = Redactor::new(Options::default());
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
            let Ok(read) = keryx::read(bytes, &redactor, NOW) else { continue };
            // What was taken fits a record of ours.
            let mut slate = Slate::new(&read.id, 1, read.anchors, read.last_write_at);
            for seed in read.seeds {
                slate.add(seed).unwrap();
            }
            let id: ExternalId = read.id;
            prop_assert_eq!(Slate::read(&slate.bytes().unwrap(), &id), Ok(slate));
        }
    }
}
