//! The name in a ClientHello (RFC 8446, 4.1.2; RFC 6066, 3), read strictly: what two readers could read in two ways is
//! no hello that we take. Of an encrypted hello (ECH) the outer name is read.

/// Most bytes of a hello. A usual one has 300 to 2,000; one with keys against quantum computers and tickets 4,000.
const LONGEST: usize = 16 << 10;
/// Bytes before the body: the kind of the message and its length.
const BEFORE: usize = 4;

const CLIENT_HELLO: usize = 1;
const SERVER_NAME: usize = 0;
const HOST_NAME: usize = 0;

/// The message is no hello, or not as it must be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// The length of a hello whose first bytes these are, with what stands before its body. `None`: more is needed.
pub(crate) fn length(bytes: &[u8]) -> Result<Option<usize>, Malformed> {
    let mut reader = Reader(bytes);
    match reader.number(1) {
        None => return Ok(None),
        Some(kind) if kind != CLIENT_HELLO => return Err(Malformed),
        Some(_) => {}
    }
    match reader.number(3) {
        None => Ok(None),
        Some(body) if body > LONGEST => Err(Malformed),
        Some(body) => Ok(Some(BEFORE + body)),
    }
}

/// Whether bytes that may be encrypted begin as a hello does, as far as they go: kind, length, and the version that
/// every hello has had since TLS 1.2. Of encrypted ones, one in 2^34 does.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    let fixed = [Some(1), Some(0), None, None, Some(3), Some(3)];
    let fits = |(byte, fixed): (&u8, Option<u8>)| fixed.is_none_or(|fixed| *byte == fixed);
    bytes.iter().zip(fixed).all(fits)
}

/// The name that a whole hello asks for; none where it names nobody.
pub(crate) fn name(hello: &[u8]) -> Result<Option<&[u8]>, Malformed> {
    let named = server_name(Reader(hello)).ok_or(Malformed)?;
    let one = |data| one_name(data).ok_or(Malformed);
    named.map(one).transpose()
}

/// The data of the one extension that names somebody. The outer `None`: it is cut, or goes on, or names twice.
fn server_name(mut hello: Reader<'_>) -> Option<Option<Reader<'_>>> {
    let (kind, mut body) = (hello.number(1)?, hello.list(3)?);
    if kind != CLIENT_HELLO || !hello.is_empty() {
        return None;
    }
    let (_version, _random) = (body.take(2)?, body.take(32)?);
    let (_session, _ciphers, _compression) = (body.list(1)?, body.list(2)?, body.list(1)?);
    let mut named = None;
    if body.is_empty() {
        return Some(named);
    }
    let mut extensions = body.list(2)?;
    while !extensions.is_empty() {
        let (kind, data) = (extensions.number(2)?, extensions.list(2)?);
        if kind == SERVER_NAME && named.replace(data).is_some() {
            return None;
        }
    }
    body.is_empty().then_some(named)
}

/// The list of names, which holds one. There has never been another kind than the host's.
fn one_name(mut data: Reader<'_>) -> Option<&[u8]> {
    let mut names = data.list(2)?;
    let (kind, name) = (names.number(1)?, names.list(2)?);
    let is_one = kind == HOST_NAME && names.is_empty() && data.is_empty();
    (is_one && !name.is_empty()).then_some(name.0)
}

/// Bytes from the front. What is not there is `None`.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    /// A number of up to three bytes, the highest first.
    fn number(&mut self, bytes: usize) -> Option<usize> {
        let bytes = self.take(bytes)?;
        Some(
            bytes
                .iter()
                .fold(0, |number, byte| number << 8 | usize::from(*byte)),
        )
    }

    /// Bytes behind their length, which has `bytes` bytes.
    fn list(&mut self, bytes: usize) -> Option<Self> {
        let length = self.number(bytes)?;
        self.take(length).map(Self)
    }

    const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
#[path = "hello_tests.rs"]
pub(crate) mod tests;
