//! Makes texts of two runs equal: paths of the temporary home, ids, hashes and times become names.
//!
//! Pure. Works on words, so a path that is a part of a longer word is replaced too, an id only as a whole word.

use std::path::{Path, PathBuf};

/// What to replace, and by which name.
#[derive(Debug, Clone, Default)]
pub struct Normaliser {
    texts: Vec<(String, String)>,
}

impl Normaliser {
    /// Replaces ids, hashes and times only.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also `path`, in the form given and in its canonical form, by `name`.
    #[must_use]
    pub fn path(self, path: &Path, name: &str) -> Self {
        let canonical: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.text(&canonical.to_string_lossy(), name)
            .text(&path.to_string_lossy(), name)
    }

    /// Also the text `from`, by `name`. The longest text wins where two begin at one place.
    #[must_use]
    pub fn text(mut self, from: &str, name: &str) -> Self {
        if !from.is_empty() {
            self.texts.push((from.to_owned(), name.to_owned()));
            self.texts
                .sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        }
        self
    }

    /// `text` with everything replaced.
    pub fn apply(&self, text: &str) -> String {
        let named = self
            .texts
            .iter()
            .fold(text.to_owned(), |text, (from, name)| {
                text.replace(from, name)
            });
        replace_words(&named)
    }
}

fn replace_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest
            .find(|c| !is_word(c))
            .unwrap_or(rest.len())
            .max(first.len_utf8());
        let (word, after) = rest.split_at(end);
        out.push_str(&name_of(word));
        rest = after;
    }
    out
}

/// Characters of ids, hashes, UUIDs and RFC 3339 times.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '+')
}

fn name_of(word: &str) -> String {
    let body = word.trim_end_matches(['.', ':']);
    let tail = word.get(body.len()..).unwrap_or_default();
    let named = if is_hex(body, 40) {
        "<oid>".to_owned()
    } else if is_hex(body, 64) {
        "<sha256>".to_owned()
    } else if is_shape(body, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") {
        "<uuid>".to_owned()
    } else if is_time(body) {
        "<time>".to_owned()
    } else {
        id_prefix(body).map_or_else(|| body.to_owned(), |kind| format!("{kind}_<id>"))
    };
    named + tail
}

fn is_hex(word: &str, length: usize) -> bool {
    word.len() == length && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `x` stands for a hexadecimal digit, `9` for a decimal one, anything else for itself.
fn is_shape(word: &str, shape: &str) -> bool {
    word.len() == shape.len()
        && word
            .bytes()
            .zip(shape.bytes())
            .all(|(byte, want)| match want {
                b'x' => byte.is_ascii_hexdigit(),
                b'9' => byte.is_ascii_digit(),
                other => byte == other,
            })
}

fn is_time(word: &str) -> bool {
    let shape = "9999-99-99T99:99:99";
    word.get(..shape.len())
        .is_some_and(|start| is_shape(start, shape))
}

/// The kind of a shown id: letters, an underscore, ten characters of Crockford's alphabet in lower case.
fn id_prefix(word: &str) -> Option<&str> {
    let (kind, id) = word.split_once('_')?;
    let letters = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_lowercase());
    let shown = id.len() == 10
        && id
            .bytes()
            .all(|byte| b"0123456789abcdefghjkmnpqrstvwxyz".contains(&byte));
    (letters && shown).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_hashes_and_times_become_names_and_nothing_else_does() {
        let normaliser = Normaliser::new();
        let table = [
            ("run_0123456789 ended.", "run_<id> ended."),
            ("run_0123456789.", "run_<id>."),
            ("run_il23456789", "run_il23456789"),
            ("run_012345678", "run_012345678"),
            ("at 2026-11-29T20:13:20.123Z: ok", "at <time>: ok"),
            ("da39a3ee5e6b4b0d3255bfef95601890afd80709", "<oid>"),
            ("x/da39a3ee5e6b4b0d3255bfef95601890afd80709/y", "x/<oid>/y"),
            ("0190a3ee-5e6b-7b0d-8255-bfef95601890", "<uuid>"),
            ("deadbeef größer -> 3 files", "deadbeef größer -> 3 files"),
        ];
        for (input, expect) in table {
            assert_eq!(normaliser.apply(input), expect);
        }
        assert_eq!(normaliser.apply(&"a".repeat(64)), "<sha256>");
    }

    #[test]
    fn the_longest_path_wins() {
        let normaliser = Normaliser::new()
            .path(Path::new("/t/x"), "$ROOT")
            .path(Path::new("/t/x/home"), "$HOME");
        assert_eq!(normaliser.apply("/t/x/home/a /t/x/b"), "$HOME/a $ROOT/b");
    }
}
