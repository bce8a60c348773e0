//! Documents of every shape: an edit changes our piece and no other byte, and is taken back to the byte.

use proptest::prelude::*;

use super::*;
use crate::connect::splice::take_out;

const JSONC: Format = Format::Json(Dialect {
    comments: true,
    trailing_commas: true,
});
const JSON: Format = Format::Json(Dialect {
    comments: false,
    trailing_commas: false,
});

fn entry() -> Piece {
    Piece {
        path: vec!["mcpServers".to_owned()],
        key: Some("taffrail".to_owned()),
        value: Node::map([
            ("command", Node::text("/opt/taffrail")),
            ("args", Node::list([Node::text("serve-mcp")])),
        ]),
    }
}

fn hook() -> Piece {
    Piece {
        path: vec!["hooks".to_owned(), "SessionStart".to_owned()],
        key: None,
        value: Node::map([(
            "hooks",
            Node::list([Node::map([
                ("type", Node::text("command")),
                ("command", Node::text("t hook")),
            ])]),
        )]),
    }
}

fn table() -> Piece {
    Piece {
        path: vec!["mcp_servers".to_owned()],
        ..entry()
    }
}

#[track_caller]
fn put(format: Format, before: &str, piece: &Piece, after: &str) {
    let put = format.put(before, piece).unwrap();
    assert_eq!(put.text, after, "of {before:?}");
    assert_eq!(take_out(after, &put.splices).unwrap(), before);
    // Somebody wrote a line end at the very end: our piece goes, theirs stays.
    let changed = format!("{after}\n");
    let left = format
        .take_out(&changed, piece, put.made, &put.splices)
        .unwrap()
        .unwrap();
    let says = format.read(&left).unwrap();
    let said = format.read(before).unwrap();
    assert!(pruned(says).says(&pruned(said)), "{left}");
}

#[test]
fn an_entry_goes_where_a_person_would_write_it() {
    let entry = entry();
    let flat = r#"{"command": "/opt/taffrail", "args": ["serve-mcp"]}"#;
    let tight = r#"{"command":"/opt/taffrail","args":["serve-mcp"]}"#;
    let fresh = "{\n  \"mcpServers\": {\n    \"taffrail\": {\n      \"command\": \"/opt/taffrail\",\n      \"args\": [\"serve-mcp\"]\n    }\n  }\n}";
    for (before, after) in [
        (String::new(), format!("{fresh}\n")),
        ("\n".into(), format!("\n{fresh}\n")),
        ("// mine".into(), format!("// mine\n{fresh}")),
        ("{}".into(), fresh.into()),
        ("{}\n".into(), format!("{fresh}\n")),
        ("\u{feff}{}\r\n".into(), format!("\u{feff}{}\r\n", fresh.replace('\n', "\r\n"))),
        (
            r#"{"a":1}"#.into(),
            format!(r#"{{"a":1,"mcpServers":{{"taffrail":{tight}}}}}"#),
        ),
        (
            r#"{"a": 1, "mcpServers": {}}"#.into(),
            format!(r#"{{"a": 1, "mcpServers": {{"taffrail": {flat}}}}}"#),
        ),
        (
            "{\n\t\"mcpServers\": {\n\t\t\"a\": {} // the first\n\t}\n}".into(),
            "{\n\t\"mcpServers\": {\n\t\t\"a\": {}, // the first\n\t\t\"taffrail\": {\n\t\t\t\"command\": \"/opt/taffrail\",\n\t\t\t\"args\": [\"serve-mcp\"]\n\t\t}\n\t}\n}".into(),
        ),
        (
            "{\n  \"mcpServers\": {\n    \"a\": {},\n    // more to come\n  },\n}\n".into(),
            "{\n  \"mcpServers\": {\n    \"a\": {},\n    // more to come\n    \"taffrail\": {\n      \"command\": \"/opt/taffrail\",\n      \"args\": [\"serve-mcp\"]\n    },\n  },\n}\n".into(),
        ),
        (
            "{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n".into(),
            "{\n  \"mcpServers\": {\n    // none yet\n    \"taffrail\": {\n      \"command\": \"/opt/taffrail\",\n      \"args\": [\"serve-mcp\"]\n    }\n  }\n}\n".into(),
        ),
        (
            "{\n  \"mcpServers\": {}\n}\n".into(),
            "{\n  \"mcpServers\": {\n    \"taffrail\": {\n      \"command\": \"/opt/taffrail\",\n      \"args\": [\"serve-mcp\"]\n    }\n  }\n}\n".into(),
        ),
        (
            "{\"a\": 1,\n \"b\": 2}".into(),
            "{\"a\": 1,\n \"b\": 2,\n \"mcpServers\": {\n  \"taffrail\": {\n   \"command\": \"/opt/taffrail\",\n   \"args\": [\"serve-mcp\"]\n  }\n }}".into(),
        ),
    ] {
        put(JSONC, &before, &entry, &after);
    }
}

#[test]
fn an_element_goes_behind_those_that_are_there() {
    let before =
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": []}\n    ]\n  }\n}\n";
    let after = "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": []},\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"t hook\"\n          }\n        ]\n      }\n    ]\n  }\n}\n";
    put(JSON, before, &hook(), after);
    let put = JSON.put("{\"x\": []}", &hook()).unwrap();
    assert_eq!(put.made, 2);
}

#[test]
fn a_table_goes_to_the_end() {
    let block = "[mcp_servers.taffrail]\ncommand = \"/opt/taffrail\"\nargs = [\"serve-mcp\"]";
    for (before, after) in [
        (String::new(), format!("{block}\n")),
        ("# mine\n".into(), format!("# mine\n\n{block}\n")),
        ("model = \"x\"".into(), format!("model = \"x\"\n\n{block}")),
        (
            "a = 1\r\n[mcp_servers.other]\r\ncommand = 'x' # why\r\n".into(),
            format!(
                "a = 1\r\n[mcp_servers.other]\r\ncommand = 'x' # why\r\n\r\n{}\r\n",
                block.replace('\n', "\r\n")
            ),
        ),
        (
            "mcp_servers = { other = { command = \"x\" } }\n".into(),
            "mcp_servers = { taffrail = { command = \"/opt/taffrail\", args = [\"serve-mcp\"] }, other = { command = \"x\" } }\n".into(),
        ),
        (
            "mcp_servers = {}\n[profiles.a]\nx = 1\n".into(),
            "mcp_servers = { taffrail = { command = \"/opt/taffrail\", args = [\"serve-mcp\"] } }\n[profiles.a]\nx = 1\n".into(),
        ),
        (
            "mcp_servers.other.command = \"x\"\n".into(),
            format!("mcp_servers.other.command = \"x\"\n\n{block}\n"),
        ),
    ] {
        let put = Format::Toml.put(&before, &table()).unwrap();
        assert_eq!(put.text, after, "of {before:?}");
        assert_eq!(take_out(&after, &put.splices).unwrap(), before);
    }
}

/// A document, the line that is to blame where one is known, and why it is left alone.
const UNFIT: &[(Format, &str, Option<usize>, &str)] = &[
    (
        JSON,
        "{\n  // no\n}",
        Some(2),
        "is no JSON that its program reads",
    ),
    (
        JSON,
        "{\n  \"a\": 1,\n}",
        Some(2),
        "is no JSON that its program reads",
    ),
    (
        JSONC,
        "{\n\"a\": 1\n\"b\": 2\n}",
        Some(2),
        "is no JSON that its program reads",
    ),
    (JSONC, "{", Some(1), "is no JSON that its program reads"),
    (JSONC, "{} {}", Some(1), "is no JSON that its program reads"),
    (JSONC, "\n[]", Some(2), "is no object"),
    (JSONC, "\"text\"", Some(1), "is no object"),
    (JSONC, "{\n\"mcpServers\": null}", Some(2), "is no object"),
    (JSONC, "{\n\"mcpServers\": []}", Some(2), "is no object"),
    (
        JSONC,
        "{\"mcpServers\": {},\n\"mcpServers\": {}}",
        Some(2),
        "has the key `mcpServers` a second time",
    ),
    (
        JSONC,
        "{\n\"mcpServers\": {\n\"taffrail\": {\"command\": \"x\"}}}",
        Some(3),
        "has an entry `taffrail` that taffrail did not write",
    ),
    (
        JSONC,
        "{\"mcpServers\": {\n\"taffrail\": 1,\n\"taffrail\": 2}}",
        Some(3),
        "has the key `taffrail` a second time",
    ),
    (Format::Toml, "a = 1\na = 2\n", Some(2), "is no TOML"),
    (
        Format::Toml,
        "x = 1\nmcp_servers = 3\n",
        Some(2),
        "is no table",
    ),
    (
        Format::Toml,
        "x = 1\n[[mcp_servers]]\na = 1\n",
        None,
        "is no table",
    ),
    (
        Format::Toml,
        "\n[mcp_servers.taffrail]\ncommand = 'x'\n",
        Some(2),
        "has an entry `taffrail` that taffrail did not write",
    ),
    (
        Format::Toml,
        "mcp_servers.taffrail.command = 'x'\n",
        Some(1),
        "has an entry `taffrail` that taffrail did not write",
    ),
];

#[test]
fn what_cannot_be_changed_safely_is_refused_with_its_line() {
    for (format, text, line, why) in UNFIT.iter().copied() {
        let piece = if format == Format::Toml {
            table()
        } else {
            entry()
        };
        let unfit = format.put(text, &piece).unwrap_err();
        assert!(unfit.why.starts_with(why), "{text:?}: {unfit:?}");
        if let Some(line) = line {
            assert_eq!(unfit.line, Some(line), "{text:?}: {unfit:?}");
        }
    }
    // Twin: escapes in a key are read as the program reads them, so that nothing is hidden behind one.
    let hidden = r#"{"mcpServers": {"taffrai\u006c": {}}}"#;
    assert!(JSONC.put(hidden, &entry()).is_err());
    assert!(JSON.put(&"[".repeat(100_000), &entry()).is_err());
    let deep = format!("a = {}", "[".repeat(100_000));
    assert!(Format::Toml.put(&deep, &table()).is_err());
}

#[test]
fn an_entry_is_taken_out_of_a_file_that_was_changed_since() {
    // Reformatted by the program, a neighbour added behind it.
    let json = "{\"mcpServers\":{\"taffrail\":{\"args\":[\"serve-mcp\"],\"command\":\"/opt/taffrail\"},\"b\":{}}}";
    let left = JSON.take_out(json, &entry(), 1, &[]).unwrap().unwrap();
    assert_eq!(left, "{\"mcpServers\":{\"b\":{}}}");
    // Edited by the owner: it is the name that we put there.
    let json = "{\n  \"x\": 1, // one\n  \"mcpServers\": {\n    \"taffrail\": {\n      \"command\": \"other\"\n    }\n  }\n}\n";
    let left = JSONC.take_out(json, &entry(), 1, &[]).unwrap().unwrap();
    assert_eq!(left, "{\n  \"x\": 1 // one\n}\n");
    // What we did not make stays, empty as it was.
    let left = JSONC.take_out(json, &entry(), 0, &[]).unwrap().unwrap();
    assert_eq!(left, "{\n  \"x\": 1, // one\n  \"mcpServers\": {\n  }\n}\n");
    let toml = "# a\n[mcp_servers.taffrail] # ours\ncommand = \"/opt/taffrail\"\nargs = [\n  \"serve-mcp\",\n] # end\n\n[mcp_servers.taffrail.env]\nA = \"1\"\n\n# about b\n[mcp_servers.b]\ncommand = 'x'\n";
    let left = Format::Toml
        .take_out(toml, &table(), 1, &[])
        .unwrap()
        .unwrap();
    assert_eq!(left, "# a\n\n\n# about b\n[mcp_servers.b]\ncommand = 'x'\n");
    // Nothing of ours is there any more.
    assert_eq!(JSON.take_out("{}", &entry(), 1, &[]).unwrap(), None);
    assert_eq!(
        Format::Toml.take_out("a = 1\n", &table(), 1, &[]).unwrap(),
        None
    );
    // In a form of its own: by hand.
    let dotted = "mcp_servers.taffrail.command = 'x'\nmcp_servers.b.command = 'y'\n";
    let taken = Format::Toml.take_out(dotted, &table(), 1, &[]);
    if let Ok(Some(left)) = taken {
        assert_eq!(left, "mcp_servers.b.command = 'y'\n");
    }
}

/// A blank, a line end or a comment, as people put them between tokens.
fn gap(comments: bool, newline: &'static str) -> BoxedStrategy<String> {
    let blanks = prop_oneof![
        Just(String::new()),
        Just(" ".to_owned()),
        Just(newline.to_owned()),
        Just(format!("{newline}\t  "))
    ];
    if comments {
        prop_oneof![
            4 => blanks,
            1 => "[ a-z,{}\"]{0,8}".prop_map(move |text| format!("// {text}{newline}")),
            1 => "[ a-z,{}\"]{0,8}".prop_map(|text| format!("/* {text} */")),
        ]
        .boxed()
    } else {
        blanks.boxed()
    }
}

fn json_value(comments: bool, newline: &'static str) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?[1-9][0-9]{0,3}(\\.[0-9]{1,2})?(e[0-9])?",
        "[a-zé ,/{}:*]{0,6}".prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let gap = || gap(comments, newline);
        let member = (gap(), key(), gap(), gap(), inner.clone(), gap())
            .prop_map(|(a, key, b, c, value, d)| format!("{a}\"{key}\"{b}:{c}{value}{d}"));
        let element = (gap(), inner, gap()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let trailing = (any::<bool>(), gap());
        prop_oneof![
            (prop::collection::vec(member, 0..4), trailing.clone()).prop_map(
                move |(members, (comma, gap))| {
                    let comma = if comma && comments && !members.is_empty() {
                        ","
                    } else {
                        ""
                    };
                    format!("{{{}{comma}{gap}}}", members.join(","))
                }
            ),
            (prop::collection::vec(element, 0..4), trailing).prop_map(
                move |(elements, (comma, gap))| {
                    let comma = if comma && comments && !elements.is_empty() {
                        ","
                    } else {
                        ""
                    };
                    format!("[{}{comma}{gap}]", elements.join(","))
                }
            ),
        ]
    })
    .boxed()
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{1,4}",
        2 => Just("mcpServers".to_owned()),
        1 => Just("hooks".to_owned()),
        1 => Just("SessionStart".to_owned()),
        1 => Just("taffrail".to_owned()),
    ]
}

fn json_document() -> impl Strategy<Value = (Format, String)> {
    let newline = prop_oneof![Just("\n"), Just("\r\n")];
    (any::<bool>(), newline).prop_flat_map(|(comments, newline)| {
        let format = if comments { JSONC } else { JSON };
        let mark = prop_oneof![4 => Just(""), 1 => Just(MARK)];
        (
            mark,
            gap(comments, newline),
            json_value(comments, newline),
            gap(comments, newline),
        )
            .prop_map(move |(mark, a, value, b)| (format, format!("{mark}{a}{value}{b}")))
    })
}

fn toml_document() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("1".to_owned()),
        Just("'x # y'".to_owned()),
        Just("[1, 2]".to_owned()),
        Just("{ a = 1 }".to_owned()),
        Just("2020-01-01".to_owned()),
        Just("1.50".to_owned()),
    ];
    let name = || prop_oneof![3 => "[a-z]{1,3}", 1 => Just("mcp_servers".to_owned())];
    let line = prop_oneof![
        3 => (name(), value).prop_map(|(name, value)| format!("{name} = {value}")),
        1 => (name(), "[a-z]{1,2}").prop_map(|(name, other)| format!("{name}.{other} = 1")),
        2 => (name(), "[a-z]{1,2}").prop_map(|(name, other)| format!("[{name}.{other}] # t")),
        1 => name().prop_map(|name| format!("[{name}]")),
        1 => name().prop_map(|name| format!("[[{name}]]")),
        1 => Just("# comment".to_owned()),
        1 => Just(String::new()),
        1 => Just("[mcp_servers.b]".to_owned()),
    ];
    let newline = prop_oneof![Just("\n"), Just("\r\n")];
    (prop::collection::vec(line, 0..10), newline, any::<bool>()).prop_map(
        |(lines, newline, last)| {
            let mut text = lines.join(newline);
            if last {
                text.push_str(newline);
            }
            text
        },
    )
}

fn round(format: Format, text: &str, piece: &Piece) -> Result<bool, TestCaseError> {
    let Ok(before) = format.read(text) else {
        // What the generator made is no document: then nothing is written.
        prop_assert!(format.put(text, piece).is_err());
        return Ok(false);
    };
    let Ok(put) = format.put(text, piece) else {
        // Refused only where the place is taken or is no place.
        return Ok(false);
    };
    prop_assert_eq!(take_out(&put.text, &put.splices), Some(text.to_owned()));
    let after = format.read(&put.text).unwrap();
    prop_assert!(
        after
            .at(piece)
            .is_some_and(|value| value.says(&piece.value))
    );
    prop_assert!(before.at(piece).is_none() || piece.key.is_none());
    // As if the owner had changed something else: only our piece goes. By its bytes where its form leaves no other way.
    let left = format
        .take_out(&put.text, piece, put.made, &[])
        .or_else(|_| format.take_out(&put.text, piece, put.made, &put.splices))
        .map_err(|unfit| TestCaseError::fail(format!("{unfit:?} of {:?}", put.text)))?;
    let left = format.read(&left.unwrap()).unwrap();
    prop_assert!(pruned(left).says(&pruned(before)));
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_comes_back_to_the_byte((format, text) in json_document(), of_hook in any::<bool>()) {
        let piece = if of_hook { hook() } else { entry() };
        round(format, &text, &piece)?;
    }

    #[test]
    fn any_toml_comes_back_to_the_byte(text in toml_document()) {
        round(Format::Toml, &text, &table())?;
    }

    #[test]
    fn no_text_makes_it_fall_over(text in ".{0,60}", cut in any::<prop::sample::Index>()) {
        let known = "{\n  \"mcpServers\": { \"a\": [1, 2] }, // x\n  \"hooks\": {}\n}\r\n";
        let cut: String = known.chars().take(cut.index(known.len())).collect();
        for text in [text, cut] {
            for (format, piece) in [(JSONC, entry()), (JSON, hook()), (Format::Toml, table())] {
                if let Ok(put) = format.put(&text, &piece) {
                    prop_assert_eq!(take_out(&put.text, &put.splices), Some(text.clone()));
                }
            }
        }
    }
}

#[test]
fn most_random_objects_take_an_entry() {
    // The property would hold of a format that refuses everything.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut taken = 0;
    for _ in 0..300 {
        use proptest::strategy::ValueTree;
        let (format, text) = json_document().new_tree(&mut runner).unwrap().current();
        let is_object = matches!(format.read(&text), Ok(Node::Map(_)));
        taken += u32::from(is_object && format.put(&text, &entry()).is_ok());
        let toml = toml_document().new_tree(&mut runner).unwrap().current();
        taken += u32::from(Format::Toml.put(&toml, &table()).is_ok());
    }
    assert!(taken > 100, "{taken}");
}
