//! Each field flipped, older seals, foreign keys.

use taffrail_domain::{ContentHash, MemoryId, Millis, PolicyBits};

use super::*;

const BITS: PolicyBits = PolicyBits {
    can_use_as_instruction: true,
    ..PolicyBits::AT_INSERT
};

fn facts() -> SealedFacts {
    SealedFacts {
        home: [1; 16],
        memory: MemoryId::new(7, [2; 10]),
        content: ContentHash([3; 32]),
        bits: BITS,
        stale_after: Some(Millis(5)),
        entry_seq: 9,
        entry_hash: [4; 32],
    }
}

fn key() -> SealKey {
    SealKey::from_seed([5; 32])
}

#[test]
fn rev_04_a_seal_verifies_for_what_was_approved() {
    let seal = key().sign(&facts());
    assert!(verify(&key().public(), &facts(), &seal));
}

#[test]
fn rev_04_each_field_changed_breaks_the_seal() {
    let (public, seal) = (key().public(), key().sign(&facts()));
    let changed = [
        SealedFacts {
            home: [9; 16],
            ..facts()
        },
        SealedFacts {
            memory: MemoryId::new(7, [9; 10]),
            ..facts()
        },
        SealedFacts {
            content: ContentHash([9; 32]),
            ..facts()
        },
        SealedFacts {
            stale_after: None,
            ..facts()
        },
        SealedFacts {
            stale_after: Some(Millis(6)),
            ..facts()
        },
        SealedFacts {
            entry_seq: 10,
            ..facts()
        },
        SealedFacts {
            entry_hash: [9; 32],
            ..facts()
        },
    ];
    for other in &changed {
        assert!(!verify(&public, other, &seal), "{other:?} verifies");
    }
}

#[test]
fn rev_04_each_bit_changed_breaks_the_seal() {
    let (public, seal) = (key().public(), key().sign(&facts()));
    let flips: [fn(&mut PolicyBits); 4] = [
        |bits| bits.can_use_as_instruction ^= true,
        |bits| bits.can_use_as_evidence ^= true,
        |bits| bits.requires_user_confirmation ^= true,
        |bits| bits.do_not_inject_automatically ^= true,
    ];
    for flip in flips {
        let mut other = facts();
        flip(&mut other.bits);
        assert!(!verify(&public, &other, &seal), "{:?} verifies", other.bits);
    }
}

#[test]
fn rev_04_an_older_seal_of_the_same_row_is_no_seal_of_a_later_review() {
    let older = key().sign(&facts());
    let later = SealedFacts {
        entry_seq: 12,
        entry_hash: [8; 32],
        ..facts()
    };
    assert!(
        !verify(&key().public(), &later, &older),
        "a rollback verifies"
    );
    // The twin: without the entry in the facts the old seal would do.
    let blind = SealedFacts {
        entry_seq: 9,
        entry_hash: [4; 32],
        ..later
    };
    assert!(verify(&key().public(), &blind, &older));
}

#[test]
fn rev_04_any_byte_of_the_seal_flipped_breaks_it() {
    let seal = key().sign(&facts());
    for at in 0..64 {
        let mut bent = seal;
        bent[at] ^= 1;
        assert!(!verify(&key().public(), &facts(), &bent), "byte {at}");
    }
}

#[test]
fn rev_04_another_key_and_a_weak_key_verify_nothing() {
    let seal = key().sign(&facts());
    assert!(!verify(
        &SealKey::from_seed([6; 32]).public(),
        &facts(),
        &seal
    ));
    // The neutral point, under which a zero signature fits any message if the check is lax.
    let mut neutral = [0; 32];
    neutral[0] = 1;
    let mut zero = [0; 64];
    zero[0] = 1;
    assert!(!verify(&neutral, &facts(), &zero), "a weak key verifies");
    assert!(
        !verify(&[0xff; 32], &facts(), &seal),
        "no point of the curve"
    );
}

#[test]
fn rev_05_an_anchor_is_sealed_by_home_number_and_head() {
    let anchor = Anchor {
        seq: 4,
        head: [2; 32],
    };
    let (public, seal) = (key().public(), key().sign_anchor([1; 16], &anchor));
    assert!(verify_anchor(&public, [1; 16], &anchor, &seal));
    assert!(!verify_anchor(&public, [2; 16], &anchor, &seal));
    assert!(!verify_anchor(
        &public,
        [1; 16],
        &Anchor { seq: 3, ..anchor },
        &seal
    ));
    assert!(!verify_anchor(
        &public,
        [1; 16],
        &Anchor {
            head: [3; 32],
            ..anchor
        },
        &seal
    ));
}

#[test]
fn rev_04_a_seal_of_one_purpose_is_none_of_another() {
    let anchor = Anchor {
        seq: 9,
        head: [4; 32],
    };
    let seal = key().sign_anchor([1; 16], &anchor);
    assert!(!verify(&key().public(), &facts(), &seal));
}

#[test]
fn rev_04_the_key_does_not_print_itself() {
    assert_eq!(format!("{:?}", key()), "SealKey");
}
