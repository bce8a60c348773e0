//! The hashes of a memory.

use super::*;

#[test]
fn mem_04_the_same_thing_has_the_same_key_whatever_its_form() {
    let key = |content: &str| idempotency_key(&passed(lesson(content)));
    let first = key("Caf\u{e9} opens.\nAt nine.");
    for same in [
        "Cafe\u{301} opens.\nAt nine.",
        "  Café opens.\r\nAt nine.\n",
        "Café opens.  \rAt nine.",
    ] {
        assert_eq!(key(same), first, "{same:?}");
    }
    for other in ["Café opens. At nine.", "café opens.\nAt nine."] {
        assert_ne!(key(other), first, "{other:?}");
    }
}

/// A change of a draft's fields.
type Change = fn(&mut Draft);

#[test]
fn mem_04_project_runtime_task_and_type_are_in_the_key() {
    let base = || Draft {
        source: Source {
            runtime: "box".to_owned(),
            task: Some("t1".to_owned()),
            ..Source::default()
        },
        ..lesson("The same text.")
    };
    let key = |change: Change| {
        let mut draft = base();
        change(&mut draft);
        let screened = passed(draft);
        (idempotency_key(&screened), text_key(&screened))
    };
    let first = key(|_| {});
    // What makes another row.
    let others: [Change; 3] = [
        |it| it.scope = project(2),
        |it| it.scope = Scope::Personal,
        |it| it.kind = MemoryType::Decision,
    ];
    for change in others {
        let (idempotency, text) = key(change);
        assert_ne!(idempotency, first.0);
        assert_ne!(text, first.1);
    }
    // What makes a witness: another key, the same text.
    let witnesses: [Change; 3] = [
        |it| it.source.runtime = "mcp".to_owned(),
        |it| it.source.task = Some("t2".to_owned()),
        |it| it.source.task = None,
    ];
    for change in witnesses {
        let (idempotency, text) = key(change);
        assert_ne!(idempotency, first.0);
        assert_eq!(text, first.1);
    }
    // What makes neither.
    let same: [Change; 3] = [
        |it| it.summary = Some("Said otherwise".to_owned()),
        |it| it.source.model = Some("other".to_owned()),
        |it| it.confidence = Some(0.5),
    ];
    for change in same {
        assert_eq!(key(change), first);
    }
}

#[test]
fn mem_04_bytes_cannot_move_between_the_fields_of_a_key() {
    let key = |runtime: &str, task: &str| {
        let draft = Draft {
            source: Source {
                runtime: runtime.to_owned(),
                task: Some(task.to_owned()),
                ..Source::default()
            },
            ..lesson("x")
        };
        idempotency_key(&passed(draft))
    };
    assert_ne!(key("box:", "t"), key("box", ":t"));
    assert_ne!(key("ab", ""), key("a", "b"));
}

#[test]
fn mem_05_a_witness_is_another_task_or_session_and_no_other_step() {
    let source = |change: fn(&mut Source)| {
        let mut source = Source {
            runtime: "mcp".to_owned(),
            session: Some("s".to_owned()),
            ..Source::default()
        };
        change(&mut source);
        witness(&source)
    };
    let first = source(|_| {});
    assert_eq!(source(|it| it.step = Some(4)), first);
    assert_eq!(source(|it| it.model = Some("m".to_owned())), first);
    assert_ne!(source(|it| it.session = Some("t".to_owned())), first);
    assert_ne!(source(|it| it.task = Some("t".to_owned())), first);
    assert_ne!(source(|it| it.client = Some("c".to_owned())), first);
    assert_ne!(
        source(|it| it.task = Some(String::new())),
        first,
        "absent is not empty"
    );
}

#[test]
fn rev_03_the_content_hash_is_of_the_salt_and_every_field() {
    let text = HashedText {
        scope: project(1),
        kind: MemoryType::Lesson,
        summary: "s",
        content: "c",
        source_refs: "[]",
        artifacts: "[]",
    };
    let first = content_hash(&[1; 16], &text);
    assert_eq!(content_hash(&[1; 16], &text), first);
    assert_ne!(content_hash(&[2; 16], &text), first, "the salt");
    for other in [
        HashedText {
            scope: Scope::Personal,
            ..text
        },
        HashedText {
            scope: project(2),
            ..text
        },
        HashedText {
            kind: MemoryType::Decision,
            ..text
        },
        HashedText {
            summary: "S",
            ..text
        },
        HashedText {
            content: "c ",
            ..text
        },
        HashedText {
            source_refs: "[ ]",
            ..text
        },
        HashedText {
            artifacts: "[ ]",
            ..text
        },
        HashedText {
            summary: "sc",
            content: "",
            ..text
        },
    ] {
        assert_ne!(content_hash(&[1; 16], &other), first, "{other:?}");
    }
}

#[test]
fn rev_03_the_content_hash_of_a_draft_is_that_of_its_row() {
    let screened = passed(lesson("The text."));
    let of_draft = content_hash(&[1; 16], &HashedText::of(&screened));
    let of_row = content_hash(
        &[1; 16],
        &HashedText {
            scope: screened.scope,
            kind: screened.kind,
            summary: screened.summary.as_str(),
            content: screened.content.as_str(),
            source_refs: "[]",
            artifacts: "[]",
        },
    );
    assert_eq!(of_draft, of_row);
}

#[test]
fn mem_04_the_hashes_do_not_move() {
    let screened = passed(lesson("The text."));
    let hex = |bytes: [u8; 32]| bytes.map(|it| format!("{it:02x}")).concat();
    insta::assert_snapshot!(format!(
        "idempotency {}\ntext {}\nwitness {}\ncontent {}",
        hex(idempotency_key(&screened)),
        hex(text_key(&screened)),
        hex(witness(&screened.source)),
        content_hash(&[1; 16], &HashedText::of(&screened)),
    ));
}
