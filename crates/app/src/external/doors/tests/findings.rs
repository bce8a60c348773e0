//! Findings of a result document become candidates, and nothing more.

use serde_json::{Value, json};
use taffrail_domain::{Channel, MemoryStatus, MemoryType, RunId};

use super::memories;
use crate::a_world::{World, world};
use crate::external::doors::{FINDINGS_LIMIT, Proposed, propose_findings};
use crate::external::result::find;

/// A GitHub token in its form, of no account.
const TOKEN: &str = concat!("gh", "p_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");

fn propose(world: &World, findings: &Value) -> Proposed {
    let document = json!({"status": "DONE", "summary": "s", "findings": findings});
    let document = find(&document.to_string()).unwrap();
    let run = RunId::new(1, [4; 10]);
    propose_findings(&world.app, &run, "fake-acp", &document).unwrap()
}

#[test]
fn fa_05_findings_wait_for_a_person_by_their_kind() {
    let world = world();
    let proposed = propose(
        &world,
        &json!([
            {"id": "F1", "problem": "Amounts are floats.", "severity": "blocker", "impact": "Cents get lost.",
             "suggested_fix": "Use integers.", "evidence": "src/money.rs:12"},
            {"problem": "The build needs two gigabytes.", "severity": "info"},
            "A finding in a sentence.",
            {"severity": "major"},
        ]),
    );
    assert_eq!(
        proposed,
        Proposed {
            new: 3,
            left_out: 1,
            ..Proposed::default()
        }
    );
    let rows = memories(&world.app);
    assert_eq!(rows.len(), 3);
    for row in &rows {
        assert_eq!(
            (row.status, row.channel),
            (MemoryStatus::Pending, Channel::External)
        );
        assert_eq!(row.source.runtime, "external:fake-acp");
        assert_eq!(row.source.session, Some(RunId::new(1, [4; 10]).short()));
    }
    let of = |text: &str| {
        rows.iter()
            .find(|row| row.text.summary.starts_with(text))
            .unwrap()
    };
    let risk = of("Amounts");
    assert_eq!((risk.kind, risk.is_open), (MemoryType::Constraint, true));
    assert_eq!(
        risk.text.content,
        "Amounts are floats.\nImpact: Cents get lost.\nSuggested fix: Use integers.\nEvidence: src/money.rs:12"
    );
    assert_eq!(
        (of("The build").kind, of("A finding").kind),
        (MemoryType::Lesson, MemoryType::Lesson)
    );
}

#[test]
fn fa_05_the_same_finding_again_is_a_repeat_and_a_flood_of_them_is_cut() {
    let world = world();
    let one = json!([{"problem": "Amounts are floats."}]);
    assert_eq!(propose(&world, &one).new, 1);
    assert_eq!(
        propose(&world, &one),
        Proposed {
            repeats: 1,
            ..Proposed::default()
        }
    );
    let many: Vec<Value> = (0..FINDINGS_LIMIT + 7)
        .map(|at| json!({"problem": format!("Finding number {at} of many, about part {at}.")}))
        .collect();
    let proposed = propose(&world, &many.into());
    assert_eq!(
        (proposed.new, proposed.left_out),
        (FINDINGS_LIMIT as u64, 7)
    );
}

#[test]
fn red_a_secret_in_a_finding_is_masked_before_anything_is_cut() {
    let world = world();
    let edge = format!("{}{TOKEN}", "x ".repeat(250));
    propose(
        &world,
        &json!([{"problem": format!("The key is {TOKEN} in the log.")}, {"problem": edge}]),
    );
    for row in memories(&world.app) {
        let text = format!("{} {}", row.text.summary, row.text.content);
        assert!(!text.contains(TOKEN.get(..12).unwrap()), "{text}");
    }
}

#[test]
fn fa_05_texts_of_any_length_fit() {
    let world = world();
    let long = "wörter ".repeat(4_000);
    let proposed = propose(
        &world,
        &json!([{"problem": long, "evidence": long, "id": long}]),
    );
    assert_eq!(proposed.new, 1, "{proposed:?}");
    let row = memories(&world.app).pop().unwrap();
    assert_eq!(row.text.content.chars().count(), 8_192);
}
