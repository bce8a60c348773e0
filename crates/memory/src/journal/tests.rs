//! Chains that hold, chains that were tampered with, and what verification cannot see.

use proptest::prelude::*;
use taffrail_domain::{ContentHash, Millis};

use super::*;

fn chain(length: u64) -> Vec<Entry> {
    let mut head = Anchor::START;
    (0..length)
        .map(|at| {
            let facts = Facts::new()
                .number("version", at as i64)
                .word("action", "confirm");
            let kind = EventKind::ALL[at as usize % EventKind::ALL.len()];
            let subject = (at % 3 != 0).then_some([at as u8; 16]);
            let entry = Entry::after(&head, Millis(at as i64 * 7), kind, subject, &facts);
            head = entry.anchor();
            entry
        })
        .collect()
}

fn verdict(entries: &[Entry], anchors: &[Anchor]) -> Result<Verified, Broken> {
    let mut verifier = Verifier::new(anchors);
    for entry in entries {
        verifier.push(&entry.row());
    }
    verifier.finish()
}

/// Hashes everything from `at` on anew, as somebody would who knows how.
fn rechained(mut entries: Vec<Entry>, at: usize) -> Vec<Entry> {
    for at in at..entries.len() {
        let previous = if at == 0 {
            [0; 32]
        } else {
            entries[at - 1].hash
        };
        let entry = &mut entries[at];
        entry.previous = previous;
        entry.seq = at as u64 + 1;
        entry.hash = hash(
            &previous,
            entry.seq,
            entry.at,
            entry.kind.name(),
            entry.subject,
            &entry.facts,
        );
    }
    entries
}

#[test]
fn rev_05_a_whole_chain_holds() {
    let entries = chain(20);
    let last = entries[19].anchor();
    let verified = verdict(&entries, &[last, entries[4].anchor()]).unwrap();
    assert_eq!(verified.head, last);
    assert_eq!(verified.anchored, 20);
    let none = verdict(&[], &[]).unwrap();
    assert_eq!(none.head, Anchor::START);
    assert!(verdict(&entries, &[Anchor::START]).is_ok());
}

#[test]
fn rev_05_the_first_break_is_named_with_its_kind() {
    let entries = chain(10);
    let anchor = entries[7].anchor();
    let check = |entries: &[Entry], seq, how| {
        assert_eq!(verdict(entries, &[anchor]), Err(Broken { seq, how }));
    };
    let mut changed = entries.clone();
    changed[3].facts = changed[3].facts.replace("confirm", "reject");
    check(&changed, 4, How::Changed);

    let mut lost = entries.clone();
    lost.remove(3);
    check(&lost, 4, How::Lost { found: 5 });

    let mut swapped = entries.clone();
    swapped.swap(3, 4);
    check(&swapped, 4, How::Reordered);

    let mut twice = entries.clone();
    twice.insert(4, entries[2].clone());
    check(&twice, 3, How::Reordered);

    check(&entries[..5], 6, How::Truncated { anchored: 8 });
    check(&[], 1, How::Truncated { anchored: 8 });

    let mut rewritten = entries;
    rewritten[3].facts = "{}".to_owned();
    rewritten[3].hash = rechained(rewritten[..4].to_vec(), 3)[3].hash;
    check(&rewritten, 5, How::Unlinked);
}

#[test]
fn rev_05_a_chain_written_anew_is_found_by_its_anchor() {
    let entries = chain(10);
    let mut forged = entries.clone();
    forged[3].facts = "{}".to_owned();
    let forged = rechained(forged, 3);
    let anchor = entries[7].anchor();
    assert_eq!(
        verdict(&forged, &[anchor]),
        Err(Broken {
            seq: 8,
            how: How::Rewritten
        })
    );
    // An anchor in front of the change narrows it down.
    let earlier = [entries[1].anchor(), entries[4].anchor(), anchor];
    assert_eq!(verdict(&forged, &earlier).unwrap_err().seq, 5);
    // The twin: without an anchor the forgery holds, which is why each review anchors.
    assert!(verdict(&forged, &[]).is_ok());
}

#[test]
fn rev_05_a_tail_cut_after_the_last_anchor_is_not_found() {
    let entries = chain(10);
    let verified = verdict(&entries[..8], &[entries[7].anchor()]).unwrap();
    assert_eq!((verified.head.seq, verified.anchored), (8, 8));
}

#[test]
fn rev_05_every_field_is_hashed() {
    let original = chain(5)[4].clone();
    assert!(original.subject.is_some());
    let changes: [fn(&mut Entry); 6] = [
        |it| it.previous = [9; 32],
        |it| it.seq = 6,
        |it| it.at = Millis(1),
        |it| it.kind = EventKind::Purged,
        |it| it.subject = None,
        |it| it.facts.push(' '),
    ];
    for (at, change) in changes.iter().enumerate() {
        let mut it = original.clone();
        change(&mut it);
        let kind = it.kind.name();
        let made = hash(&it.previous, it.seq, it.at, kind, it.subject, &it.facts);
        assert_ne!(made, original.hash, "field {at}");
    }
}

#[test]
fn rev_05_bytes_cannot_move_between_fields() {
    let with = |kind: &str, facts: &str| hash(&[0; 32], 1, Millis(0), kind, None, facts);
    assert_ne!(with("purged", "{}"), with("purged{", "}"));
}

#[test]
fn rev_05_the_canonical_form_does_not_move() {
    let facts = Facts::new()
        .word("action", "confirm")
        .number("version", 3)
        .flag("bulk", false)
        .id("other", [0xab; 16])
        .ids("rows", [[1; 16], [2; 16]])
        .words("lanes", &["approved", "evidence"])
        .content("content", ContentHash([5; 32]))
        .keyed("name", KeyedHash::of(&[6; 32], b"n"))
        .public_key("key", [7; 32]);
    let entry = Entry::after(
        &Anchor::START,
        Millis(1_700_000_000_000),
        EventKind::MemoryReviewed,
        Some([1; 16]),
        &facts,
    );
    let hash: String = entry.hash.iter().map(|it| format!("{it:02x}")).collect();
    insta::assert_snapshot!(format!("{}\n{hash}", entry.facts));
}

#[test]
fn rev_05_facts_do_not_depend_on_the_order_they_came_in() {
    let one = Facts::new().word("b", "x").number("a", 1);
    let two = Facts::new().number("a", 1).word("b", "x");
    assert_eq!(one.json(), two.json());
    assert_eq!(one.json(), r#"{"a":1,"b":"x"}"#);
}

#[test]
fn rev_05_the_keyed_hash_is_hmac_sha_256() {
    // RFC 4231, test case 2, whose key of 4 bytes is padded with zeros to 32 as HMAC does.
    let mut key = [0; 32];
    key[..4].copy_from_slice(b"Jefe");
    let hash = KeyedHash::of(&key, b"what do ya want for nothing?");
    let hex: String = hash.bytes().iter().map(|it| format!("{it:02x}")).collect();
    assert_eq!(
        hex,
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
    assert_ne!(
        hash,
        KeyedHash::of(&[1; 32], b"what do ya want for nothing?")
    );
}

#[test]
fn rev_05_kinds_read_back() {
    for kind in EventKind::ALL {
        assert_eq!(kind.name().parse(), Ok(*kind));
    }
    assert!("memory_believed".parse::<EventKind>().is_err());
}

#[test]
fn rev_05_a_kind_that_is_no_word_of_ours_breaks_the_chain_like_any_change() {
    let entries = chain(3);
    let mut verifier = Verifier::new(&[]);
    for entry in &entries {
        let mut row = entry.row();
        if row.seq == 2 {
            row.kind = "memory_believed";
        }
        verifier.push(&row);
    }
    assert_eq!(
        verifier.broken(),
        Some(Broken {
            seq: 2,
            how: How::Changed
        })
    );
}

/// One way to tamper with an entry's bytes.
fn flip(entry: &mut Entry, field: usize, at: usize) {
    match field {
        0 => entry.at = Millis(entry.at.0 ^ 1),
        1 => {
            entry.kind = if entry.kind == EventKind::Purged {
                EventKind::Imported
            } else {
                EventKind::Purged
            };
        }
        2 => entry.subject = entry.subject.map_or(Some([0; 16]), |_| None),
        3 => entry.facts.insert(at % (entry.facts.len() + 1), ' '),
        4 => entry.previous[at % 32] ^= 1 << (at % 8),
        _ => entry.hash[at % 32] ^= 1 << (at % 8),
    }
}

proptest! {
    #[test]
    fn rev_05_any_flip_is_found_at_its_place(length in 1u64..40, at in any::<usize>(), field in 0usize..6, byte in any::<usize>()) {
        let mut entries = chain(length);
        let at = at % entries.len();
        let anchor = entries[entries.len() - 1].anchor();
        flip(&mut entries[at], field, byte);
        let broken = verdict(&entries, &[anchor]).unwrap_err();
        prop_assert_eq!(broken.seq, at as u64 + 1);
        prop_assert_eq!(broken.how, How::Changed);
    }

    #[test]
    fn rev_05_any_loss_before_the_anchor_is_found(length in 1u64..40, from in any::<usize>(), count in 1usize..5) {
        let entries = chain(length);
        let anchor = entries[entries.len() - 1].anchor();
        let from = from % entries.len();
        let until = (from + count).min(entries.len());
        let kept: Vec<Entry> = entries[..from].iter().chain(&entries[until..]).cloned().collect();
        prop_assert_eq!(verdict(&kept, &[anchor]).unwrap_err().seq, from as u64 + 1);
        // With its numbers and hashes made anew the loss shows at the anchor.
        prop_assert!(verdict(&rechained(kept, from), &[anchor]).is_err());
    }

    #[test]
    fn rev_05_any_exchange_is_found(length in 2u64..40, one in any::<usize>(), two in any::<usize>()) {
        let entries = chain(length);
        let anchor = entries[entries.len() - 1].anchor();
        let (one, two) = (one % entries.len(), two % entries.len());
        prop_assume!(one != two);
        let mut swapped = entries;
        swapped.swap(one, two);
        let first = one.min(two);
        let broken = verdict(&swapped, &[anchor]).unwrap_err();
        prop_assert_eq!(broken.seq, first as u64 + 1);
        prop_assert_eq!(broken.how, How::Reordered);
        // The same with the numbers exchanged, so that they ascend.
        let (a, b) = (swapped[one].seq, swapped[two].seq);
        swapped[one].seq = b;
        swapped[two].seq = a;
        prop_assert_eq!(verdict(&swapped, &[anchor]).unwrap_err().seq, first as u64 + 1);
        // And with all hashes made anew.
        prop_assert!(verdict(&rechained(swapped, first), &[anchor]).is_err());
    }

    #[test]
    fn rev_05_any_cut_before_the_anchor_is_found(length in 1u64..40, keep in any::<usize>()) {
        let entries = chain(length);
        let anchor = entries[entries.len() - 1].anchor();
        let keep = keep % entries.len();
        let broken = verdict(&entries[..keep], &[anchor]).unwrap_err();
        prop_assert_eq!(broken, Broken { seq: keep as u64 + 1, how: How::Truncated { anchored: length } });
    }
}
