//! Text of others on a screen of a known width: every row begins with a margin of ours, no row is wider than the screen, and
//! no byte of it is left out.

use taffrail_text::{Shown, width};

/// Before a line of a text of others.
pub const MARGIN: &str = "  │ ";
/// Before the rest of a line that is wider than the screen: a new line looks different.
const GOES_ON: &str = "  ┊ ";
/// A screen narrower than this is laid out as if it were this wide: one column of text a row is the least.
const NARROWEST: usize = 8;
/// Columns between two tab stops.
const TAB: usize = 4;

/// The rows of a text of others, each with its margin; at least one. Ends of lines and tabs stay what they are, so the text is
/// cut anywhere and never at a blank: what stands before and after a cut is the text, byte by byte.
pub fn rows(text: &str, columns: usize) -> Vec<String> {
    let shown = Shown::block(text);
    let room = columns.max(NARROWEST) - width(MARGIN);
    let mut rows: Vec<String> = Vec::new();
    for line in shown.as_str().split('\n') {
        for (at, row) in cut(&tabbed(line), room).into_iter().enumerate() {
            let margin = if at == 0 { MARGIN } else { GOES_ON };
            rows.push(format!("{margin}{row}"));
        }
    }
    rows
}

/// The rows of our own words, folded at blanks.
pub fn own(text: &str, columns: usize) -> Vec<String> {
    let room = columns.max(NARROWEST);
    let mut rows = vec![String::new()];
    for word in text.split(' ') {
        let last = rows.last().map_or(0, |row| width(row));
        match rows.last_mut() {
            Some(row) if last == 0 => row.push_str(word),
            Some(row) if last + 1 + width(word) <= room => {
                row.push(' ');
                row.push_str(word);
            }
            _ => rows.push(word.to_owned()),
        }
    }
    rows.into_iter().flat_map(|row| cut(&row, room)).collect()
}

/// Pieces of at most so many columns; one at least.
fn cut(line: &str, room: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for letter in line.chars() {
        let wide = width(letter.encode_utf8(&mut [0; 4]));
        if used + wide > room {
            pieces.push(String::new());
            used = 0;
        }
        used += wide;
        if let Some(piece) = pieces.last_mut() {
            piece.push(letter);
        }
    }
    pieces
}

/// Tabs as an arrow up to the next stop: blanks would look like blanks.
fn tabbed(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut used = 0;
    for letter in line.chars() {
        if letter == '\t' {
            let wide = TAB - used % TAB;
            out.push('→');
            out.push_str(&" ".repeat(wide - 1));
            used += wide;
        } else {
            used += width(letter.encode_utf8(&mut [0; 4]));
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pol_08_every_row_has_its_margin_and_a_cut_is_told_from_an_end() {
        assert_eq!(
            rows("ab  cdefgh\nx\n", 10),
            ["  │ ab  cd", "  ┊ efgh", "  │ x", "  │ "]
        );
        assert_eq!(rows("", 80), ["  │ "]);
        assert_eq!(rows("a\tb", 80), ["  │ a→  b"]);
    }

    #[test]
    fn pol_08_our_own_words_are_folded_at_blanks() {
        assert_eq!(own("one two three", 8), ["one two", "three"]);
        assert_eq!(own("", 8), [""]);
    }

    proptest! {
        #[test]
        fn pol_08_no_row_is_wider_than_the_screen_and_nothing_is_lost(
            text in "(\\PC|[\\x00-\\x1f]|[\u{300}-\u{36f}]|[一-龥]){0,80}", columns in 8_usize..40,
        ) {
            let laid = rows(&text, columns);
            prop_assert!(laid.iter().all(|row| width(row) <= columns), "{laid:?}");
            let put_together: String = laid
                .iter()
                .map(|row| match row.strip_prefix(MARGIN) {
                    Some(rest) => format!("\n{rest}"),
                    None => row.strip_prefix(GOES_ON).unwrap().to_owned(),
                })
                .collect();
            let expected: Vec<String> = Shown::block(&text).as_str().split('\n').map(tabbed).collect();
            prop_assert_eq!(put_together, format!("\n{}", expected.join("\n")));
        }
    }
}
