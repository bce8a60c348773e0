//! A diff by words, for showing one changed text to a person.

use std::ops::Range;

/// The largest table (old words × new words after the common ends) that is compared exactly: 1 M cells, about 4 MB.
/// Beyond it the middle is shown as one removal and one addition.
const EXACT_CELLS: usize = 1 << 20;

/// A run of text that both sides have, or only one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// In both.
    Same(&'a str),
    /// Only in the old text.
    Removed(&'a str),
    /// Only in the new text.
    Added(&'a str),
}

/// The pieces of both texts in order. The same and removed ones joined are `old`, the same and added ones are `new`.
pub fn diff<'a>(old: &'a str, new: &'a str) -> Vec<Piece<'a>> {
    let (olds, news) = (split(old), split(new));
    let ahead = olds.iter().zip(&news).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (tail_of(&olds, ahead), tail_of(&news, ahead));
    let behind = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (old_mid, new_mid) = (but_last(old_rest, behind), but_last(new_rest, behind));
    let mut pieces = Pieces {
        old,
        new,
        at_old: 0,
        at_new: 0,
        out: Vec::new(),
    };
    pieces.same(length(olds.get(..ahead).unwrap_or_default()));
    if old_mid.len().saturating_mul(new_mid.len()) <= EXACT_CELLS {
        walk(&mut pieces, old_mid, new_mid);
    } else {
        pieces.removed(length(old_mid));
        pieces.added(length(new_mid));
    }
    pieces.same(length(tail_of(old_rest, old_rest.len() - behind)));
    pieces.out
}

/// Follows the table of longest common subsequences, removals before additions.
fn walk(pieces: &mut Pieces<'_>, olds: &[&str], news: &[&str]) {
    let columns = news.len() + 1;
    let table = common_lengths(olds, news);
    let cell = |row: usize, column: usize| table.get(row * columns + column).copied().unwrap_or(0);
    let (mut row, mut column) = (0, 0);
    loop {
        match (olds.get(row), news.get(column)) {
            (Some(old), Some(new)) if old == new => {
                pieces.same(old.len());
                (row, column) = (row + 1, column + 1);
            }
            (Some(old), new) if new.is_none() || cell(row + 1, column) >= cell(row, column + 1) => {
                pieces.removed(old.len());
                row += 1;
            }
            (_, Some(new)) => {
                pieces.added(new.len());
                column += 1;
            }
            (_, None) => return,
        }
    }
}

/// `table[row][column]`: words in common of `olds[row..]` and `news[column..]`.
fn common_lengths(olds: &[&str], news: &[&str]) -> Vec<u32> {
    let columns = news.len() + 1;
    let mut table = vec![0u32; (olds.len() + 1) * columns];
    for (row, old) in olds.iter().enumerate().rev() {
        for (column, new) in news.iter().enumerate().rev() {
            let at = row * columns + column;
            let get = |at: usize| table.get(at).copied().unwrap_or(0);
            let best = if old == new {
                get(at + columns + 1) + 1
            } else {
                get(at + columns).max(get(at + 1))
            };
            if let Some(cell) = table.get_mut(at) {
                *cell = best;
            }
        }
    }
    table
}

/// Collects pieces, joining neighbours of one kind.
struct Pieces<'a> {
    old: &'a str,
    new: &'a str,
    at_old: usize,
    at_new: usize,
    out: Vec<Piece<'a>>,
}

impl<'a> Pieces<'a> {
    fn same(&mut self, bytes: usize) {
        let start = match self.out.last() {
            Some(Piece::Same(before)) => self.at_old - before.len(),
            _ => self.at_old,
        };
        (self.at_old, self.at_new) = (self.at_old + bytes, self.at_new + bytes);
        self.put(Piece::Same(part(self.old, start..self.at_old)), bytes);
    }

    fn removed(&mut self, bytes: usize) {
        let start = match self.out.last() {
            Some(Piece::Removed(before)) => self.at_old - before.len(),
            _ => self.at_old,
        };
        self.at_old += bytes;
        self.put(Piece::Removed(part(self.old, start..self.at_old)), bytes);
    }

    fn added(&mut self, bytes: usize) {
        let start = match self.out.last() {
            Some(Piece::Added(before)) => self.at_new - before.len(),
            _ => self.at_new,
        };
        self.at_new += bytes;
        self.put(Piece::Added(part(self.new, start..self.at_new)), bytes);
    }

    fn put(&mut self, piece: Piece<'a>, bytes: usize) {
        if bytes == 0 {
            return;
        }
        match (self.out.last_mut(), piece) {
            (Some(last @ Piece::Same(_)), Piece::Same(_))
            | (Some(last @ Piece::Removed(_)), Piece::Removed(_))
            | (Some(last @ Piece::Added(_)), Piece::Added(_)) => *last = piece,
            (Some(_) | None, Piece::Same(_) | Piece::Removed(_) | Piece::Added(_)) => {
                self.out.push(piece);
            }
        }
    }
}

/// Words (letters, digits, `_`), runs of white space, and single other characters.
fn split(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match class(first) {
            Class::Other => first.len_utf8(),
            kind => rest
                .find(|letter| class(letter) != kind)
                .unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

#[derive(PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Other,
}

fn class(letter: char) -> Class {
    if letter.is_alphanumeric() || letter == '_' {
        Class::Word
    } else if letter.is_whitespace() {
        Class::Space
    } else {
        Class::Other
    }
}

fn length(words: &[&str]) -> usize {
    words.iter().map(|word| word.len()).sum()
}

fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

fn tail_of<'s, 'a>(words: &'s [&'a str], from: usize) -> &'s [&'a str] {
    words.get(from..).unwrap_or_default()
}

fn but_last<'s, 'a>(words: &'s [&'a str], count: usize) -> &'s [&'a str] {
    words.get(..words.len() - count).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Piece::{Added, Removed, Same};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shows_what_changed() {
        assert_eq!(
            diff("use tabs here", "use spaces here"),
            [
                Same("use "),
                Removed("tabs"),
                Added("spaces"),
                Same(" here")
            ]
        );
        assert_eq!(diff("same", "same"), [Same("same")]);
        assert_eq!(diff("", "new"), [Added("new")]);
        assert_eq!(diff("old", ""), [Removed("old")]);
        assert_eq!(diff("", ""), []);
        assert_eq!(
            diff("a b c d", "a c d e"),
            [Same("a "), Removed("b "), Same("c d"), Added(" e")]
        );
    }

    #[test]
    fn a_huge_change_is_still_whole() {
        let (old, new) = ("x y ".repeat(2000), "z w ".repeat(2000));
        let pieces = diff(&old, &new);
        assert!(pieces.len() <= 4, "{}", pieces.len());
    }

    proptest! {
        #[test]
        fn both_texts_can_be_put_together_again(old in "[ab é,\n]{0,40}", new in "[ab é,\n]{0,40}") {
            let (mut olds, mut news) = (String::new(), String::new());
            for piece in diff(&old, &new) {
                match piece {
                    Same(text) => { olds.push_str(text); news.push_str(text); }
                    Removed(text) => olds.push_str(text),
                    Added(text) => news.push_str(text),
                }
            }
            prop_assert_eq!(olds, old);
            prop_assert_eq!(news, new);
        }
    }
}
