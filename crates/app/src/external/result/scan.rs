//! Where an object of JSON ends, in one pass over its bytes and without holding any of it.

/// Objects and lists within each other: more than any document has, and less than what reads it takes.
const DEPTH: usize = 64;

/// How far a look at an object went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scanned {
    /// It has so many bytes. Its strings and numbers may still be none.
    Whole(usize),
    /// After so many bytes it is none.
    Broken(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Object,
    List,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

/// The object at the beginning of a text.
pub(super) fn object(text: &[u8]) -> Scanned {
    let mut open: Vec<Open> = Vec::new();
    let mut expect = Expect::Value;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let next = match (expect, byte) {
            (Expect::Value | Expect::ValueOrEnd, b'{' | b'[') if open.len() < DEPTH => {
                at += 1;
                let is_object = byte == b'{';
                open.push(if is_object { Open::Object } else { Open::List });
                Some(if is_object {
                    Expect::KeyOrEnd
                } else {
                    Expect::ValueOrEnd
                })
            }
            // An object is asked for, and nothing else.
            (Expect::Value | Expect::ValueOrEnd, _)
                if !open.is_empty() && !b"]}{[".contains(&byte) =>
            {
                scalar(text, &mut at).then_some(Expect::CommaOrEnd)
            }
            (Expect::Key | Expect::KeyOrEnd, b'"') => {
                string(text, &mut at).then_some(Expect::Colon)
            }
            (Expect::Colon, b':') => {
                at += 1;
                Some(Expect::Value)
            }
            (Expect::CommaOrEnd, b',') => {
                at += 1;
                match open.last() {
                    Some(Open::Object) => Some(Expect::Key),
                    Some(Open::List) => Some(Expect::Value),
                    None => None,
                }
            }
            (Expect::CommaOrEnd | Expect::KeyOrEnd, b'}') => {
                closed(&mut open, Open::Object, &mut at)
            }
            (Expect::CommaOrEnd | Expect::ValueOrEnd, b']') => {
                closed(&mut open, Open::List, &mut at)
            }
            _ => None,
        };
        match next {
            Some(next) => expect = next,
            None => return Scanned::Broken(at + 1),
        }
        if open.is_empty() {
            return Scanned::Whole(at);
        }
    }
    Scanned::Broken(at + 1)
}

fn closed(open: &mut Vec<Open>, which: Open, at: &mut usize) -> Option<Expect> {
    *at += 1;
    (open.pop()? == which).then_some(Expect::CommaOrEnd)
}

/// A string, or a run of the characters that numbers and words have.
fn scalar(text: &[u8], at: &mut usize) -> bool {
    if text.get(*at) == Some(&b'"') {
        return string(text, at);
    }
    let begin = *at;
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    while text.get(*at).is_some_and(plain) {
        *at += 1;
    }
    *at > begin
}

/// A string to its end; no line break is in one.
fn string(text: &[u8], at: &mut usize) -> bool {
    *at += 1;
    while let Some(&byte) = text.get(*at) {
        match byte {
            b'"' => {
                *at += 1;
                return true;
            }
            b'\\' => *at += 2,
            0..0x20 => return false,
            _ => *at += 1,
        }
    }
    false
}
