//! What is on record beside a memory, for a person: of the box that it was learnt from, or of the slate whose seed it was.

use serde::Deserialize;
use taffrail_text::Shown;

/// Changed files that are named; the others are counted. `memory show --json` has all that is kept.
const NAMED: usize = 8;
/// Digits of a hash that are shown.
const DIGITS: usize = 10;
/// Columns of what another program says of its work.
const SAID: usize = 120;

#[derive(Deserialize)]
struct OfBox {
    run: String,
    name: Option<String>,
    status: String,
    agent: Option<String>,
    base: Option<String>,
    change: Option<Change>,
}

#[derive(Deserialize)]
struct OfSlate {
    seed: SeedRef,
    anchors: Option<Anchors>,
    git: Option<Git>,
}

#[derive(Deserialize)]
struct SeedRef {
    id: String,
    hash: String,
}

#[derive(Deserialize)]
struct Anchors {
    root: Option<String>,
    note: Option<String>,
    #[serde(default)]
    count: usize,
    #[serde(default)]
    touched: Vec<String>,
}

#[derive(Deserialize)]
struct Git {
    branch: Option<String>,
    base: Option<String>,
    change: Option<Change>,
    not_looked_at: Option<String>,
}

#[derive(Deserialize)]
struct Change {
    diff: Option<String>,
    state: Option<String>,
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
    let lines = if let Ok(facts) = serde_json::from_str::<OfBox>(json) {
        of_box(&facts)
    } else if let Ok(facts) = serde_json::from_str::<OfSlate>(json) {
        of_slate(&facts)
    } else {
        vec![json.to_owned()]
    };
    lines
        .iter()
        .map(|line| Shown::line(line).to_string())
        .collect()
}

/// What git said of a proposal's slate; nothing where that is not understood.
pub fn of_git(json: &str) -> Vec<String> {
    let git = serde_json::from_str::<Git>(json);
    let lines = git.as_ref().map(git_lines).unwrap_or_default();
    let shown = |line: &String| Shown::line(line).to_string();
    lines.iter().map(shown).collect()
}

fn of_box(facts: &OfBox) -> Vec<String> {
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
}

fn of_slate(facts: &OfSlate) -> Vec<String> {
    let mut lines = vec![format!(
        "{}, sha256 {}",
        facts.seed.id,
        short(&facts.seed.hash)
    )];
    if let Some(git) = &facts.git {
        let base = git
            .base
            .as_deref()
            .map(|base| format!("from {}", short(base)));
        let branch = git.branch.as_ref().map(|branch| format!("branch {branch}"));
        let head: Vec<String> = branch.into_iter().chain(base).collect();
        lines.extend((!head.is_empty()).then(|| head.join(", ")));
        lines.extend(git.change.iter().flat_map(of_change));
    }
    if let Some(anchors) = &facts.anchors {
        lines.extend(of_anchors(anchors));
    }
    lines
}

fn git_lines(git: &Git) -> Vec<String> {
    let base = git
        .base
        .as_deref()
        .map(|base| format!("from {}", short(base)));
    let branch = git.branch.as_ref().map(|branch| format!("branch {branch}"));
    let head: Vec<String> = branch.into_iter().chain(base).collect();
    let head = (!head.is_empty()).then(|| head.join(", "));
    let change = git.change.iter().flat_map(of_change);
    let unseen = git.not_looked_at.as_ref();
    let unseen = unseen.map(|why| format!("what changed was not looked at: {why}"));
    head.into_iter().chain(change).chain(unseen).collect()
}

/// What the program itself said of where it works: its word, and so marked.
fn of_anchors(anchors: &Anchors) -> Vec<String> {
    let said = |name: &str, text: &str| {
        let text = Shown::line(text).truncated(SAID);
        format!("it says {name} {text}")
    };
    let root = anchors.root.as_deref().filter(|root| !root.is_empty());
    let mut lines: Vec<String> = root
        .map(|root| said("root", root))
        .into_iter()
        .chain(anchors.note.as_deref().map(|note| said("note", note)))
        .collect();
    if let Some(first) = anchors.touched.first() {
        let more = match anchors.count.saturating_sub(1) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        lines.push(format!("{}{more}", said("touched", first)));
    }
    lines
}

fn of_change(change: &Change) -> Vec<String> {
    let files = match change.count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let state = change.state.as_deref().unwrap_or("under way");
    let diff = change
        .diff
        .as_deref()
        .map(|diff| format!(", diff {}", short(diff)));
    let head = format!("change {state}: {files}{}", diff.unwrap_or_default());
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

    #[test]
    fn xsl_09_evidence_of_a_slate_says_what_git_said_and_what_the_program_said() {
        let json = r#"{"slate":{"id":"s1","generation":1},"seed":{"id":"seed-1","hash":"abcdef0123456789"},
            "git":{"branch":"main","base":"c27b214257cbbb69a9a44268","change":{"count":1,"diff":"c5c12c7a63004894","files":[
                {"path":"a.txt","added":1,"removed":0}]}},
            "anchors":{"root":"/w","note":"the \u001b[2Jport","count":3,"touched":["a.txt","b"]}}"#;
        let lines = lines(json);
        assert_eq!(
            lines.get(..5).unwrap(),
            [
                "seed-1, sha256 abcdef0123",
                "branch main, from c27b214257",
                "change under way: 1 file, diff c5c12c7a63",
                "a.txt +1 -0",
                "it says root /w",
            ]
        );
        assert_eq!(lines.last().unwrap(), "it says touched a.txt and 2 more");
        assert!(lines.iter().all(|line| !line.contains('\u{1b}')));
    }
}
