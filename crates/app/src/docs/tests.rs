#![allow(clippy::disallowed_methods)] // a test looks at the tree

use std::path::Path;

use super::*;

#[test]
fn prm_03_every_page_of_the_tree_is_in_the_binary_as_it_is() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut there: Vec<String> = std::fs::read_dir(top.join("docs"))
        .unwrap()
        .filter_map(|found| found.unwrap().file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".md").map(str::to_owned))
        .collect();
    there.extend(["readme".to_owned(), "security".to_owned()]);
    for name in &there {
        assert!(
            page(name).is_some(),
            "add docs/{name}.md to crates/app/src/docs/pages.rs"
        );
    }
    assert_eq!(pages().len(), there.len(), "a page is listed twice");
    let text = std::fs::read_to_string(top.join("docs/box.md")).unwrap();
    assert_eq!(page("box"), Some(text.as_str()));
}

#[test]
fn prm_03_pages_have_titles_and_are_found_by_any_spelling() {
    for found in pages() {
        assert!(!found.title.is_empty(), "{}", found.name);
    }
    for spelling in ["box", "BOX.md", " docs/box.md "] {
        assert_eq!(page(spelling), page("box"), "{spelling}");
    }
    assert_eq!(page("../../etc/passwd"), None);
    assert_eq!(page(""), None);
}

#[test]
fn prm_03_a_question_finds_the_paragraph() {
    let found = search("bring an ignored path along with carry", 3);
    assert_eq!(found.len(), 3);
    assert!(
        found.iter().any(|found| found.text.contains("--carry")),
        "{found:?}"
    );
    // Rare words count more than common ones, however often those stand there.
    let found = search("the and a keychain Gnome", 1);
    assert_eq!(found[0].page, "secrets", "{found:?}");
    let heading = search("checkout", 20);
    assert!(heading.iter().any(|found| found.heading == "The checkout"));
    for none in ["", "   ", "zzqqxxy", "!!!"] {
        assert!(search(none, 5).is_empty(), "{none:?}");
    }
    assert!(search("taffrail", 0).is_empty());
    let all = search("taffrail the a", 10_000);
    assert!(all.iter().all(|found| found.text.len() <= 2_000));
    assert_eq!(all, search("taffrail the a", 10_000));
}
