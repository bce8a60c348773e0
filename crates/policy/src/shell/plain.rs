//! A second, much smaller reader of the same bytes: it takes plain words joined by `&& || ; |`, and nothing else.
//!
//! The grammar knows all of bash; this one knows what is certain. A command line is understood only where both read the
//! same commands out of it, so that a mistake has to be made twice to be one.

use super::word::static_value;
use crate::reason::Why;

/// The commands of a plain command line, in order, each with the values of its words.
pub type Commands = Vec<Vec<Vec<u8>>>;

/// Words that bash takes for grammar where a command begins. `time` is not among them: it is looked through.
const RESERVED: &[&[u8]] = &[
    b"!",
    b"[[",
    b"]]",
    b"case",
    b"coproc",
    b"do",
    b"done",
    b"elif",
    b"else",
    b"esac",
    b"fi",
    b"for",
    b"function",
    b"if",
    b"in",
    b"select",
    b"then",
    b"until",
    b"while",
    b"{",
    b"}",
];

/// Words that set variables of the shell: the grammar has kinds of their own for them.
const DECLARES: &[&[u8]] = &[
    b"declare",
    b"export",
    b"local",
    b"readonly",
    b"typeset",
    b"unset",
    b"unsetenv",
];

/// Reads the bytes.
///
/// # Errors
/// The first thing that is not plain.
pub fn read(text: &[u8]) -> Result<Commands, Why> {
    let mut reader = Reader {
        text,
        at: 0,
        commands: Vec::new(),
        words: Vec::new(),
        command_may_begin: true,
        owes: false,
    };
    while reader.step()? {}
    Ok(reader.commands)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    commands: Commands,
    /// Of the command that is being read.
    words: Vec<Vec<u8>>,
    /// The next word is the name of a command.
    command_may_begin: bool,
    /// `&&`, `||` or `|` was read, and no command since.
    owes: bool,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    /// One token; false at the end.
    fn step(&mut self) -> Result<bool, Why> {
        match (self.peek(0), self.peek(1)) {
            (None, _) => {
                self.end_command(false, true)?;
                return Ok(false);
            }
            (Some(b' ' | b'\t'), _) => self.at += 1,
            (Some(b'\n'), _) => self.separate(1, true)?,
            (Some(b';'), Some(b';' | b'&')) => return Err(Why::Unknown),
            (Some(b';'), _) => self.separate(1, false)?,
            (Some(b'&'), Some(b'&')) => self.join(2)?,
            (Some(b'&'), Some(b'>')) => self.both_to_nothing()?,
            (Some(b'&'), _) => return Err(Why::Background),
            (Some(b'|'), Some(b'|')) => self.join(2)?,
            (Some(b'|'), Some(b'&')) => return Err(Why::Unknown),
            (Some(b'|'), _) => self.join(1)?,
            (Some(b'<' | b'>'), _) => self.redirect()?,
            (Some(b'(' | b')'), _) => return Err(Why::Compound),
            (Some(b'#'), _) => return Err(Why::Comment),
            (Some(_), _) => self.word()?,
        }
        Ok(true)
    }

    fn join(&mut self, length: usize) -> Result<(), Why> {
        self.at += length;
        self.end_command(true, false)
    }

    fn separate(&mut self, length: usize, may_be_empty: bool) -> Result<(), Why> {
        self.at += length;
        self.end_command(false, may_be_empty)
    }

    fn end_command(&mut self, owes: bool, may_be_empty: bool) -> Result<(), Why> {
        if self.words.is_empty() && (self.owes || owes || !may_be_empty) {
            return Err(Why::Unknown);
        }
        if !self.words.is_empty() {
            self.commands.push(std::mem::take(&mut self.words));
        }
        self.owes = owes;
        self.command_may_begin = true;
        Ok(())
    }

    fn word(&mut self) -> Result<(), Why> {
        let start = self.at;
        self.at = end_of_word(self.text, start)?;
        let raw = self.text.get(start..self.at).unwrap_or_default();
        let is_descriptor = raw.iter().all(u8::is_ascii_digit);
        if is_descriptor && matches!(self.peek(0), Some(b'<' | b'>')) {
            // A third descriptor is nobody's business but the program's.
            return match raw {
                b"0" | b"1" | b"2" => self.redirect(),
                _ => Err(Why::Redirection),
            };
        }
        if self.command_may_begin {
            self.name(raw)?;
        }
        self.words.push(static_value(raw)?);
        Ok(())
    }

    /// A word where a command begins: grammar and assignments are not plain.
    fn name(&mut self, raw: &[u8]) -> Result<(), Why> {
        if RESERVED.contains(&raw) {
            return Err(Why::Compound);
        }
        if is_assignment(raw) {
            return Err(Why::Assignment);
        }
        if DECLARES.contains(&raw) {
            return Err(Why::Environment);
        }
        let timed = raw == b"time" || raw == b"-p" && self.words == [b"time"];
        self.command_may_begin = timed;
        Ok(())
    }

    /// `&>/dev/null` and `&>>/dev/null`.
    fn both_to_nothing(&mut self) -> Result<(), Why> {
        self.at += 2;
        if self.peek(0) == Some(b'>') {
            self.at += 1;
        }
        self.nothing()
    }

    fn redirect(&mut self) -> Result<(), Why> {
        // Before the name of a command bash reads on for assignments: too odd to be certain of.
        if self.words.is_empty() {
            return Err(Why::Redirection);
        }
        let operator = (self.peek(0), self.peek(1));
        match operator {
            (_, Some(b'&')) => {
                self.at += 2;
                return self.descriptor();
            }
            (Some(b'>'), Some(b'>')) => self.at += 2,
            (Some(b'<'), Some(b'<')) => return Err(Why::HereDocument),
            (Some(b'<' | b'>'), Some(b'(')) => return Err(Why::Substitution),
            (Some(b'>'), Some(b'|')) | (Some(b'<'), Some(b'>')) => return Err(Why::Redirection),
            _ => self.at += 1,
        }
        self.nothing()
    }

    /// `1`, `2` or `-`, then the end of the word.
    fn descriptor(&mut self) -> Result<(), Why> {
        let end = end_of_word(self.text, self.at)?;
        let raw = self.text.get(self.at..end).unwrap_or_default();
        self.at = end;
        match raw {
            b"0" | b"1" | b"2" | b"-" => Ok(()),
            _ => Err(Why::Redirection),
        }
    }

    fn nothing(&mut self) -> Result<(), Why> {
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let end = end_of_word(self.text, self.at)?;
        let raw = self.text.get(self.at..end).unwrap_or_default();
        self.at = end;
        if raw == b"/dev/null" {
            Ok(())
        } else {
            Err(Why::Redirection)
        }
    }
}

/// Where the word that starts here ends: at a blank or an operator outside of quotes.
fn end_of_word(text: &[u8], start: usize) -> Result<usize, Why> {
    let mut at = start;
    let mut quote = None;
    while let Some(byte) = text.get(at) {
        match (quote, byte) {
            (None, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => break,
            (None | Some(b'"'), b'\\') => at += 1,
            (None, b'\'' | b'"') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
        at += 1;
    }
    if quote.is_some() || at > text.len() {
        return Err(Why::Unfinished);
    }
    Ok(at)
}

/// Whether bash takes an unquoted word for an assignment: `name=`, `name+=`. One with a subscript has a `[`, which is
/// not plain anyway.
pub fn is_assignment(raw: &[u8]) -> bool {
    let name = raw
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    let starts = raw.first().is_some_and(|byte| !byte.is_ascii_digit());
    let rest = raw.get(name..).unwrap_or_default();
    name > 0 && starts && (rest.starts_with(b"=") || rest.starts_with(b"+="))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Vec<String> {
        let shown = |words: Vec<Vec<u8>>| {
            let words: Vec<_> = words
                .iter()
                .map(|word| String::from_utf8_lossy(word).into_owned())
                .collect();
            words.join("·")
        };
        read(text.as_bytes())
            .unwrap()
            .into_iter()
            .map(shown)
            .collect()
    }

    #[test]
    fn pol_05_plain_words_are_read_as_bash_reads_them() {
        assert_eq!(plain("ls -la 'a b' \"c d\" e\\ f"), ["ls·-la·a b·c d·e f"]);
        assert_eq!(
            plain("a && b || c; d | e\nf;"),
            ["a", "b", "c", "d", "e", "f"]
        );
        assert_eq!(plain("r\"\"m ''x"), ["rm·x"]);
        assert_eq!(plain("echo 'a;b' \"c|d\" e\\;f"), ["echo·a;b·c|d·e;f"]);
        assert_eq!(plain("ls 2>&1 >/dev/null 2> /dev/null"), ["ls"]);
        assert_eq!(plain("echo 2 >/dev/null a2>/dev/null"), ["echo·2·a2"]);
        assert_eq!(plain("time -p ls"), ["time·-p·ls"]);
        assert_eq!(plain("grep \"a$\" \"\\$x\""), ["grep·a$·$x"]);
    }

    #[test]
    fn pol_05_what_is_not_plain_has_a_reason() {
        for (text, why) in [
            ("ls $HOME", Why::Expansion),
            ("ls \"$(id)\"", Why::Substitution),
            ("ls `id`", Why::Substitution),
            ("ls *", Why::Glob),
            ("ls {a,b}", Why::Braces),
            ("ls ~", Why::Tilde),
            ("a=1 ls", Why::Assignment),
            ("time a=1 ls", Why::Assignment),
            ("ls &", Why::Background),
            ("ls > out", Why::Redirection),
            ("ls >| out", Why::Redirection),
            ("cat << x", Why::HereDocument),
            ("cat <(ls)", Why::Substitution),
            ("ls # rm", Why::Comment),
            ("l\\\ns", Why::Continuation),
            ("if ls", Why::Compound),
            ("(ls)", Why::Compound),
            ("ls 'a", Why::Unfinished),
            ("ls |& cat", Why::Unknown),
            ("ls &&", Why::Unknown),
            ("; ls", Why::Unknown),
            ("rｍ x", Why::Encoding),
            ("ls $'a'", Why::Expansion),
            ("ls >&3", Why::Redirection),
        ] {
            assert_eq!(read(text.as_bytes()), Err(why), "{text}");
        }
    }
}
