//! What a notebook promises, by example and over hostile documents.

use proptest::prelude::*;

use super::*;

/// The lines with text, sorted: what must not be lost. Headings of archives are merged into one.
fn texts(document: &str) -> Vec<String> {
    let mut lines: Vec<String> = document
        .lines()
        .map(|line| line.trim_end().to_owned())
        .filter(|line| !line.is_empty() && line.strip_prefix("## ").map(str::trim) != Some(ARCHIVE))
        .collect();
    lines.sort();
    lines
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

fn log_of(entries: usize) -> String {
    let lines: Vec<String> = (1..=entries)
        .map(|number| {
            format!("- 2026-01-{number:02}: entry {number} says something of middling length")
        })
        .collect();
    format!(
        "# Boats\n\n## Conventions\n- two spaces\n\n## Log\n{}\n",
        lines.join("\n")
    )
}

#[test]
fn nb_03_an_entry_goes_to_the_end_of_its_section() {
    let cases = [
        ("", "Log", "## Log\n- D: e\n"),
        ("# T", "Log", "# T\n\n## Log\n- D: e\n"),
        (
            "## Log\n- a\n\n\n## Next\nx\n",
            "Log",
            "## Log\n- a\n- D: e\n\n\n## Next\nx\n",
        ),
        (
            "## Logger\n- a\n",
            "Log",
            "## Logger\n- a\n\n## Log\n- D: e\n",
        ),
        ("##  Log  \n", "Log", "##  Log  \n- D: e\n"),
        ("## Log\r\n- a\r\n", "Log", "## Log\r\n- a\r\n- D: e\r\n"),
        (
            "```\n## Log\n```\n",
            "Log",
            "```\n## Log\n```\n\n## Log\n- D: e\n",
        ),
        ("```\n## Log\n- a", "Log", "```\n## Log\n- a\n- D: e\n"),
        ("### Log\n", "Log", "### Log\n\n## Log\n- D: e\n"),
        ("## A\n\n\n", " A\n", "## A\n- D: e\n"),
    ];
    for (document, section, expected) in cases {
        assert_eq!(
            append(document, "e", section, "D").as_deref(),
            Ok(expected),
            "{document:?}"
        );
    }
}

#[test]
fn nb_03_an_entry_is_one_line() {
    let entry = "one\r\n## Conventions\u{2028}- two\u{0}\u{85}three  four";
    let document = append("## Log\n", entry, "Log", "D").unwrap();
    assert_eq!(
        document,
        "## Log\n- D: one ## Conventions - two three four\n"
    );
    assert_eq!(sections(&document), ["Log"]);
    let forged = format!("## Log\n- D: {entry}\n");
    assert_eq!(
        sections(&forged).len(),
        2,
        "the twin: without folding the entry makes a section"
    );
}

#[test]
fn nb_02_a_full_notebook_says_its_sizes() {
    let document = format!("## Log\n{}\n", "é".repeat(CAP - 20));
    assert!(append(&document, "12345", "Log", "D").is_ok());
    let error = append(&document, "1234567", "Log", "D").unwrap_err();
    assert_eq!(
        error,
        NotebookError::Full {
            characters: CAP + 1,
            limit: CAP
        }
    );
    assert_eq!(
        error.to_string(),
        "the notebook would have 200001 characters; the limit is 200000"
    );
    assert_eq!(
        append("", " \n", "Log", "D"),
        Err(NotebookError::Blank { what: "entry" })
    );
    assert_eq!(
        append("", "e", "\t", "D"),
        Err(NotebookError::Blank { what: "section" })
    );
    assert!(check(&"x".repeat(CAP)).is_ok());
}

#[test]
fn nb_02_the_archive_is_never_given() {
    let document = "## Archive\nold\n\n## A\nnew\n\n##  Archive \nolder\n## B\n```\n## Archive\nkept, for it is code\n```\n";
    let view = view(document, BUDGET);
    assert_eq!(
        view.text,
        "## A\nnew\n\n## B\n```\n## Archive\nkept, for it is code\n```"
    );
    assert_eq!(view.left_out, 0);
    assert_eq!(super::view("## Archive\nold\n", BUDGET), View::default());
}

#[test]
fn nb_02_a_stray_fence_does_not_put_the_archive_into_a_prompt() {
    let document = "## A\n```\nnobody closes this\n\n## Archive\nold\n";
    assert_eq!(view(document, BUDGET).text, "## A\n```\nnobody closes this");
}

#[test]
fn nb_02_over_budget_the_newest_entries_stay() {
    let view = view(&log_of(12), 400);
    insta::assert_snapshot!("view_over_budget", view.text);
    assert_eq!(view.left_out, 8);
    assert!(characters(&view.text) <= 400);
}

#[test]
fn nb_02_a_section_over_the_budget_is_cut_and_the_rest_stays() {
    let rule = "- every public function has a sentence above it\n".repeat(30);
    let document =
        format!("## Rules\n{rule}\n## Words\n- box: a sandbox\n\n## Log\n- D: first\n- D: last\n");
    let view = view(&document, 500);
    insta::assert_snapshot!("view_with_a_cut_section", view.text);
    assert_eq!(view.left_out, 0);
}

#[test]
fn nb_02_a_cut_code_block_is_closed() {
    let document = format!(
        "## Rules\n~~~~sh\n{}~~~~\n",
        "make something of it\n".repeat(50)
    );
    let text = view(&document, 300).text;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines.iter().filter(|line| line.starts_with("~~~~")).count(),
        2,
        "{text}"
    );
    assert!(
        lines
            .last()
            .unwrap()
            .starts_with("(Left out to stay within 300 characters: the rest of 1 section;")
    );
}

#[test]
fn nb_02_one_long_line_is_cut_with_a_mark() {
    let text = view(&format!("## Rules\n{}\n", "é".repeat(9_000)), 300).text;
    assert!(
        text.starts_with("## Rules\néééé") && text.contains("é…\n\n("),
        "{text}"
    );
    assert!(characters(&text) <= 300);
}

#[test]
fn nb_02_tidy_moves_the_oldest_entries() {
    let document = format!(
        "{}\n## Archive\n- 2025-12-31: long ago\n\n## After\nstays\n",
        log_of(9)
    );
    let tidied = tidy(&document, 480);
    insta::assert_snapshot!("tidied", tidied.document);
    assert_eq!(tidied.moved, 2);
    assert_eq!(
        tidy(&tidied.document, 480),
        Tidied {
            document: tidied.document.clone(),
            moved: 0
        }
    );
}

#[test]
fn nb_02_tidy_leaves_five_entries() {
    let tidied = tidy(&log_of(9), 10);
    assert_eq!(tidied.moved, 4);
    assert_eq!(tidy(&tidied.document, 10).moved, 0);
    let untouched = "## Log\n- a\n- b\n- c\n- d\n- e\n";
    assert_eq!(
        tidy(untouched, 1),
        Tidied {
            document: untouched.to_owned(),
            moved: 0
        }
    );
    let other = "## Journal\n- a\n".repeat(50);
    assert_eq!(tidy(&other, 1).moved, 0);
}

#[test]
fn nb_02_an_entry_moves_with_its_continuation() {
    let document = "## Log\nAbout the log.\n- one\n  more\nlazy\n\n  ```\n## not a heading\n  ```\n### June\n- two\n- 3\n- 4\n- 5\n- 6\n";
    let tidied = tidy(document, 1);
    assert_eq!(tidied.moved, 1);
    assert_eq!(
        tidied.document,
        "## Log\nAbout the log.\n### June\n- two\n- 3\n- 4\n- 5\n- 6\n\n## Archive\n- one\n  more\nlazy\n\n  ```\n## not a heading\n  ```\n"
    );
}

#[test]
fn nb_02_fences_that_would_swallow_a_section_stop_a_tidy() {
    let entries = "- n\n".repeat(5);
    let document = format!(
        "## Log\n- old\n  ```\n## Hidden\n  ```\n{entries}\n## Archive\n- older\n  ```rust\n"
    );
    let tidied = tidy(&document, 1);
    assert_eq!(tidied, Tidied { document, moved: 0 });
}

#[test]
fn nb_02_the_largest_notebook_is_quick() {
    for line in [
        "- e\n",
        "```a\n",
        "~~~\n",
        "## Log\n",
        "## Archive\n",
        "Title\n===\n",
        "\n",
        "    - \n",
        "````\n",
    ] {
        let document = format!("## Log\n{}", line.repeat(CAP / line.len() - 10));
        assert!(
            characters(&view(&format!("{}{document}", "rule\n".repeat(2_000)), BUDGET).text)
                <= BUDGET
        );
        assert!(characters(&view(&document, BUDGET).text) <= BUDGET);
        let tidied = tidy(&document, BUDGET);
        assert_eq!(tidy(&tidied.document, BUDGET).moved, 0);
    }
}

fn line() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "## Log",
        "## Log ",
        "##  Archive",
        "## Archive",
        "## Rules",
        "##",
        "## ",
        "### Log",
        "# T",
        "- a",
        "- b c d e",
        "-",
        "- ",
        "* x",
        "+ y",
        "1. z",
        "  more",
        "\tmore",
        "lazy",
        "",
        "   ",
        "```",
        "````",
        "```rust",
        "~~~",
        "  ```",
        "    ```",
        "`````",
        "~~~~ x",
        "===",
        "---",
        "> q",
        "<!--",
        "-->",
        "<b>",
        "| a | b |",
        "漢字の行、とても長い",
        "- 日本語の項目",
        "- é\u{301}x",
        "\u{feff}## Log",
        "## Log\r",
        "- a\rb",
        "\u{2028}",
        "\u{85}",
    ]);
    prop_oneof![8 => fixed.prop_map(str::to_owned), 1 => "\\PC{0,40}", 1 => "[-#`~> \t]{0,8}"]
}

fn document() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => lines(),
        1 => lines().prop_map(|text| text.trim_end().to_owned()),
        2 => prop::collection::vec(line(), 0..60).prop_map(|lines| format!("## Log\n- {}\n", lines.join("\n- "))),
    ]
}

fn lines() -> impl Strategy<Value = String> {
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n"]);
    prop::collection::vec((line(), end), 0..60).prop_map(|lines| {
        lines
            .into_iter()
            .map(|(line, end)| line + end)
            .collect::<String>()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn nb_02_tidy_loses_nothing_and_repeats_nothing(document in document(), budget in 0_usize..300) {
        let tidied = tidy(&document, budget);
        prop_assert_eq!(texts(&tidied.document), texts(&document));
        if tidied.moved == 0 {
            prop_assert_eq!(&tidied.document, &document);
        }
        prop_assert_eq!(tidy(&tidied.document, budget), Tidied { document: tidied.document.clone(), moved: 0 });
        prop_assert_eq!(&tidy(&document, budget), &tidied);
    }

    #[test]
    fn nb_02_a_view_is_within_its_budget(document in document(), budget in 0_usize..400) {
        let given = view(&document, budget);
        prop_assert!(characters(&given.text) <= budget);
        let whole = view(&document, usize::MAX);
        prop_assert_eq!(whole.left_out + whole.left_out_characters, 0);
        let over = characters(&whole.text) > budget;
        prop_assert_eq!(over, given != whole);
        prop_assert_eq!(over, given.left_out_characters > 0);
        if over && !given.text.is_empty() {
            prop_assert!(given.text.lines().last().unwrap().starts_with("(Left out to stay within"));
        }
    }

    #[test]
    fn nb_02_entries_are_given_whole_and_newest_first(count in 6_usize..60, budget in 250_usize..2_000) {
        let document = log_of(count);
        let given = view(&document, budget);
        let shown: Vec<&str> = given.text.lines().filter(|line| line.starts_with("- 2026")).collect();
        let all: Vec<&str> = document.lines().filter(|line| line.starts_with("- 2026")).collect();
        prop_assert_eq!(&all[given.left_out..], &shown[..]);
        prop_assert!(given.text.contains("## Conventions\n- two spaces"));
    }

    #[test]
    fn nb_03_an_append_adds_one_line_and_loses_none(document in document(), entry in "\\PC{1,30}", section in "[A-Z][a-z]{0,4}") {
        prop_assume!(!entry.trim().is_empty());
        let appended = append(&document, &entry, &section, "D").unwrap();
        let added = if sections(&document).contains(&section) { 1 } else { 2 };
        prop_assert_eq!(appended.lines().filter(|line| !line.trim().is_empty()).count(),
            document.lines().filter(|line| !line.trim().is_empty()).count() + added);
        let before = texts(&document);
        let after = texts(&appended);
        prop_assert!(before.iter().all(|line| after.contains(line)));
        prop_assert!(sections(&appended).contains(&section));
        prop_assert!(appended.ends_with('\n') && !appended.ends_with("\n\n"));
        let twice = append(&appended, &entry, &section, "D").unwrap();
        prop_assert_eq!(sections(&twice), sections(&appended));
    }
}
