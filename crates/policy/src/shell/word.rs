//! What one word of a command line is to bash, where that does not depend on anything but the word itself.
//!
//! Only what is certain has a value. Everything that bash would still expand, or could read differently under another
//! locale or option, has none, and the reason why.

use crate::reason::Why;

/// The value of one word as it stands in the text, quotes and all.
///
/// # Errors
/// Why the value is not certain.
pub fn static_value(raw: &[u8]) -> Result<Vec<u8>, Why> {
    let mut word = Word {
        raw,
        at: 0,
        value: Vec::with_capacity(raw.len()),
    };
    while let Some(byte) = word.next() {
        match byte {
            b'\'' => word.single_quotes()?,
            b'"' => word.double_quotes()?,
            b'\\' => word.escape()?,
            _ => word.plain(byte)?,
        }
    }
    Ok(word.value)
}

struct Word<'a> {
    raw: &'a [u8],
    at: usize,
    value: Vec<u8>,
}

impl Word<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = self.raw.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn peek(&self) -> Option<u8> {
        self.raw.get(self.at).copied()
    }

    fn single_quotes(&mut self) -> Result<(), Why> {
        loop {
            match self.next().ok_or(Why::Unfinished)? {
                b'\'' => return Ok(()),
                byte => self.value.push(byte),
            }
        }
    }

    fn double_quotes(&mut self) -> Result<(), Why> {
        let mut before = b'"';
        loop {
            let byte = self.next().ok_or(Why::Unfinished)?;
            // Encodings of the East have letters whose second byte is one of these two.
            if before >= 0x80 && matches!(byte, b'\\' | b'`') {
                return Err(Why::Encoding);
            }
            match byte {
                b'"' => return Ok(()),
                b'`' => return Err(Why::Substitution),
                b'$' => self.dollar_in_quotes()?,
                b'\\' => self.escape_in_quotes()?,
                _ => self.value.push(byte),
            }
            before = byte;
        }
    }

    /// A `$` before something that names no variable is a `$`.
    fn dollar_in_quotes(&mut self) -> Result<(), Why> {
        match self.peek() {
            Some(b'"' | b' ' | b'|' | b')' | b'/') => {
                self.value.push(b'$');
                Ok(())
            }
            Some(b'(') => Err(Why::Substitution),
            _ => Err(Why::Expansion),
        }
    }

    fn escape_in_quotes(&mut self) -> Result<(), Why> {
        match self.next().ok_or(Why::Unfinished)? {
            b'\n' => Err(Why::Continuation),
            byte @ (b'$' | b'`' | b'"' | b'\\') => {
                self.value.push(byte);
                Ok(())
            }
            byte => {
                self.value.extend([b'\\', byte]);
                Ok(())
            }
        }
    }

    fn escape(&mut self) -> Result<(), Why> {
        match self.next().ok_or(Why::Unfinished)? {
            b'\n' => Err(Why::Continuation),
            byte if byte >= 0x80 => Err(Why::Encoding),
            byte => {
                self.value.push(byte);
                Ok(())
            }
        }
    }

    fn plain(&mut self, byte: u8) -> Result<(), Why> {
        match byte {
            b'$' if self.peek() == Some(b'(') => Err(Why::Substitution),
            b'$' => Err(Why::Expansion),
            b'`' => Err(Why::Substitution),
            b'*' | b'?' | b'[' => Err(Why::Glob),
            b'{' | b'}' if self.raw != b"{}" => Err(Why::Braces),
            b'~' if self.expands_tilde() => Err(Why::Tilde),
            b'#' if self.at == 1 => Err(Why::Comment),
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => {
                Err(Why::Unknown)
            }
            byte if byte >= 0x80 => Err(Why::Encoding),
            byte => {
                self.value.push(byte);
                Ok(())
            }
        }
    }

    /// At the start of a word, and after `=` or `:`, where bash expands it in words that look like assignments.
    fn expands_tilde(&self) -> bool {
        let before = self.at.checked_sub(2).and_then(|at| self.raw.get(at));
        matches!(before, None | Some(b'=' | b':'))
    }
}
