//! What stands beside a seed's memory as evidence (MEM-07): the slate, the seed's hash, the anchors, what git said. Built
//! from what its caller collected; asks nobody.

use serde_json::{Value, json};
use taffrail_memory::draft::EVIDENCE_LIMIT;
use taffrail_slate::external::Seed;

use super::propose::Closed;

/// Touched files that are listed of the anchors; the closing of the slate keeps them all.
const TOUCHED: usize = 50;
/// Changed files that are listed; the others are counted.
const FILES: usize = 100;
/// The room that masking may take: a mask can be longer than what it hides.
const ROOM: usize = EVIDENCE_LIMIT / 4 * 3;

/// The evidence of one seed, as JSON of at most [`EVIDENCE_LIMIT`] characters. Lists are shortened until it fits: evidence is
/// never a reason to refuse the seed.
pub(super) fn of_seed(of: &Closed<'_>, seed: &Seed) -> String {
    let (mut touched, mut files) = (TOUCHED, FILES);
    loop {
        let text = facts(of, seed, touched, files).to_string();
        if text.chars().count() <= ROOM {
            return text;
        }
        if (touched, files) == (0, 0) {
            return bare(of, seed).to_string();
        }
        (touched, files) = (touched / 2, files / 2);
    }
}

fn facts(of: &Closed<'_>, seed: &Seed, touched: usize, files: usize) -> Value {
    let mut facts = bare(of, seed);
    facts["anchors"] = json!({
        "root": of.anchors.root(),
        "note": of.anchors.note(),
        "count": of.anchors.touched().len(),
        "touched": of.anchors.touched().iter().take(touched).collect::<Vec<_>>(),
    });
    if let Some(git) = of.evidence {
        facts["git"] = shortened(git, files);
    }
    facts
}

fn bare(of: &Closed<'_>, seed: &Seed) -> Value {
    json!({
        "slate": { "id": of.external_id, "generation": of.generation },
        "seed": { "id": seed.id, "hash": seed.hash() },
    })
}

/// What git said, with at most so many files listed. Their number is said beside them.
fn shortened(git: &Value, files: usize) -> Value {
    let mut git = git.clone();
    for holder in ["/files", "/change/files"] {
        if let Some(Value::Array(listed)) = git.pointer_mut(holder) {
            listed.truncate(files);
        }
    }
    git
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_domain::Millis;
    use taffrail_memory::draft::Scope;
    use taffrail_redact::{Options, Redactor};
    use taffrail_slate::external::{Anchors, AnchorsSent, Origin};

    #[test]
    fn mem_07_evidence_is_shortened_and_never_too_long() {
        let redactor = Redactor::new(Options::default());
        let sent = AnchorsSent {
            root: Some("r".repeat(4_096)),
            touched: vec!["t".repeat(1_024); 200],
            note: Some("n".repeat(2_000)),
        };
        let anchors = Anchors::new(&sent, &redactor).unwrap();
        let file = json!({ "path": "p".repeat(1_000), "added": 1, "removed": 0 });
        let git = json!({ "branch": "main", "base": "c27b", "change": { "count": 300, "diff": "d5", "files": vec![file; 300] } });
        let origin = Origin {
            harness: Origin::MCP.into(),
            client: None,
        };
        let seed = Seed::new([7; 16], redactor.clean("a text"), Millis(1), None, origin);
        let of = Closed {
            scope: Scope::Personal,
            external_id: "s1",
            generation: 3,
            seeds: std::slice::from_ref(&seed),
            evidence: Some(&git),
            anchors: &anchors,
        };
        let text = of_seed(&of, &seed);
        assert!(text.chars().count() <= EVIDENCE_LIMIT);
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["slate"], json!({ "id": "s1", "generation": 3 }));
        assert_eq!(read["seed"]["hash"], seed.hash());
        assert_eq!(read["git"]["change"]["count"], 300);
        assert_eq!(read["git"]["change"]["diff"], "d5");
        assert_eq!(read["anchors"]["count"], 200);
    }
}
