//! The envelope of a message without its body: bytes in pieces, a few words kept, everything else only counted. Brackets are
//! counted and not recursed into, so nothing nests too deep.

use memchr::memchr2;
use serde_json::Value;

use super::Envelope;
use crate::wire::Id;

/// The longest method, id or session that is kept, in bytes of JSON.
const KEPT: usize = 512;

/// Where the scan of one line stands.
#[derive(Debug, Default)]
pub(super) struct Scan {
    depth: u64,
    /// Inside a string; the last byte was a backslash.
    string: Option<Escaped>,
    /// The bytes of the string or number that may be wanted.
    token: Option<Vec<u8>>,
    /// The next string of a wanted object is a key.
    key_next: bool,
    outer: Outer,
    /// The object at depth 2 is the one of `params`.
    in_params: bool,
    names_session: bool,
    version: bool,
    envelope: Envelope,
    closed: bool,
    broken: bool,
}

type Escaped = bool;

/// The key of the outermost object that stands before the colon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Outer {
    Version,
    Method,
    Id,
    Params,
    #[default]
    Other,
}

impl Scan {
    /// Takes the next piece of the line.
    pub(super) fn feed(&mut self, mut piece: &[u8]) {
        while let Some((&byte, rest)) = piece.split_first() {
            piece = match self.string {
                Some(escaped) => self.inside(escaped, piece),
                None => {
                    self.outside(byte);
                    rest
                }
            };
        }
    }

    /// The envelope, if the line was an object that looks like a message.
    pub(super) fn end(self) -> Option<Envelope> {
        let message = self.envelope.method.is_some() || self.envelope.answers;
        (self.closed && !self.broken && self.version && message).then_some(self.envelope)
    }

    fn inside<'a>(&mut self, escaped: Escaped, piece: &'a [u8]) -> &'a [u8] {
        if escaped {
            let (one, rest) = piece.split_at(1);
            self.keep(one);
            self.string = Some(false);
            return rest;
        }
        let Some(at) = memchr2(b'"', b'\\', piece) else {
            self.keep(piece);
            return &[];
        };
        let (text, rest) = piece.split_at(at + 1);
        self.keep(text);
        if text.ends_with(b"\\") {
            self.string = Some(true);
        } else {
            self.string = None;
            self.string_ends();
        }
        rest
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b' ' | b'\t' | b'\r' => self.number_ends(),
            _ if self.closed => self.broken = true,
            b'"' => {
                self.string = Some(false);
                self.token = self.wanted().then(|| vec![b'"']);
            }
            b'{' | b'[' => self.opens(byte),
            b'}' | b']' => {
                self.number_ends();
                self.depth = self.depth.saturating_sub(1);
                self.in_params &= self.depth > 1;
                self.closed = self.depth == 0;
            }
            b',' => {
                self.number_ends();
                self.key_next |= self.wanted();
            }
            b':' if self.wanted() => self.key_next = false,
            _ if self.depth == 0 => self.broken = true,
            _ if self.depth == 1 && self.outer == Outer::Id && !self.key_next => {
                self.token.get_or_insert_default();
                self.keep(&[byte]);
            }
            _ => {}
        }
    }

    fn opens(&mut self, byte: u8) {
        self.broken |= self.depth == 0 && byte == b'[';
        if self.depth == 1 && self.outer == Outer::Params && byte == b'{' {
            self.in_params = true;
            self.names_session = false;
        }
        self.depth += 1;
        self.key_next = self.wanted();
    }

    /// Whether the keys and strings here matter.
    fn wanted(&self) -> bool {
        self.depth == 1 || (self.depth == 2 && self.in_params)
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(token) = &mut self.token {
            // One past the limit says that it was passed.
            let room = (KEPT + 1).saturating_sub(token.len());
            token.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        }
    }

    fn take(&mut self) -> Option<Value> {
        let token = self.token.take()?;
        if token.len() > KEPT {
            return None;
        }
        serde_json::from_slice(&token).ok()
    }

    fn string_ends(&mut self) {
        if !self.wanted() {
            return;
        }
        let text = match self.take() {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        match (self.key_next, self.depth) {
            (true, 1) => self.key(text.as_deref().unwrap_or_default()),
            (true, _) => self.names_session = text.as_deref() == Some("sessionId"),
            (false, 1) => self.value(text),
            (false, _) if self.names_session => self.envelope.session = text,
            (false, _) => {}
        }
    }

    fn key(&mut self, key: &str) {
        self.outer = match key {
            "jsonrpc" => Outer::Version,
            "method" => Outer::Method,
            "id" => Outer::Id,
            "params" => Outer::Params,
            _ => Outer::Other,
        };
        self.envelope.answers |= matches!(key, "result" | "error");
    }

    fn value(&mut self, text: Option<String>) {
        match self.outer {
            Outer::Version => self.version = text.as_deref() == Some("2.0"),
            Outer::Method => self.envelope.method = text,
            Outer::Id => self.envelope.id = text.map(Id::Text),
            Outer::Params | Outer::Other => {}
        }
    }

    fn number_ends(&mut self) {
        if self.token.is_some() {
            self.envelope.id = self.take().and_then(|value| Id::read(&value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(line: &str, step: usize) -> Option<Envelope> {
        let mut scan = Scan::default();
        for piece in line.as_bytes().chunks(step) {
            scan.feed(piece);
        }
        scan.end()
    }

    #[test]
    fn fa_27_an_envelope_is_the_same_however_it_is_cut_and_ordered() {
        let wanted = Envelope {
            method: Some("session/request_permission".into()),
            id: Some(Id::Signed(-7)),
            session: Some("s\"1".into()),
            answers: false,
        };
        let lines = [
            r#"{"jsonrpc":"2.0","id":-7,"method":"session/request_permission","params":{"sessionId":"s\"1","toolCall":{"id":9,"sessionId":"no","method":"no"}}}"#,
            r#" { "params" : {"toolCall":{"a":["id",{"id":"}"}]} , "sessionId" : "s\"1","x":"\\"} , "method" : "session\/request_permission","\u0069d": -7 ,"jsonrpc": "2.0" } "#,
        ];
        for line in lines {
            for step in [1, 2, 3, 7, 1000] {
                assert_eq!(scan(line, step), Some(wanted.clone()), "{line} by {step}");
            }
        }
    }

    #[test]
    fn fa_27_an_answer_keeps_its_id() {
        let answer = scan(r#"{"jsonrpc":"2.0","result":{"id":3},"id":"ab"}"#, 5).unwrap();
        assert!(answer.answers && answer.method.is_none());
        assert_eq!(answer.id, Some(Id::Text("ab".into())));
        let null = scan(r#"{"jsonrpc":"2.0","error":{},"id":null}"#, 5).unwrap();
        assert_eq!(null.id, Some(Id::Null));
    }

    #[test]
    fn fa_28_what_is_no_message_has_no_envelope() {
        for line in [
            "",
            "[1]",
            "12",
            r#"{"jsonrpc":"2.0","method":"x""#,
            r#"{"jsonrpc":"2.0","method":"x"} {"#,
            r#"{"jsonrpc":"1.0","method":"x"}"#,
            r#"{"method":"x"}"#,
            r#"{"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","method":"x}"#,
            r#"x{"jsonrpc":"2.0","method":"x"}"#,
        ] {
            assert_eq!(scan(line, 4), None, "{line}");
        }
    }
}
