//! A memory and its file say the same, and a hostile file says what is wrong with it.

use proptest::prelude::*;
use taffrail_domain::MemoryId;

use super::*;

fn memory() -> Exported {
    Exported {
        id: MemoryId::new(1_700_000_000_000, [7; 10]).into(),
        kind: MemoryType::Decision,
        summary: "Der Speicher ist \"eine\" Datei: SQLite – für immer, und das mit Absicht"
            .to_owned(),
        content: "# Why\n\nOne copy is the backup.\n\n---\n- less to break".to_owned(),
        scope: Scope::Project("boats".to_owned()),
        created: Millis(1_767_225_600_000),
        confirmed: Some(Millis(1_767_312_000_123)),
        sources: vec![
            SourceRef {
                kind: "file".into(),
                uri: "docs/decisions/0003.md#L4".into(),
                title: None,
                timestamp: None,
            },
            SourceRef {
                kind: "url".into(),
                uri: "https://example.org/?a=1&b=\u{202e}".into(),
                title: Some("Über".into()),
                timestamp: Some("2025".into()),
            },
        ],
        artifacts: vec![Artifact {
            kind: "file".into(),
            uri: "taffrail.db".into(),
            description: Some("the file".into()),
        }],
    }
}

fn read(text: &str) -> String {
    from_file(text).unwrap_err().to_string()
}

#[test]
fn rec_12_a_memory_is_one_file() {
    let (name, text) = to_file(&memory());
    assert_eq!(
        name,
        format!(
            "decision-der-speicher-ist-eine-datei-sqlite-fur-immer-und-{}.md",
            memory().id
        )
    );
    assert_eq!(id_in_name(&name), Some(memory().id));
    insta::assert_snapshot!("file", text);
    let imported = from_file(&text).unwrap();
    assert_eq!(
        imported,
        Imported {
            hash: memory().text_hash(),
            memory: memory(),
            edited: false
        }
    );
}

#[test]
fn rec_12_names_are_safe() {
    let cases = [
        ("", "decision-"),
        ("漢字", "decision-"),
        ("../../etc/passwd", "decision-etc-passwd-"),
        ("a\nb\0c", "decision-a-b-c-"),
        ("Ünïcödé ﬁne", "decision-unicode-fine-"),
    ];
    for (summary, start) in cases {
        let (name, _) = to_file(&Exported {
            summary: summary.to_owned(),
            ..memory()
        });
        assert_eq!(name, format!("{start}{}.md", memory().id));
    }
    let (name, _) = to_file(&Exported {
        summary: "x".repeat(300),
        ..memory()
    });
    assert_eq!(name.len(), "decision--.md".len() + 48 + 14);
    let id = memory().id;
    for name in [
        "README.md".to_owned(),
        format!("../decision-a-{id}.md"),
        format!("decision-a-{id}"),
        format!("idea-a-{id}.md"),
        format!("decision-A-{id}.md"),
        "decision-a-mem_0.md".to_owned(),
    ] {
        assert_eq!(id_in_name(&name), None, "{name}");
    }
}

#[test]
fn rec_12_an_edit_is_seen() {
    let (_, text) = to_file(&memory());
    for (old, new) in [
        ("less to break", "less to mend"),
        ("SQLite", "Postgres"),
        ("0003.md", "0004.md"),
        ("type: decision", "type: lesson"),
    ] {
        let imported = from_file(&text.replace(old, new)).unwrap();
        assert!(imported.edited, "{old}");
        assert_ne!(imported.hash, memory().text_hash());
    }
    for (old, new) in [
        ("project boats", "personal"),
        ("confirmed: 2026", "confirmed: 2027"),
    ] {
        assert!(
            !from_file(&text.replace(old, new)).unwrap().edited,
            "{old} is no text"
        );
    }
}

#[test]
fn rec_12_an_unfinished_merge_is_refused_by_name() {
    let (_, text) = to_file(&memory());
    let ours = "<<<<<<< ours\n- less to break\n=======\n- more\n>>>>>>> theirs";
    let merged = text.replace("- less to break", ours);
    assert_eq!(
        read(&merged),
        "line 22: merge conflict marker `<<<<<<<`: finish the merge first"
    );
    let front = text.replace(
        "type: decision",
        "<<<<<<< ours\ntype: decision\n=======\ntype: lesson\n>>>>>>> theirs",
    );
    assert_eq!(
        read(&front),
        "line 4: merge conflict marker `<<<<<<<`: finish the merge first"
    );
    assert_eq!(
        read("<<<<<<< ours\n---\n"),
        "line 1: merge conflict marker `<<<<<<<`: finish the merge first"
    );

    let about = Exported {
        content: ours.to_owned(),
        ..memory()
    };
    assert_eq!(
        from_file(&to_file(&about).1).unwrap().memory,
        about,
        "a memory about a conflict is its own content"
    );
    let setext = text.replace("- less to break", "Title\n=======\nless");
    assert!(
        from_file(&setext).is_ok(),
        "an underlined heading is no conflict"
    );
}

#[test]
fn rec_12_a_file_that_is_no_memory_says_why() {
    let (_, text) = to_file(&memory());
    let (front, _) = text.split_once("\n---\n").unwrap();
    let cases = [
        (
            String::new(),
            "line 1: no front matter: the first line of a memory is `---`",
        ),
        (
            "# A page\n".to_owned(),
            "line 1: no front matter: the first line of a memory is `---`",
        ),
        (
            "---\nid: mem_0\n".to_owned(),
            "line 2: the front matter has no end: a line `---`",
        ),
        (
            text.replace('\n', "\r\n"),
            "line 1: the line ends with CR LF: save the file with LF (in git: `*.md text eol=lf`)",
        ),
        (
            format!("\u{feff}{text}"),
            "line 1: a byte order mark: save the file as UTF-8 without one",
        ),
        (
            text.replace("One copy", "One\0copy"),
            "line 19: a NUL byte: this is not a text file",
        ),
        (
            "x".repeat(FILE_LIMIT + 1),
            "the file has 262145 bytes; the limit is 262144",
        ),
        (
            "---\nsources:\nsources:\n".to_owned(),
            "line 3: `sources` a second time: it is on line 2 already",
        ),
        (
            format!("---\nsources:\n{}", "  - {}\n".repeat(9_000)),
            "line 300: the front matter has more than 300 lines",
        ),
        (
            format!("{front}\n---\n\n \n"),
            "line 16: there is no content behind the front matter",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(read(&text), message);
    }
    let long = read(&format!("---\n{}: 1\n---\n", "k".repeat(100_000)));
    assert!(long.len() < 200, "a message stays short: {}", long.len());
}

/// What is said of the file of `memory` with `new` for the first `old`.
fn check(cases: &[(&str, &str, &str)]) {
    let (_, text) = to_file(&memory());
    for (old, new, message) in cases {
        let found = read(&text.replacen(old, new, 1));
        assert!(found.starts_with(message), "{found}");
    }
}

#[test]
fn rec_12_a_wrong_value_names_its_line() {
    check(&[
        (
            "type: decision",
            "type: idea",
            "line 4: `type` is not a memory type",
        ),
        (
            "type: decision",
            "type: &a [*a, *a]",
            "line 4: `type` is not a memory type",
        ),
        (
            "type: decision\n",
            "",
            "line 14: `type` is missing: it is a memory type",
        ),
        (
            "memory 1",
            "memory 2",
            "line 2: `taffrail` is not `memory 1`; a newer taffrail may have written it",
        ),
        (
            "summary: \"",
            "summary: ",
            "line 5: `summary` is not text in double quotes, as in JSON",
        ),
        (
            "id: mem_",
            "id: ../",
            "line 3: `id` is not an id like mem_4k7x9q2m1d",
        ),
        (
            "project boats",
            "project ../../etc",
            "line 6: `scope` is not `personal` or `project NAME`",
        ),
        (
            "created: 2026",
            "created: soon",
            "line 7: `created` is not a time like 2026-01-31T12:00:00Z",
        ),
        ("hash: ", "hash: x", "line 14: `hash` is not 64 hex digits"),
        (
            "scope:",
            "provenance: user_confirmed\nscope:",
            "line 6: unknown key `provenance`: the keys are taffrail, id",
        ),
    ]);
}

#[test]
fn rec_12_a_wrong_item_names_its_line() {
    let deep = format!("  - {}", "[".repeat(100_000));
    check(&[
        (
            "sources:",
            "sources: []",
            "line 9: `sources` is a list: one `  - {…}` a line below it",
        ),
        (
            "  - {\"kind\":\"file\",",
            "  - {\"kind\":1,",
            "line 10: not an item of `sources`: invalid type",
        ),
        (
            "  - {\"kind\"",
            "  - {\"trust\":1,\"kind\"",
            "line 10: not an item of `sources`: unknown field",
        ),
        (
            "  - {\"kind\":\"file\"",
            &deep,
            "line 10: not an item of `sources`: ",
        ),
        (
            "id: mem",
            "  - {}\nid: mem",
            "line 3: an item that belongs to no list",
        ),
        ("id: mem", "idmem", "line 3: not `key: value`"),
    ]);
}

#[test]
fn rec_12_what_changed_since_the_last_import() {
    let id = |number: u8| ForeignId::from(MemoryId::new(0, [number; 10]));
    let hash = |number: u8| TextHash([number; 32]);
    let since = [(id(1), hash(1)), (id(2), hash(2)), (id(3), hash(3))];
    let now = [
        (id(4), hash(4)),
        (id(3), hash(9)),
        (id(1), hash(1)),
        (id(4), hash(5)),
    ];
    let found: Vec<_> = changes(&since, &now)
        .into_iter()
        .map(|(id, change)| (id, change.name()))
        .collect();
    assert_eq!(
        found,
        [
            (id(4), "new"),
            (id(3), "changed"),
            (id(1), "same"),
            (id(4), "repeated"),
            (id(2), "missing")
        ]
    );
}

fn text() -> impl Strategy<Value = String> {
    let bits = prop::sample::select(vec![
        "---",
        "\n",
        "\r\n",
        "\r",
        "<<<<<<< a\n",
        "=======\n",
        ">>>>>>> b\n",
        "id: ",
        "\"",
        "\\",
        "  - ",
        "\u{2028}",
        "\u{feff}",
        "\u{85}",
        "漢",
        " ",
        "x",
    ]);
    prop_oneof![
        prop::collection::vec(bits, 0..12).prop_map(|bits| bits.concat()),
        "\\PC{0,40}",
        prop::collection::vec(
            any::<char>().prop_filter("files hold no NUL", |letter| *letter != '\0'),
            0..20
        )
        .prop_map(String::from_iter),
    ]
}

fn memories() -> impl Strategy<Value = Exported> {
    let references = prop::collection::vec((text(), text(), prop::option::of(text())), 0..3);
    let kind = prop::sample::select(MemoryType::ALL);
    let times = (any::<i64>(), prop::option::of(any::<i64>()));
    let scope = prop::option::of("[a-z][a-z0-9_-]{0,63}");
    (
        any::<[u8; 10]>(),
        kind,
        text(),
        text(),
        scope,
        times,
        references,
    )
        .prop_map(
            |(id, kind, summary, content, scope, times, references)| Exported {
                id: MemoryId::new(0, id).into(),
                kind,
                summary,
                content: format!("{content}x"),
                scope: scope.map_or(Scope::Personal, Scope::Project),
                created: Millis(times.0),
                confirmed: times.1.map(Millis),
                sources: references
                    .iter()
                    .cloned()
                    .map(|(kind, uri, title)| SourceRef {
                        kind,
                        uri,
                        timestamp: title.clone(),
                        title,
                    })
                    .collect(),
                artifacts: references
                    .into_iter()
                    .map(|(kind, uri, description)| Artifact {
                        kind,
                        uri,
                        description,
                    })
                    .collect(),
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(700))]

    #[test]
    fn rec_12_export_import_export_is_the_same_bytes(memory in memories()) {
        let (name, text) = to_file(&memory);
        let imported = from_file(&text).unwrap();
        prop_assert_eq!(&imported.memory, &memory);
        prop_assert!(!imported.edited);
        prop_assert_eq!(id_in_name(&name), Some(memory.id));
        prop_assert_eq!(to_file(&imported.memory), (name, text));
    }

    #[test]
    fn rec_12_no_file_is_too_much(memory in memories(), at in any::<prop::sample::Index>(), junk in text(), cut in any::<bool>()) {
        let (_, text) = to_file(&memory);
        let letters: Vec<char> = text.chars().collect();
        let (head, tail) = letters.split_at(at.index(letters.len()));
        let tail: String = if cut { String::new() } else { tail.iter().collect() };
        let broken = head.iter().collect::<String>() + &junk + &tail;
        if let Ok(imported) = from_file(&broken) {
            let (name, text) = to_file(&imported.memory);
            prop_assert_eq!(to_file(&from_file(&text).unwrap().memory), (name, text));
        }
    }
}
