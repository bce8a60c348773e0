//! The generated guide fits the declarations. `UPDATE_DOCS=1` writes it.
#![allow(
    clippy::disallowed_methods,
    reason = "a test compares files of this repository with what is generated"
)]

use std::path::{Path, PathBuf};

use super::config;
use crate::{agents_doc, config_doc, env_names, sections, show, template};

const BEGIN: &str = "<!-- begin generated: entries -->\n";
const END: &str = "<!-- end generated -->\n";

fn guide(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name)
}

fn check(name: &str, expected: &str) {
    let path = guide(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/{name} is out of date: run this test with UPDATE_DOCS=1"
    );
}

#[test]
fn cfg_01_the_guide_lists_every_key() {
    let doc = config_doc();
    for (section, _, keys) in sections::docs() {
        assert!(doc.contains(&format!("## [{section}]")));
        assert!(
            keys.iter()
                .all(|key| doc.contains(&format!("| `{}` |", key.name)))
        );
    }
    check("config.md", &doc);
}

#[test]
fn fa_03_the_guide_shows_every_agent() {
    let file = std::fs::read_to_string(guide("agents.md")).unwrap();
    let (head, rest) = file.split_once(BEGIN).unwrap();
    let (_, tail) = rest.split_once(END).unwrap();
    check(
        "agents.md",
        &format!("{head}{BEGIN}{}{END}{tail}", agents_doc()),
    );
}

#[test]
fn cfg_01_the_list_of_variables_is_closed() {
    let of_keys: Vec<_> = sections::docs()
        .into_iter()
        .flat_map(|(section, _, keys)| keys.into_iter().map(move |key| (section, key)))
        .filter_map(|(section, key)| Some((key.env?, format!("`{section}.{}`", key.name))))
        .collect();
    let listed: Vec<_> = env_names()
        .iter()
        .filter(|(_, meaning)| meaning.starts_with("sets "))
        .collect();
    assert_eq!(listed.len(), of_keys.len());
    for ((name, meaning), (variable, key)) in listed.into_iter().zip(of_keys) {
        assert_eq!(*name, variable);
        assert!(meaning.contains(&key), "{name}: {meaning}");
    }
}

#[test]
fn cfg_01_the_template_holds_the_defaults() {
    let values = |text: &str| -> Vec<_> {
        let rows = show(&config(text)).into_iter();
        rows.map(|row| (row.key, row.value)).collect()
    };
    let template = template();
    assert_eq!(values(&template), values(""));
    // Every key taken out of its comment reads as its default too; sentences stay comments.
    let keys: Vec<_> = sections::docs()
        .into_iter()
        .flat_map(|(_, _, keys)| keys)
        .collect();
    let is_key = |line: &str| {
        keys.iter()
            .any(|key| line.starts_with(&format!("# {} = ", key.name)))
    };
    let uncommented: Vec<_> = template
        .lines()
        .map(|line| {
            if is_key(line) {
                line.trim_start_matches("# ")
            } else {
                line
            }
        })
        .collect();
    assert_eq!(
        uncommented
            .iter()
            .filter(|line| line.contains(" = "))
            .count(),
        keys.len()
    );
    assert_eq!(values(&uncommented.join("\n")), values(""));
}
