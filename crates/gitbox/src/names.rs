//! Pure: names of one path part that git or a file system takes for something else.

use unicode_normalization::UnicodeNormalization;

/// Whether git, or a file system that git runs on, opens its own folder by this name: any case, HFS+ code points
/// that vanish in a comparison, NTFS short names, streams, and trailing dots and spaces.
pub(crate) fn is_git_folder(name: &[u8]) -> bool {
    // A backslash separates parts on Windows: `.git\hooks` is one name here and two there.
    name.split(|byte| *byte == b'\\').any(is_git_part)
}

fn is_git_part(part: &[u8]) -> bool {
    let visible = without_ignorable(part);
    let stream = visible
        .iter()
        .position(|byte| *byte == b':')
        .unwrap_or(visible.len());
    let (name, _) = visible.split_at(stream);
    let end = name
        .iter()
        .rposition(|byte| !matches!(byte, b'.' | b' '))
        .map_or(0, |last| last + 1);
    let (name, _) = name.split_at(end);
    name.eq_ignore_ascii_case(b".git") || is_short_name(name)
}

/// `git~1` and its like: what NTFS calls `.git` where 8.3 names are on.
fn is_short_name(name: &[u8]) -> bool {
    match name.split_at_checked(4) {
        Some((stem, digits)) => {
            stem.eq_ignore_ascii_case(b"git~")
                && !digits.is_empty()
                && digits.iter().all(u8::is_ascii_digit)
        }
        None => false,
    }
}

/// The name without the code points that HFS+ skips when it compares names.
fn without_ignorable(name: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(name) {
        Ok(text) if !text.is_ascii() => text
            .chars()
            .filter(|at| !is_hfs_ignorable(*at))
            .collect::<String>()
            .into_bytes(),
        _ => name.to_vec(),
    }
}

const fn is_hfs_ignorable(at: char) -> bool {
    matches!(at, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// The name as a file system that folds case and normal form compares it.
pub(crate) fn folded(name: &[u8]) -> Vec<u8> {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    match std::str::from_utf8(name) {
        Ok(text) => text
            .nfd()
            .filter(|at| !is_hfs_ignorable(*at))
            // Upper case first: `ſ` and `ﬁ` become plain letters only that way round.
            .flat_map(char::to_uppercase)
            .flat_map(char::to_lowercase)
            .nfc()
            .collect::<String>()
            .into_bytes(),
        Err(_) => name.to_vec(),
    }
}

/// The name as [`folded`], and without what Windows leaves out when it opens a file: trailing dots and spaces, a stream.
pub(crate) fn opened_as(name: &[u8]) -> Vec<u8> {
    let mut name = folded(name);
    if let Some(stream) = name.iter().position(|byte| *byte == b':') {
        name.truncate(stream);
    }
    while matches!(name.last(), Some(b'.' | b' ')) {
        name.pop();
    }
    name
}

/// Whether a screen shows this path as something else than it is: not UTF-8, control, bidirectional or invisible
/// characters.
pub(crate) fn is_odd(path: &[u8]) -> bool {
    std::str::from_utf8(path).map_or(true, |text| text.chars().any(is_odd_char))
}

const fn is_odd_char(at: char) -> bool {
    matches!(
        at,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}' | '\u{1160}'
            | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fa_30_s37_git_folder_look_alikes() {
        let taken = [
            ".git",
            ".GIT",
            ".Git",
            "git~1",
            "GIT~2",
            ".git.",
            ".git ",
            ".git. .",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git::$INDEX_ALLOCATION",
            ".git:x",
            "git~1::$DATA",
            "a\\.git\\hooks",
            ".git\\config",
        ];
        for name in taken {
            assert!(is_git_folder(name.as_bytes()), "{name:?}");
        }
        let plain = [
            ".gitignore",
            ".github",
            "git",
            "git~",
            "git~x",
            ".gitx",
            "x.git",
            "agit~1",
            "",
        ];
        for name in plain {
            assert!(!is_git_folder(name.as_bytes()), "{name:?}");
        }
    }

    #[test]
    fn fa_30_folding() {
        assert_eq!(folded(b"README"), folded(b"readme"));
        assert_eq!(
            folded("\u{e9}t\u{c9}".as_bytes()),
            folded("e\u{301}te\u{301}".as_bytes())
        );
        assert_eq!(folded("agent\u{17f}".as_bytes()), folded(b"AGENTS"));
        assert_eq!(opened_as(b"AGENTS.md. ."), opened_as(b"agents.md"));
        assert_eq!(opened_as(b"AGENTS.md::$DATA"), opened_as(b"agents.md"));
        assert_ne!(opened_as(b".agents.md"), opened_as(b"agents.md"));
        assert_eq!(folded("Ä".as_bytes()), folded("a\u{308}".as_bytes()));
        assert_ne!(folded(b"a"), folded(b"b"));
        assert_ne!(folded(b"\xff"), folded(b"\xfe"));
    }

    #[test]
    fn fa_30_odd_names() {
        for name in [
            "a\nb",
            "a\u{202e}b",
            "\u{200b}",
            "\u{1b}[2J",
            "a\u{e0041}",
            "\u{3164}",
        ] {
            assert!(is_odd(name.as_bytes()), "{name:?}");
        }
        assert!(is_odd(b"\xff\xfe"));
        for name in [
            "a b",
            "über/naïve",
            "日本語",
            "emoji-❤\u{fe0f}",
            "-rf",
            "\"q\"",
        ] {
            assert!(!is_odd(name.as_bytes()), "{name:?}");
        }
    }
}
