//! What is on record of the box that a memory was learnt from, for a person: base, files with what came and went.

use serde::Deserialize;
use taffrail_text::Shown;

/// Changed files that are named; the others are counted. `memory show --json` has no evidence, the record of the box has all.
const NAMED: usize = 8;
/// Digits of a hash that are shown.
const DIGITS: usize = 10;

#[derive(Deserialize)]
struct Facts {
    run: String,
    name: Option<String>,
    status: String,
    agent: Option<String>,
    base: Option<String>,
    change: Option<Change>,
}

#[derive(Deserialize)]
struct Change {
    diff: String,
    state: String,
    count: usize,
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    added: Option<u64>,
    removed: Option<u64>,
}

/// The lines of the evidence; what is not understood is shown as it is written.
pub fn lines(json: &str) -> Vec<String> {
    let Ok(facts) = serde_json::from_str::<Facts>(json) else {
        return vec![Shown::line(json).to_string()];
    };
    let mut head = match &facts.name {
        Some(name) => format!("box {name} ({})", facts.run),
        None => format!("box {}", facts.run),
    };
    head.push_str(&format!(", {}", facts.status));
    if let Some(agent) = &facts.agent {
        head.push_str(&format!(", agent {agent}"));
    }
    if let Some(base) = &facts.base {
        head.push_str(&format!(", from {}", short(base)));
    }
    let mut lines = vec![head];
    match &facts.change {
        None => lines.push("no change on record".to_owned()),
        Some(change) => lines.extend(of_change(change)),
    }
    lines
        .iter()
        .map(|line| Shown::line(line).to_string())
        .collect()
}

fn of_change(change: &Change) -> Vec<String> {
    let files = match change.count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let head = format!(
        "change {}: {files}, diff {}",
        change.state,
        short(&change.diff)
    );
    let named = change.files.iter().take(NAMED).map(of_file);
    let more = change.count.saturating_sub(change.files.len().min(NAMED));
    let more = (more > 0).then(|| format!("and {more} more"));
    std::iter::once(head).chain(named).chain(more).collect()
}

fn of_file(file: &File) -> String {
    match (file.added, file.removed) {
        (Some(added), Some(removed)) => format!("{} +{added} -{removed}", file.path),
        _ => format!("{} binary", file.path),
    }
}

fn short(hash: &str) -> String {
    hash.chars().take(DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mem_07_evidence_reads_as_sentences() {
        let json = r#"{"agent":"claude","base":"c27b214257cbbb69a9a44268","name":"b1","run":"run_gb9v7tezkw","status":"completed",
            "change":{"count":12,"diff":"c5c12c7a63004894671f","state":"pending","files":[
                {"path":"a.txt","added":1,"removed":0},{"path":"x.bin","added":null,"removed":null}]}}"#;
        assert_eq!(
            lines(json),
            [
                "box b1 (run_gb9v7tezkw), completed, agent claude, from c27b214257",
                "change pending: 12 files, diff c5c12c7a63",
                "a.txt +1 -0",
                "x.bin binary",
                "and 10 more",
            ]
        );
    }

    #[test]
    fn mem_07_a_path_cannot_repaint_the_screen() {
        let json = r#"{"run":"r","status":"completed","change":{"count":1,"diff":"00","state":"pending",
            "files":[{"path":"a\u001b[2J\nb","added":0,"removed":0}]}}"#;
        assert!(
            lines(json)
                .iter()
                .all(|line| !line.contains(['\u{1b}', '\n']))
        );
        assert_eq!(lines("{\"odd\":1}"), ["{\"odd\":1}"]);
    }
}
