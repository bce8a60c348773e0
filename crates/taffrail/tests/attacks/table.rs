//! SECURITY.md's table from attacks to tests, held against the tests of the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A row: the number, the tests of the guard, the tests in which the attack works.
struct Row {
    number: String,
    guards: Vec<String>,
    twins: Vec<String>,
}

/// What is wrong with the table; nothing where it is true.
pub fn faults(root: &Path) -> Vec<String> {
    let page = fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let tests = tests(&root.join("crates"));
    let rows = rows(&page);
    let mut wrong: Vec<String> = rows.iter().flat_map(|row| of_row(row, &tests)).collect();
    let told: BTreeSet<&str> = rows.iter().map(|row| row.number.as_str()).collect();
    let numbered = tests.keys().flat_map(|name| numbers(name));
    let untold: BTreeSet<String> = numbered
        .filter(|number| !told.contains(number.as_str()))
        .collect();
    wrong.extend(untold.iter().map(|number| format!("{number}: no row")));
    if rows.len() < 30 {
        wrong.push(format!("{} rows", rows.len()));
    }
    wrong
}

fn of_row(row: &Row, tests: &BTreeMap<String, String>) -> Vec<String> {
    let mut wrong = Vec::new();
    if row.guards.is_empty() || row.twins.is_empty() {
        wrong.push(format!("{}: a guard or a twin is missing", row.number));
    }
    for name in row.guards.iter().chain(&row.twins) {
        if !tests.contains_key(name) {
            wrong.push(format!("{}: no test `{name}`", row.number));
        }
        if !numbers(name).contains(&row.number) {
            wrong.push(format!("{}: `{name}` does not name it", row.number));
        }
    }
    for name in &row.twins {
        // A twin has a test of its own, or says in the guard's where it begins.
        let body = tests.get(name).map(|body| body.to_lowercase());
        if !name.contains("twin") && !body.is_some_and(|body| body.contains("twin")) {
            wrong.push(format!("{}: `{name}` holds no twin", row.number));
        }
    }
    wrong
}

/// `s7` of `cnf_01_s7_twin_…`.
fn numbers(name: &str) -> Vec<String> {
    let is_number = |part: &&str| {
        let digits = part.strip_prefix('s').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    let parts = name.split('_');
    parts.filter(is_number).map(str::to_uppercase).collect()
}

fn rows(page: &str) -> Vec<Row> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        let number = cells.next()?.split(' ').next()?.to_owned();
        let digits = number.strip_prefix('S')?;
        digits.parse::<u8>().ok()?;
        let guards = names(cells.next()?);
        let twins = names(cells.next()?);
        Some(Row {
            number,
            guards,
            twins,
        })
    };
    page.lines().filter_map(row).collect()
}

/// What stands between backticks.
fn names(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Every test with the text from its name to the next one's.
fn tests(crates: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for path in sources(crates) {
        let text = fs::read_to_string(path).unwrap();
        let starts: Vec<usize> = text
            .match_indices("fn ")
            .chain(text.match_indices("\"cnf_"))
            .map(|(at, _)| at)
            .collect();
        for start in starts {
            let rest = &text[start..];
            let rest = rest.strip_prefix("fn ").unwrap_or(&rest[1..]);
            let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            let (name, body) = rest.split_at(end.unwrap_or(rest.len()));
            let body = body.split("#[test]").next().unwrap_or_default();
            found.insert(name.to_owned(), body.to_owned());
        }
    }
    found
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
    found
}
