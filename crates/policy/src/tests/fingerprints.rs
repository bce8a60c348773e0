//! The fingerprint of a question: one byte changed anywhere changes it, and no field runs into the next.

use proptest::prelude::*;
use taffrail_domain::{Action, Risk};

use crate::{Fingerprinted, action_bytes, fingerprint};

/// What is changed, and how.
type Change = (&'static str, fn(&mut Fields));

/// Owned fields of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fields {
    session: [u8; 16],
    request: String,
    risk: Risk,
    destructive: bool,
    action: Vec<u8>,
    details: Vec<Vec<u8>>,
    cwd: Vec<u8>,
    offered: Vec<String>,
    nonce: [u8; 16],
}

impl Fields {
    fn print(&self) -> [u8; 32] {
        let details: Vec<&[u8]> = self.details.iter().map(Vec::as_slice).collect();
        let offered: Vec<&str> = self.offered.iter().map(String::as_str).collect();
        fingerprint(&Fingerprinted {
            session: self.session,
            request: &self.request,
            risk: self.risk,
            destructive: self.destructive,
            action: &self.action,
            details: &details,
            cwd: &self.cwd,
            offered: &offered,
            nonce: self.nonce,
        })
    }

    /// All bytes one after the other, as a fingerprint without lengths would have them.
    fn run_together(&self) -> Vec<u8> {
        let mut bytes = self.session.to_vec();
        bytes.extend(self.request.as_bytes());
        bytes.extend(self.risk.name().as_bytes());
        bytes.push(u8::from(self.destructive));
        bytes.extend(&self.action);
        bytes.extend(self.details.concat());
        bytes.extend(&self.cwd);
        bytes.extend(self.offered.concat().as_bytes());
        bytes.extend(self.nonce);
        bytes
    }
}

fn question() -> Fields {
    Fields {
        session: [1; 16],
        request: "7".to_owned(),
        risk: Risk::Shell,
        destructive: false,
        action: b"rm -rf build".to_vec(),
        details: vec![b"a".to_vec(), b"b".to_vec()],
        cwd: b"/checkout".to_vec(),
        offered: vec!["yes".to_owned(), "no".to_owned()],
        nonce: [2; 16],
    }
}

#[test]
fn pol_07_the_fingerprint_does_not_change_between_versions() {
    let hex: String = question()
        .print()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        hex,
        "5a7fd3464f368a5bf1718c5b6006575bb53800f34fd782991cb5b754edfcef10"
    );
}

#[test]
fn pol_07_every_field_counts() {
    let base = question();
    let changes: [Change; 12] = [
        ("session", |of| of.session[15] ^= 1),
        ("request", |of| of.request = "8".to_owned()),
        ("risk", |of| of.risk = Risk::Write),
        ("destructive", |of| of.destructive = true),
        ("action", |of| of.action[11] = b'D'),
        ("action grown", |of| of.action.push(0)),
        ("detail", |of| of.details[0][0] = b'c'),
        ("details in another order", |of| of.details.reverse()),
        ("detail gone", |of| drop(of.details.pop())),
        ("working directory", |of| of.cwd.push(b'/')),
        ("answers offered", |of| {
            of.offered.insert(1, "edits".to_owned())
        }),
        ("nonce", |of| of.nonce[0] = 0),
    ];
    for (what, change) in changes {
        let mut other = base.clone();
        change(&mut other);
        assert_ne!(other.print(), base.print(), "{what}");
    }
    assert_eq!(base.clone().print(), base.print());
}

/// Fields whose bytes run together to the same text are still told apart: the lengths do that.
#[test]
fn pol_07_no_field_runs_into_the_next() {
    let base = question();
    let moved: [Change; 5] = [
        ("from action to details", |of| {
            of.action = b"rm -rf buil".to_vec();
            of.details = vec![b"da".to_vec(), b"b".to_vec()];
        }),
        ("from one detail to the next", |of| {
            of.details = vec![b"ab".to_vec(), Vec::new()];
        }),
        ("two details as one", |of| of.details = vec![b"ab".to_vec()]),
        ("from details to the working directory", |of| {
            of.details = vec![b"a".to_vec()];
            of.cwd = b"b/checkout".to_vec();
        }),
        ("from one answer to the next", |of| {
            of.offered = vec!["yesn".to_owned(), "o".to_owned()];
        }),
    ];
    for (what, change) in moved {
        let mut other = base.clone();
        change(&mut other);
        // The twin: without lengths, the two are the same.
        assert_eq!(other.run_together(), base.run_together(), "{what}");
        assert_ne!(other.print(), base.print(), "{what}");
    }
}

#[test]
fn pol_07_actions_are_told_apart() {
    let paths = |names: &[&str]| -> Vec<Vec<u8>> {
        names.iter().map(|name| name.as_bytes().to_vec()).collect()
    };
    let actions = [
        Action::Read {
            paths: paths(&["a", "b"]),
        },
        Action::Read {
            paths: paths(&["b", "a"]),
        },
        Action::Read {
            paths: paths(&["ab"]),
        },
        Action::Read {
            paths: paths(&["ab", ""]),
        },
        Action::Write {
            paths: paths(&["a", "b"]),
            removes: Vec::new(),
        },
        Action::Write {
            paths: paths(&["a"]),
            removes: paths(&["b"]),
        },
        Action::Write {
            paths: Vec::new(),
            removes: paths(&["a", "b"]),
        },
        Action::Shell {
            command: b"ab".to_vec(),
            paths: Vec::new(),
        },
        Action::Shell {
            command: b"a".to_vec(),
            paths: paths(&["b"]),
        },
        Action::Shell {
            command: b"a".to_vec(),
            paths: paths(&["b", ""]),
        },
        Action::Network {
            host: "ab".to_owned(),
        },
        Action::Delegate {
            agent: "ab".to_owned(),
        },
        Action::Unknown {
            what: "ab".to_owned(),
            paths: Vec::new(),
        },
        Action::Unknown {
            what: "a".to_owned(),
            paths: paths(&["b"]),
        },
    ];
    for (at, one) in actions.iter().enumerate() {
        for other in &actions[at + 1..] {
            assert_ne!(action_bytes(one), action_bytes(other), "{one:?} {other:?}");
        }
    }
}

fn fields() -> impl Strategy<Value = Fields> {
    let bytes = || prop::collection::vec(prop::sample::select(vec![0, 1, b'a', b'b']), 0..4);
    let word = || "[ab]{0,3}";
    (
        (prop::sample::select(vec![[0; 16], [1; 16]]), word()),
        (prop::sample::select(Risk::ALL.to_vec()), any::<bool>()),
        (bytes(), prop::collection::vec(bytes(), 0..3), bytes()),
        prop::collection::vec(word(), 0..3),
        prop::sample::select(vec![[0; 16], [1; 16]]),
    )
        .prop_map(|(who, risk, what, offered, nonce)| Fields {
            session: who.0,
            request: who.1,
            risk: risk.0,
            destructive: risk.1,
            action: what.0,
            details: what.1,
            cwd: what.2,
            offered,
            nonce,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn pol_07_two_questions_have_one_fingerprint_only_if_they_are_one(
        one in fields(), other in fields(),
    ) {
        prop_assert_eq!(one == other, one.print() == other.print());
    }

    #[test]
    fn pol_07_any_byte_of_the_action_counts(
        action in prop::collection::vec(any::<u8>(), 1..64),
        at in any::<prop::sample::Index>(),
        bit in 0_u8..8,
    ) {
        let base = Fields { action, ..question() };
        let mut other = base.clone();
        let at = at.index(other.action.len());
        other.action[at] ^= 1 << bit;
        prop_assert_ne!(base.print(), other.print());
    }
}
