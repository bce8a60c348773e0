//! A change as people read one: unified, three lines around it.

use std::path::Path;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};

/// Lines around a change.
const AROUND: u32 = 3;

/// The change of a file, or of none, to one, or to none. Untrusted text: secrets in it are not masked here.
pub(crate) fn unified(path: &Path, before: Option<&str>, after: Option<&str>) -> String {
    let name = |side: Option<&str>| match side {
        Some(_) => path.display().to_string(),
        None => "/dev/null".to_owned(),
    };
    let input = InternedInput::new(before.unwrap_or(""), after.unwrap_or(""));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let mut text = format!("--- {}\n+++ {}\n", name(before), name(after));
    for hunks in groups(diff.hunks()) {
        group(&mut text, &input, &hunks);
    }
    text
}

/// Hunks with so few lines between them that what stands around them would meet are told together.
fn groups(hunks: impl Iterator<Item = Hunk>) -> Vec<Vec<Hunk>> {
    let mut groups: Vec<Vec<Hunk>> = Vec::new();
    for hunk in hunks {
        let near = |last: &Hunk| hunk.before.start - last.before.end <= 2 * AROUND;
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(near) => group.push(hunk),
            _ => groups.push(vec![hunk]),
        }
    }
    groups
}

fn group(text: &mut String, input: &InternedInput<&str>, hunks: &[Hunk]) {
    let (Some(first), Some(last)) = (hunks.first(), hunks.last()) else {
        return;
    };
    let lines = u32::try_from(input.before.len()).unwrap_or(u32::MAX);
    let from = first.before.start.saturating_sub(AROUND);
    let end = last.before.end.saturating_add(AROUND).min(lines);
    let after = first.after.start - (first.before.start - from);
    let after_end = last.after.end + (end - last.before.end);
    let (old, new) = (range(from, end), range(after, after_end));
    text.push_str(&format!("@@ -{old} +{new} @@\n"));
    let mut at = from;
    for hunk in hunks {
        put(text, input, ' ', (at, hunk.before.start), true);
        put(text, input, '-', (hunk.before.start, hunk.before.end), true);
        put(text, input, '+', (hunk.after.start, hunk.after.end), false);
        at = hunk.before.end;
    }
    put(text, input, ' ', (at, end), true);
}

/// Where lines stand, as the head of a hunk says it: one that has none names the line before it.
fn range(from: u32, end: u32) -> String {
    let count = end - from;
    format!("{},{count}", if count == 0 { from } else { from + 1 })
}

fn put(
    text: &mut String,
    input: &InternedInput<&str>,
    mark: char,
    (from, end): (u32, u32),
    is_old: bool,
) {
    let side = if is_old { &input.before } else { &input.after };
    let tokens = side
        .get(from as usize..end as usize)
        .into_iter()
        .flatten()
        .copied();
    for token in tokens {
        let line = input.interner[token];
        text.push(mark);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: Option<&str>, after: Option<&str>) -> String {
        let text = unified(Path::new("/a"), before, after);
        text.split_inclusive('\n').skip(2).collect()
    }

    #[test]
    fn mcp_02_a_hunk_says_where_its_lines_stand() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let after = "1\n2\n3\n4\nnew\n5\n6\n7\n8\n";
        let hunk = "@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n";
        assert_eq!(told(Some(before), Some(after)), hunk);
    }

    #[test]
    fn mcp_02_near_changes_share_a_hunk_and_far_ones_do_not() {
        let lines: Vec<String> = (1..=20).map(|line| format!("{line}\n")).collect();
        let before = lines.concat();
        let near = before.replace("3\n4\n", "3\nx\n").replace("\n8\n", "\ny\n");
        assert_eq!(told(Some(&before), Some(&near)).matches("@@ -").count(), 1);
        let far = before.replace("\n2\n", "\nx\n").replace("\n19\n", "\ny\n");
        let text = told(Some(&before), Some(&far));
        assert!(text.starts_with("@@ -1,5 +1,5 @@\n 1\n-2\n+x\n"), "{text}");
        assert!(text.contains("@@ -16,5 +16,5 @@\n 16\n"), "{text}");
    }

    #[test]
    fn mcp_02_a_file_that_is_made_and_one_that_is_gone_have_no_lines_on_the_other_side() {
        assert_eq!(told(None, Some("a\nb\n")), "@@ -0,0 +1,2 @@\n+a\n+b\n");
        assert_eq!(told(Some("a\nb\n"), None), "@@ -1,2 +0,0 @@\n-a\n-b\n");
    }

    #[test]
    fn mcp_02_a_last_line_that_does_not_end_is_told() {
        let text = told(Some("{}"), Some("{1}"));
        let end = "\\ No newline at end of file";
        assert_eq!(
            text,
            format!("@@ -1,1 +1,1 @@\n-{{}}\n{end}\n+{{1}}\n{end}\n")
        );
    }
}
