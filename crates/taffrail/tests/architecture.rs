//! The law of the house: which crate may depend on which (ARCHITECTURE.md, "Direction").

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, MetadataCommand};

const EVERYWHERE: &[&str] = &["domain", "text", "redact"];

/// What each crate may use beside `EVERYWHERE`. A crate that is not here fails the test: decide its place first.
fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("domain", &[] as &[_]),
        ("text", &[]),
        ("redact", &[]),
        ("config", &[]),
        ("confine", &[]),
        ("gitbox", &["confine"]),
        ("memory", &[]),
        ("policy", &[]),
        ("secrets", &[]),
        ("slate", &[]),
        ("store", &["memory", "slate"]),
        ("tools", &["confine"]),
        ("mcp", &[]),
        ("acp", &[]),
        ("proxy", &[]),
        (
            "app",
            &[
                "acp", "config", "confine", "gitbox", "mcp", "memory", "policy", "proxy",
                "secrets", "slate", "store", "tools",
            ],
        ),
        (
            "taffrail",
            &[
                "app", "config", "confine", "mcp", "memory", "policy", "store",
            ],
        ),
        ("testkit", &[]),
    ])
}

/// Crates without IO, clock, randomness or environment: they may use only each other.
const PURE: &[&str] = &[
    "acp", "domain", "text", "redact", "config", "memory", "policy", "slate",
];

#[test]
fn dependencies_flow_one_way() {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("cargo metadata runs");
    let allowed = allowed();
    for package in &metadata.packages {
        let name = short(&package.name);
        let may = allowed
            .get(name)
            .unwrap_or_else(|| panic!("`{name}` has no place in the house"));
        for dependency in &package.dependencies {
            let used = short(&dependency.name);
            if dependency.kind != DependencyKind::Normal || !allowed.contains_key(used) {
                continue;
            }
            assert!(used != "testkit", "`{name}` uses testkit outside its tests");
            let fits = EVERYWHERE.contains(&used) || may.contains(&used);
            assert!(fits, "`{name}` must not depend on `{used}`");
            assert!(
                !PURE.contains(&name) || PURE.contains(&used),
                "`{name}` is pure, `{used}` is not"
            );
        }
    }
}

#[test]
fn domain_stands_on_nothing_of_ours() {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("cargo metadata runs");
    let domain = metadata
        .packages
        .iter()
        .find(|package| short(&package.name) == "domain")
        .expect("it is there");
    assert!(
        domain
            .dependencies
            .iter()
            .all(|dependency| !dependency.name.starts_with("taffrail"))
    );
}

fn short(name: &str) -> &str {
    name.strip_prefix("taffrail-").unwrap_or(name)
}
