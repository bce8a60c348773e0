//! Texts as those programs keep them, and what is offered of them.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::draft::{CONTENT_LIMIT, SUMMARY_LIMIT};

/// Pieces as a person would list them.
fn shown(pieces: &[Piece]) -> String {
    let mut out = String::new();
    for piece in pieces {
        let lines = format!("{}-{}", piece.line, piece.end_line);
        writeln!(
            out,
            "{lines} {} | {}\n{}\n",
            piece.kind, piece.summary, piece.content
        )
        .unwrap();
    }
    out
}

const CLAUDE: &str = r"# CLAUDE.md

This file provides guidance to Claude Code (claude.ai/code) when working with code in this repository.

@docs/style.md

## Commands

Build and test with just:

```sh
just build
just test -- harbour
```

[![build](https://example.org/badge.svg)](https://example.org)

## Architecture

The tide tables are computed in Rust. They are served by a small
HTTP process, which keeps nothing.

We use SQLite because one file is the backup. Postgres was too much to run.

- **Harbours** live in `harbours/`
  - one folder each
  - the name is the key

    ```toml
    name = 'Husum'
    ```
- @harbours/README.md

### Before a commit:

Do these in order:

1. Run `just check`.
2. Never commit a generated table.

<!-- a note to the
maintainers -->

Testing
-------
* [ ] Tests must not touch the network
* See above
***
| key | unit |
|-----|------|
| h   | m    |
";

#[test]
fn mem_08_a_claude_md() {
    insta::assert_snapshot!(
        "claude_md",
        shown(&cut(Program::Claude, "CLAUDE.md", CLAUDE))
    );
}

#[test]
fn mem_08_agents_and_gemini_md() {
    let text = "Setup\n=====\n\nNode 22 is enough.\n\n## Rules\n- Prefer small commits.\n- You MUST sign them.\n\nWe decided to keep the old API until spring.\n";
    let agents = shown(&cut(Program::AgentsMd, "AGENTS.md", text));
    insta::assert_snapshot!("agents_md", agents);
    assert_eq!(shown(&cut(Program::Gemini, "GEMINI.md", text)), agents);
    assert_eq!(
        shown(&cut(
            Program::Codex,
            "AGENTS.md",
            &text.replace('\n', "\r\n")
        )),
        agents
    );
}

#[test]
fn mem_08_what_gemini_was_told_to_remember() {
    let text = "# Boats\n\n## Gemini Added Memories\n- The pilot calls at six.\n";
    let pieces = cut(Program::Gemini, "~/.gemini/GEMINI.md", text);
    assert_eq!(
        pieces
            .iter()
            .map(|piece| piece.content.as_str())
            .collect::<Vec<_>>(),
        ["The pilot calls at six."]
    );
}

#[test]
fn mem_08_cursor_rules() {
    let rule = "---\ndescription: How components are written\nglobs: src/**/*.tsx\nalwaysApply: false\n---\n\n- Components are functions.\n- Don't export defaults.\n";
    insta::assert_snapshot!(
        "cursor_mdc",
        shown(&cut(Program::Cursor, ".cursor/rules/components.mdc", rule))
    );
    let plain =
        "You write TypeScript for a harbour office.\nUse tabs.\n\nAlways answer in German.\n";
    insta::assert_snapshot!(
        "cursorrules",
        shown(&cut(Program::Cursor, ".cursorrules", plain))
    );
}

#[test]
fn mem_08_a_memory_folder() {
    let folder = "~/.claude/projects/-home-ada-boats/memory/";
    let index = "# Memory\n\n- [Tide units](tide_units.md) — metres, not feet\n- [Manual](https://example.org/x.md) is the best source\n- The pilot calls at six\n";
    let index = cut(Program::Claude, &format!("{folder}MEMORY.md"), index);
    let topic = "---\nname: tide-units\ndescription: >\n  Tides are in metres.\n  Charts were in feet once.\nmetadata:\n  type: project\n---\n\nTides are in metres since 2024.\n\n**Why:** two harbours flooded.\n\n**How to apply:** convert at the edge, never inside.\n";
    let topic = cut(Program::Claude, &format!("{folder}tide_units.md"), topic);
    assert_eq!(topic.len(), 1);
    let loose = cut(
        Program::Claude,
        &format!("{folder}debugging.md"),
        "# Debugging\n\n- Logs are in `var/`\n- Restart helps\n",
    );
    assert_eq!(loose.len(), 2);
    insta::assert_snapshot!("memory_folder", shown(&[index, topic, loose].concat()));
}

#[test]
fn mem_08_a_second_import_shows_what_changed() {
    let before = cut(Program::Claude, "CLAUDE.md", CLAUDE);
    let keys: Vec<PieceKey> = before.iter().map(|piece| piece.key).collect();
    assert!(new_since(&keys, before).is_empty());
    let moved = format!("## Elsewhere\n\n- __Run__   `just check`.\n\n{CLAUDE}");
    assert!(
        cut(Program::Claude, "CLAUDE.md", &moved).len() == keys.len() + 1,
        "under another lead it is another piece"
    );
    let shifted = CLAUDE
        .replace("## Architecture", "## How it is built")
        .replace("* [ ] Tests must", "-   Tests  must");
    assert!(
        new_since(&keys, cut(Program::Claude, "CLAUDE.md", &shifted)).is_empty(),
        "a heading and a marker are no text"
    );
    let edited = CLAUDE.replace("too much to run", "too much to keep");
    let new = new_since(&keys, cut(Program::Claude, "CLAUDE.md", &edited));
    assert_eq!(new.iter().map(|piece| piece.line).collect::<Vec<_>>(), [23]);
}

#[test]
fn mem_08_kinds_by_simple_words() {
    let cases = [
        ("Tests must pass.", MemoryType::Constraint),
        ("NEVER push to main", MemoryType::Constraint),
        ("Don’t mock the clock", MemoryType::Constraint),
        ("We decided on SQLite", MemoryType::Decision),
        ("We use pnpm because npm hoists", MemoryType::Decision),
        ("We use pnpm", MemoryType::Lesson),
        ("The mustang is fast, nevertheless", MemoryType::Lesson),
        ("x\n```\nyou must never\n```", MemoryType::Lesson),
    ];
    for (text, kind) in cases {
        let pieces = cut(Program::AgentsMd, "AGENTS.md", text);
        assert_eq!(
            pieces.iter().map(|piece| piece.kind).collect::<Vec<_>>(),
            [kind],
            "{text}"
        );
    }
}

#[test]
fn mem_08_a_long_piece_is_split_at_paragraphs() {
    let paragraph = format!("{}\n", "wind and water ".repeat(200).trim());
    let numbered: String = (0..5)
        .map(|number| format!("\n  {number} {paragraph}"))
        .collect();
    let pieces = cut(
        Program::AgentsMd,
        "AGENTS.md",
        &format!("## Weather\n\n- begin\n{numbered}"),
    );
    assert_eq!(
        pieces
            .iter()
            .map(|piece| (piece.line, piece.end_line))
            .collect::<Vec<_>>(),
        [(3, 7), (9, 11), (13, 13)]
    );
    assert!(
        pieces
            .iter()
            .all(|piece| piece.content.starts_with("Weather: "))
    );
    let line = "漢".repeat(3 * CONTENT_LIMIT);
    assert!(!cut(Program::AgentsMd, "AGENTS.md", &line).is_empty());
}

#[test]
fn mem_08_nothing_is_made_of_nothing() {
    for text in [
        "",
        "\n\n",
        "# Title\n\n## Part\n",
        "---\n---\n",
        "- \n- --\n",
        "@a/b.md",
        "<!-- x -->",
        "***\n===\n",
    ] {
        assert_eq!(cut(Program::Claude, "CLAUDE.md", text), [], "{text:?}");
    }
    assert_eq!(
        cut(Program::Claude, "CLAUDE.md", "<!-- never closed\ntext").len(),
        1
    );
}

#[test]
fn mem_08_large_files_of_one_thing_are_cut() {
    for line in [
        "- a\n",
        "```a\n",
        "a. ",
        ".",
        "<!-- a\n",
        "lead:\n\n- x\n",
        "## A\nx\n",
        "  - x\n",
        "- x\n\n  y\n",
        "漢。",
        "---\n",
    ] {
        let text = line.repeat(65_536 / line.len());
        let pieces = cut(Program::AgentsMd, "AGENTS.md", &text);
        assert!(
            pieces
                .iter()
                .all(|piece| piece.content.chars().count() <= CONTENT_LIMIT),
            "{line:?}"
        );
    }
}

fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "# A",
        "## B",
        "## Long heading: ",
        "- a",
        "- b must",
        "  - c",
        "\t- d",
        "1. e",
        "* [ ] f",
        "-",
        "text",
        "lead:",
        "  more",
        "",
        "",
        "```",
        "~~~rust",
        "  ```",
        "---",
        "===",
        "***",
        "<!-- c",
        "-->",
        "@x/y.md",
        "> q",
        "| a |",
        "漢字。次",
        "\u{feff}x",
        "\u{0}",
        "![p](x)",
        "- [T](t.md) — h",
        "description: x",
    ]);
    let line = prop_oneof![30 => line.prop_map(str::to_owned), 5 => "\\PC{0,30}", 1 => Just("long words ".repeat(900))];
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn mem_08_pieces_fit_and_name_their_lines(text in text(), path in prop::sample::select(vec!["CLAUDE.md", "x/memory/MEMORY.md", "x/memory/a.md"])) {
        let pieces = cut(Program::Claude, path, &text);
        let count = text.lines().count();
        for piece in &pieces {
            prop_assert!(piece.content.chars().count() <= CONTENT_LIMIT);
            prop_assert!(piece.summary.chars().count() <= SUMMARY_LIMIT);
            prop_assert!(!piece.content.trim().is_empty() && !piece.summary.trim().is_empty(), "{piece:?}");
            prop_assert!(!piece.summary.contains('\n'));
            prop_assert!(1 <= piece.line && piece.line <= piece.end_line && piece.end_line <= count, "{piece:?}");
        }
        let keys: Vec<PieceKey> = pieces.iter().map(|piece| piece.key).collect();
        let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
        prop_assert_eq!(distinct.len(), keys.len());
        prop_assert!(new_since(&keys, cut(Program::Claude, path, &text)).is_empty());
    }

    #[test]
    fn mem_08_every_word_of_a_list_is_offered(items in prop::collection::vec("[a-z]{3,9} [a-z]{3,9}", 1..30)) {
        let text = format!("# T\n\n- {}\n", items.join("\n- "));
        let pieces = cut(Program::AgentsMd, "AGENTS.md", &text);
        let found: std::collections::BTreeSet<&str> = pieces.iter().map(|piece| piece.content.as_str()).collect();
        prop_assert_eq!(found, items.iter().map(String::as_str).collect::<std::collections::BTreeSet<_>>());
    }
}
