//! The whole table, consents and their twins, and random walks.

use proptest::prelude::*;
use taffrail_domain::{
    Channel, ContentHash, Lifecycle, MemoryId, MemoryStatus, PolicyBits, Provenance, ReviewAction,
    Shelf,
};

use super::*;

fn id(at: u8) -> MemoryId {
    MemoryId::new(1, [at; 10])
}

fn text(at: u8) -> ContentHash {
    ContentHash([at; 32])
}

fn subject() -> Subject {
    Subject {
        id: id(1),
        content: text(1),
    }
}

fn key() -> Key {
    Key::pressed(Surface::Terminal)
}

fn consent_to(shown: Vec<(MemoryId, ContentHash)>) -> Consent {
    let code = code(&shown).to_string();
    Consent::typed(shown, &code, Surface::Terminal).unwrap()
}

fn consent() -> Consent {
    consent_to(vec![(id(1), text(1))])
}

fn fresh() -> Standing {
    Standing::at_insert(Provenance::Generated, Channel::Web, Shelf::Quarantine)
}

/// A decision of each action, with whatever it takes.
fn decision(action: ReviewAction) -> Decision {
    match action {
        ReviewAction::Confirm => Decision::Confirm(consent()),
        ReviewAction::Evidence => Decision::Evidence(key()),
        ReviewAction::Restrict => Decision::Restrict(key()),
        ReviewAction::Reject => Decision::Reject(key()),
        ReviewAction::Stale => Decision::Stale(key()),
        ReviewAction::Merge => Decision::Merge {
            into: id(2),
            key: key(),
        },
        ReviewAction::Replace => Decision::Replace {
            old: id(2),
            consent: consent(),
        },
        ReviewAction::Edit => Decision::Edit(key()),
        ReviewAction::Undo => Decision::Undo(key()),
    }
}

fn after(before: &Standing, action: ReviewAction) -> Standing {
    transition(before, &decision(action), subject())
        .unwrap()
        .standing()
        .clone()
}

/// A standing of each status, made by reviews.
fn in_status(status: MemoryStatus) -> Standing {
    match status {
        MemoryStatus::Pending => fresh(),
        MemoryStatus::Confirmed => after(&fresh(), ReviewAction::Confirm),
        MemoryStatus::EvidenceOnly => after(&fresh(), ReviewAction::Evidence),
        MemoryStatus::Restricted => after(&fresh(), ReviewAction::Restrict),
        MemoryStatus::Rejected => after(&fresh(), ReviewAction::Reject),
        MemoryStatus::Stale => after(&fresh(), ReviewAction::Stale),
        MemoryStatus::Merged => after(&fresh(), ReviewAction::Merge),
    }
}

fn line(standing: &Standing) -> String {
    let bits = standing.bits;
    let named = [
        (bits.can_use_as_instruction, "instruct"),
        (bits.can_use_as_evidence, "evidence"),
        (bits.requires_user_confirmation, "ask"),
        (bits.do_not_inject_automatically, "hide"),
    ];
    let set: Vec<&str> = named.iter().filter(|it| it.0).map(|it| it.1).collect();
    format!(
        "{} / {} / {} / {}",
        standing.status,
        standing.lifecycle,
        standing.provenance,
        set.join("+")
    )
}

#[test]
fn rev_02_the_table_names_every_status_with_every_action_once() {
    assert_eq!(
        TABLE.len(),
        MemoryStatus::ALL.len() * ReviewAction::ALL.len()
    );
    for status in MemoryStatus::ALL {
        for action in ReviewAction::ALL {
            let rules = TABLE
                .iter()
                .filter(|rule| rule.from == *status && rule.action == *action);
            assert_eq!(rules.count(), 1, "{action} on {status}");
        }
    }
}

#[test]
fn rev_02_the_whole_table() {
    let mut lines = Vec::new();
    for status in MemoryStatus::ALL {
        let before = in_status(*status);
        for action in ReviewAction::ALL {
            let outcome = match transition(&before, &decision(*action), subject()) {
                Ok(decided) => line(decided.standing()),
                Err(refused) => format!("refused: {refused}"),
            };
            lines.push(format!("{status} + {action} = {outcome}"));
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn rev_02_an_action_gives_the_same_row_whatever_was_before() {
    for action in [
        ReviewAction::Confirm,
        ReviewAction::Evidence,
        ReviewAction::Restrict,
        ReviewAction::Reject,
        ReviewAction::Stale,
    ] {
        let from_pending = after(&fresh(), action);
        for status in MemoryStatus::ALL {
            match transition(&in_status(*status), &decision(action), subject()) {
                Ok(decided) => {
                    assert_eq!(decided.standing(), &from_pending, "{action} on {status}")
                }
                Err(Refused::Final { .. }) => assert_eq!(*status, MemoryStatus::Merged),
                Err(Refused::Already { status: same }) => assert_eq!(*status, same),
                Err(other) => panic!("{action} on {status}: {other}"),
            }
        }
    }
}

#[test]
fn rev_02_restrict_then_confirm_is_really_confirmed() {
    for first in [
        ReviewAction::Restrict,
        ReviewAction::Reject,
        ReviewAction::Stale,
    ] {
        let row = after(&after(&fresh(), first), ReviewAction::Confirm);
        assert!(row.bits.can_use_as_instruction, "{first}");
        assert!(!row.bits.do_not_inject_automatically, "{first}");
        assert!(!row.bits.requires_user_confirmation, "{first}");
        assert_eq!(row.lifecycle, Lifecycle::Active, "{first}");
    }
}

#[test]
fn rev_02_a_demotion_takes_the_confirmed_provenance_back() {
    let confirmed = in_status(MemoryStatus::Confirmed);
    assert_eq!(confirmed.provenance, Provenance::UserConfirmed);
    for action in [
        ReviewAction::Evidence,
        ReviewAction::Restrict,
        ReviewAction::Reject,
        ReviewAction::Stale,
        ReviewAction::Merge,
    ] {
        assert_eq!(after(&confirmed, action).provenance, Provenance::Generated);
    }
}

#[test]
fn rev_02_an_edit_leaves_the_confirmed_row_in_force() {
    let confirmed = in_status(MemoryStatus::Confirmed);
    assert_eq!(after(&confirmed, ReviewAction::Edit), confirmed);
}

#[test]
fn rev_02_who_retires_is_of_no_use_and_final() {
    for how in [Retired::Merged, Retired::Replaced] {
        let gone = retired(id(2), &in_status(MemoryStatus::Confirmed), how).unwrap();
        assert_eq!(gone.status, MemoryStatus::Merged);
        assert_eq!(gone.lifecycle, Lifecycle::Superseded);
        assert_eq!(gone.bits, NO_USE);
        assert!(retired(id(2), &gone, how).is_err());
        assert!(may_take_in(id(2), &gone).is_err());
        for action in ReviewAction::ALL {
            assert!(transition(&gone, &decision(*action), subject()).is_err());
        }
    }
    assert!(may_take_in(id(2), &fresh()).is_ok());
}

#[test]
fn rev_02_no_memory_takes_its_own_place() {
    let merge = Decision::Merge {
        into: id(1),
        key: key(),
    };
    let replace = Decision::Replace {
        old: id(1),
        consent: consent(),
    };
    for decision in [merge, replace] {
        assert_eq!(
            transition(&fresh(), &decision, subject()),
            Err(Refused::Itself { id: id(1) })
        );
    }
}

#[test]
fn rev_02_undo_brings_the_whole_earlier_standing_back() {
    for earlier in MemoryStatus::ALL {
        let before = in_status(*earlier);
        if before.bits.can_use_as_instruction {
            continue;
        }
        let now = retired(id(1), &before, Retired::Replaced).unwrap_or_else(|_| before.clone());
        let back = undone(&now, &before, &Decision::Undo(key()), subject()).unwrap();
        assert_eq!(back.standing(), &before);
        assert_eq!(back.action(), ReviewAction::Undo);
    }
}

#[test]
fn rev_03_undo_to_an_approval_takes_the_code() {
    let confirmed = in_status(MemoryStatus::Confirmed);
    let rejected = after(&confirmed, ReviewAction::Reject);
    assert_eq!(
        undone(&rejected, &confirmed, &Decision::Undo(key()), subject()),
        Err(Refused::NeedsCode { id: id(1) })
    );
    let other = Decision::UndoToConfirmed(consent_to(vec![(id(1), text(9))]));
    assert_eq!(
        undone(&rejected, &confirmed, &other, subject()),
        Err(Refused::NotShown { id: id(1) })
    );
    let with_code = Decision::UndoToConfirmed(consent());
    let back = undone(&rejected, &confirmed, &with_code, subject()).unwrap();
    assert_eq!(back.standing(), &confirmed);
    assert!(back.needs_seal());
}

#[test]
fn mem_06_an_undo_does_not_raise_the_channel() {
    let now = fresh();
    for forged in [
        Standing {
            channel: Channel::Operator,
            ..fresh()
        },
        Standing {
            first_provenance: Provenance::Observed,
            ..fresh()
        },
        Standing {
            shelf: Shelf::Queue,
            ..fresh()
        },
    ] {
        assert_eq!(
            undone(&now, &forged, &Decision::Undo(key()), subject()),
            Err(Refused::OtherOrigin { id: id(1) })
        );
    }
}

#[test]
fn rev_03_a_key_is_no_undo_and_an_undo_no_other_decision() {
    assert_eq!(
        undone(
            &fresh(),
            &in_status(MemoryStatus::Confirmed),
            &Decision::Confirm(consent()),
            subject()
        ),
        Err(Refused::NothingToUndo { id: id(1) })
    );
    assert_eq!(
        transition(&fresh(), &Decision::UndoToConfirmed(consent()), subject()),
        Err(Refused::NothingToUndo { id: id(1) })
    );
}

#[test]
fn rev_03_a_consent_covers_exactly_what_was_shown() {
    let consent = consent_to(vec![(id(1), text(1)), (id(2), text(2))]);
    assert!(consent.covers(id(1), text(1)) && consent.covers(id(2), text(2)));
    assert!(
        !consent.covers(id(1), text(2)),
        "another text of a shown row"
    );
    assert!(!consent.covers(id(3), text(1)), "a row that was not shown");
}

#[test]
fn rev_03_a_text_that_changed_after_it_was_shown_is_not_confirmed() {
    let decision = Decision::Confirm(consent());
    let swapped = Subject {
        id: id(1),
        content: text(2),
    };
    assert_eq!(
        transition(&fresh(), &decision, swapped),
        Err(Refused::NotShown { id: id(1) })
    );
    // The twin: by the rule of the table alone, which knows nothing of texts, the swapped text would instruct.
    let Effect::Set(set) = rule(MemoryStatus::Pending, ReviewAction::Confirm).effect else {
        panic!("confirming a pending row sets it");
    };
    assert!(set.applied(&fresh()).bits.can_use_as_instruction);
}

#[test]
fn rev_03_the_code_is_that_of_the_ordered_list() {
    let list = vec![(id(1), text(1)), (id(2), text(2))];
    let right = code(&list).to_string();
    assert_eq!(right.len(), 6);
    assert!(right.bytes().all(|it| it.is_ascii_hexdigit()));
    let typed = |list: &[(MemoryId, ContentHash)], code: &str| {
        Consent::typed(list.to_vec(), code, Surface::Browser)
    };
    assert!(typed(&list, &right).is_ok());
    assert!(typed(&list, &format!(" {} \n", right.to_uppercase())).is_ok());
    let swapped: Vec<_> = list.iter().rev().copied().collect();
    for other in [
        swapped.as_slice(),
        &list[..1],
        &[(id(1), text(1)), (id(2), text(3))],
    ] {
        assert!(typed(other, &right).is_err(), "the code of another list");
    }
    for wrong in ["", "y", "yes", &right[..5], &format!("{right}0"), "000000"] {
        assert!(typed(&list, wrong).is_err(), "`{wrong}` was taken");
    }
    assert_eq!(
        typed(&[], &code(&[]).to_string()).unwrap_err(),
        CodeWrong::NothingShown
    );
}

#[test]
fn rev_03_a_wrong_code_says_so_and_not_the_right_one() {
    let list = vec![(id(1), text(1))];
    let error = Consent::typed(list.clone(), "yes please, all of it", Surface::Terminal)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "`yes please, all ` is not the code of the text shown: nothing is confirmed"
    );
    assert!(!error.contains(&code(&list).to_string()));
}

#[test]
fn rev_02_a_standing_reads_back_and_nothing_else_does() {
    for status in MemoryStatus::ALL {
        let standing = in_status(*status);
        assert_eq!(Standing::from_json(&standing.json()), Ok(standing));
    }
    let text = fresh().json();
    for (from, to, field) in [
        ("\"pending\"", "\"approved\"", "status"),
        ("\"channel\":\"web\"", "\"channel\":\"vip\"", "channel"),
        ("\"bits\":2", "\"bits\":16", "bits"),
    ] {
        let error = Standing::from_json(&text.replace(from, to)).unwrap_err();
        assert_eq!(error.field, field);
    }
    assert!(Standing::from_json("no").is_err());
}

#[test]
fn mem_01_a_writer_cannot_claim_a_persons_word() {
    for provenance in Provenance::ALL {
        let row = Standing::at_insert(*provenance, Channel::Model, Shelf::Queue);
        assert_ne!(row.provenance, Provenance::UserConfirmed);
        assert_eq!(row.provenance, row.first_provenance);
        assert_eq!(row.status, MemoryStatus::Pending);
        assert_eq!(row.bits, PolicyBits::AT_INSERT);
    }
}

fn any_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    proptest::sample::select(all)
}

fn holds(row: &Standing, first: &Standing) {
    assert_eq!(row.channel, first.channel, "the channel moved");
    assert_eq!(row.first_provenance, first.first_provenance);
    assert_eq!(row.shelf, first.shelf);
    let may_instruct = row.bits.can_use_as_instruction;
    assert_eq!(may_instruct, row.provenance == Provenance::UserConfirmed);
    assert_eq!(may_instruct, row.status == MemoryStatus::Confirmed);
    assert!(
        !may_instruct || row.lifecycle == Lifecycle::Active,
        "a dead row instructs"
    );
    assert!(!(may_instruct && row.bits.do_not_inject_automatically));
    if row.status == MemoryStatus::Merged {
        assert_eq!(row.lifecycle, Lifecycle::Superseded);
    }
}

proptest! {
    /// No sequence of decisions raises the channel, and instruction always rests on a person's confirmation.
    #[test]
    fn mem_06_no_sequence_of_decisions_raises_the_channel(
        provenance in any_of(Provenance::ALL),
        channel in any_of(Channel::ALL),
        shelf in any_of(Shelf::ALL),
        steps in proptest::collection::vec((any_of(ReviewAction::ALL), any::<bool>(), any::<bool>()), 0..40),
    ) {
        let first = Standing::at_insert(provenance, channel, shelf);
        let mut history = vec![first.clone()];
        for (action, has_code, is_other) in steps {
            let now = history.last().unwrap().clone();
            let next = if action == ReviewAction::Undo && history.len() > 1 {
                let decision = if has_code { Decision::UndoToConfirmed(consent()) } else { Decision::Undo(key()) };
                let earlier = &history[history.len() - 2];
                let outcome = undone(&now, earlier, &decision, subject()).ok();
                if !has_code {
                    prop_assert!(outcome.as_ref().is_none_or(|it| !it.needs_seal()), "a key brought an approval back");
                }
                outcome.map(|it| it.standing().clone())
            } else if is_other {
                retired(id(1), &now, if has_code { Retired::Merged } else { Retired::Replaced }).ok()
            } else {
                transition(&now, &decision(action), subject()).ok().map(|it| it.standing().clone())
            };
            if let Some(next) = next {
                holds(&next, &first);
                history.push(next);
            }
        }
    }
}
