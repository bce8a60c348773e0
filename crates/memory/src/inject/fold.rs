//! Somebody's text as one line of data: nothing in it begins a block, a tag, a fence or a turn of a conversation.

use taffrail_domain::MemoryType;
use taffrail_text::Shown;

/// Stands for `<` where a tag would begin: it looks alike and no parser takes it for one.
const TAG: char = '‹';
/// Who speaks in a conversation; at the start of a line and with a colon behind, a model may take it for a turn.
const ROLES: [&str; 7] = [
    "system",
    "assistant",
    "user",
    "human",
    "developer",
    "model",
    "tool",
];
/// How `Shown` spells a character that takes no ink.
const SPELLED: &str = "⟨U+";
/// Makes one picture of two.
const JOINER: char = '\u{200d}';
/// Characters of a mark.
const MARK: usize = 24;

/// A text of any length as one line.
pub(super) fn line(text: &str) -> String {
    let breaks = |letter: char| {
        letter.is_control() && letter != '\t' || matches!(letter, '\u{2028}' | '\u{2029}')
    };
    let lines = text
        .split(breaks)
        .map(|line| without_markers(&visible(line)));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    let words: Vec<String> = lines
        .join(" ")
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    without_labels(&without_fences(&without_tags(&words.join(" "))))
}

/// A mark as it stands in the brackets: letters, digits, spaces, `_` and `-`.
pub(super) fn mark(text: &str) -> String {
    let plain = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '_' | '-');
    text.chars()
        .filter(plain)
        .take(MARK)
        .collect::<String>()
        .trim()
        .to_owned()
}

/// At most `room` characters, with `…` where something is missing. A letter is not parted from its marks.
pub(super) fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let Some(room) = room.checked_sub(1) else {
        return String::new();
    };
    let letters: Vec<char> = text.chars().collect();
    let parts_a_letter = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        letters.get(at).copied().is_some_and(joins) || before == Some(&JOINER)
    };
    let end = (0..=room)
        .rev()
        .find(|at| !parts_a_letter(*at))
        .unwrap_or(0);
    let head: String = letters.iter().take(end).collect();
    let head = head.trim_end();
    if head.is_empty() {
        String::new()
    } else {
        format!("{head}…")
    }
}

/// What belongs to the character before it: combining marks, joiners, selectors, skin tones.
fn joins(letter: char) -> bool {
    unicode_normalization::char::is_combining_mark(letter)
        || matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Without what takes no ink or reorders text, joiners that a script needs excepted.
fn visible(line: &str) -> String {
    let shown = Shown::line(&line.replace('\t', " ")).into_string();
    let mut out = String::with_capacity(shown.len());
    let mut rest = shown.as_str();
    while let Some((before, after)) = rest.split_once(SPELLED) {
        out.push_str(before);
        let code = after
            .split_once('⟩')
            .filter(|(code, _)| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        rest = code.map_or(after, |(_, rest)| rest);
    }
    out + rest
}

/// Without what begins a block in Markdown: headings, quotes, bullets, rules, underlines of headings; and with a role that
/// speaks made a word.
fn without_markers(line: &str) -> String {
    let mut rest = line.trim();
    while let Some(next) = marker(rest) {
        rest = next.trim_start();
    }
    role(rest).unwrap_or_else(|| rest.to_owned())
}

fn marker(line: &str) -> Option<&str> {
    let only =
        |mark: char| !line.is_empty() && line.chars().all(|letter| letter == mark || letter == ' ');
    if ['-', '=', '*', '_', '+'].into_iter().any(only) {
        return Some("");
    }
    if let Some(rest) = line.strip_prefix('>') {
        return Some(rest);
    }
    let rest = line.trim_start_matches('#');
    if rest.len() < line.len() && (rest.is_empty() || rest.starts_with(' ')) {
        return Some(rest);
    }
    ["- ", "* ", "+ "]
        .into_iter()
        .find_map(|bullet| line.strip_prefix(bullet))
}

/// `Human: do` as `Human – do`.
fn role(line: &str) -> Option<String> {
    let (name, rest) = line.split_once([':', '：'])?;
    let word = name
        .trim_matches(|letter: char| !letter.is_alphanumeric())
        .to_lowercase();
    ROLES
        .contains(&word.as_str())
        .then(|| format!("{} –{rest}", name.trim_end()))
}

/// With `‹` for every `<` that could begin a tag, a comment or a special token.
fn without_tags(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(letter) = rest.next() {
        let stays =
            !matches!(letter, '<' | '＜' | '﹤') || letter == '<' && !begins_tag(rest.as_str());
        out.push(if stays { letter } else { TAG });
    }
    out
}

/// Whether what stands behind a `<` makes it a tag: `a < b` and `1 << 20` are none. A sloppy reader skips spaces.
fn begins_tag(rest: &str) -> bool {
    let text = rest.trim_start();
    let ours = text
        .get(..8)
        .is_some_and(|word| word.eq_ignore_ascii_case("recalled"));
    let letter = |letter: char| letter.is_alphabetic() || matches!(letter, '_' | ':' | '\\');
    ours || text.starts_with(['/', '!', '?', '|']) || rest.starts_with(letter)
}

/// With round brackets around the marks of instructions and the labels of our own lines: `[INST]`, `[/INST]`, `[constraint]`.
fn without_labels(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        match after.split_once(']').filter(|(word, _)| is_label(word)) {
            Some((word, behind)) => {
                out.push_str(&format!("({word})"));
                rest = behind;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

fn is_label(text: &str) -> bool {
    let word = text.trim().trim_start_matches('/').to_lowercase();
    let word = word.split(',').next().unwrap_or_default().trim();
    matches!(word, "inst" | "sys") || ROLES.contains(&word) || word.parse::<MemoryType>().is_ok()
}

/// With one mark for every run of three and more backticks or tildes.
fn without_fences(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let after = rest.trim_start_matches(letter);
        let run = rest.len() - after.len();
        if matches!(letter, '`' | '~') && run >= 3 {
            out.push(letter);
        } else {
            out.push_str(rest.get(..run).unwrap_or_default());
        }
        rest = after;
    }
    out
}
