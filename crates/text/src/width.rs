//! Columns on a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that `text` takes: wide characters and emoji sequences count 2, combining marks 0, ambiguous ones 1.
/// Control characters count as `unicode-width` has them; escaped text holds none.
pub fn width(text: &str) -> usize {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.len();
    }
    UnicodeWidthStr::width(text)
}

/// The longest prefix, on a character border, that takes at most `columns`.
///
/// Widths are summed by character, which is never less than the width of a sequence: the prefix always fits.
pub(crate) fn fitting(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, letter) in text.char_indices() {
        used += UnicodeWidthChar::width(letter).unwrap_or(1);
        if used > columns {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_columns_not_bytes() {
        for (text, columns) in [
            ("", 0),
            ("abc", 3),
            ("héllo", 5),
            ("日本語", 6),
            ("e\u{301}", 1),
            ("👨\u{200d}👩\u{200d}👧", 2),
            ("ＡＢ", 4),
        ] {
            assert_eq!(width(text), columns, "{text:?}");
        }
    }

    #[test]
    fn the_prefix_fits() {
        assert_eq!(fitting("日本語", 5), "日本");
        assert_eq!(fitting("abc", 3), "abc");
        assert_eq!(fitting("abc", 0), "");
    }
}
