//! Lines longer than the screen, folded here and not by the terminal: what a text of others says never begins where our
//! own words begin.

use std::io;

use taffrail_text::width;

use super::{Output, Table};

/// The margin of a text of others, kept on each of its lines.
pub const MARGIN: &str = "  │ ";
/// Where every other line goes on: further in than our own words begin.
const INDENT: &str = "    ";
/// A screen narrower than this is not folded for: a word a line is no help.
const NARROWEST: usize = 24;

impl Output {
    /// Data for a person: on a terminal folded to its width, elsewhere as it is.
    pub fn page(&self, text: &str) -> io::Result<()> {
        match self.columns() {
            Some(columns) => self.data(fold(text, columns).as_bytes()),
            None => self.data(text.as_bytes()),
        }
    }

    /// A table whose last column may be long: on a terminal each row is cut to its width, elsewhere it is whole.
    pub fn rows(&self, table: &Table) -> io::Result<()> {
        let text = table.render();
        match self.columns() {
            Some(columns) => self.data(shortened(&text, columns).as_bytes()),
            None => self.data(text.as_bytes()),
        }
    }

    /// Columns of stdout, where it is a terminal that is not too narrow to fold for.
    pub fn columns(&self) -> Option<usize> {
        if !self.stdout_is_terminal {
            return None;
        }
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        Some(usize::from(size.ws_col)).filter(|columns| *columns >= NARROWEST)
    }
}

fn shortened(text: &str, columns: usize) -> String {
    text.lines()
        .map(|line| match width(line) > columns {
            true => format!("{}…\n", beginning(line, columns.saturating_sub(1))),
            false => format!("{line}\n"),
        })
        .collect()
}

fn beginning(line: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = line.char_indices().find(|(_, char)| {
        used += width(char.encode_utf8(&mut [0; 4]));
        used > columns
    });
    end.map_or(line, |(at, _)| line.split_at(at).0)
}

/// Each line folded at a blank where there is one, with its margin before what goes on.
fn fold(text: &str, columns: usize) -> String {
    text.lines()
        .map(|line| format!("{}\n", fold_line(line, columns)))
        .collect()
}

fn fold_line(line: &str, columns: usize) -> String {
    let margin = match line.starts_with(MARGIN) {
        true => MARGIN,
        false => INDENT,
    };
    let (mut folded, mut rest, mut first) = (String::new(), line, true);
    while !rest.is_empty() {
        let lead = if first { "" } else { margin };
        let room = columns.saturating_sub(width(lead)).max(1);
        let at = cut(rest, room);
        let (now, later) = rest.split_at(at);
        if !first {
            folded.push('\n');
        }
        folded.push_str(lead);
        // The blank at which a line is folded would only begin an empty one.
        folded.push_str(if later.is_empty() {
            now
        } else {
            now.trim_end_matches(' ')
        });
        rest = later;
        first = false;
    }
    folded
}

/// The byte where a line of so many columns ends: behind its last blank, if that leaves at least half of it.
fn cut(text: &str, room: usize) -> usize {
    let (mut used, mut blank, mut in_colour) = (0, None, false);
    for (at, char) in text.char_indices() {
        if in_colour || char == '\u{1b}' {
            in_colour = char != 'm';
            continue;
        }
        used += width(char.encode_utf8(&mut [0; 4]));
        if used > room && char == ' ' {
            return at + 1;
        }
        if used > room {
            // A character wider than the room stands alone: a line must get shorter.
            return blank.unwrap_or(at.max(if at == 0 { char.len_utf8() } else { 0 }));
        }
        if char == ' ' && used * 2 > room {
            blank = Some(at + 1);
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rev_03_what_goes_on_keeps_its_margin() {
        let text =
            format!("{MARGIN}one two three four five\n  origin    channel operator and more\n");
        assert_eq!(
            fold(&text, 16),
            "  │ one two\n  │ three four\n  │ five\n  origin\n    channel\n    operator and\n    more\n"
        );
    }

    #[test]
    fn rev_03_no_line_is_wider_than_the_screen() {
        let wide = format!("{MARGIN}{}", "金额以分".repeat(20));
        let folded = fold(&wide, 30);
        assert!(
            folded
                .lines()
                .all(|line| width(line) <= 30 && line.starts_with(MARGIN))
        );
        assert_eq!(folded.replace(['\n', ' ', '│'], ""), "金额以分".repeat(20));
    }

    #[test]
    fn cli_01_a_row_is_cut_to_the_screen() {
        let cut = shortened("mem_1  金额以分为单位\nshort\n", 13);
        assert_eq!(cut, "mem_1  金额…\nshort\n");
    }

    #[test]
    fn rev_03_colours_take_no_room() {
        let text = "\u{1b}[1mmem_0123456789\u{1b}[0m  lesson";
        assert_eq!(fold(text, 24), format!("{text}\n"));
    }
}
