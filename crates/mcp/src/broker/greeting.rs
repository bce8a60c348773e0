//! The first line of each direction, which no message of the protocol can be: it begins with no bracket.

use std::fmt::Write as _;

/// The longest greeting or reply, in bytes.
pub const GREETING_LIMIT: usize = 512;

/// What both lines begin with: the program, and the version of this exchange.
const WORD: &str = "taffrail-broker 1 ";
const TOKEN_BYTES: usize = 32;
const NONCE_BYTES: usize = 16;

/// What a pipe says first: that it knows the run's token, and a number of its own to know its reply by. Another pipe may
/// have died in the middle of a line, and left answers behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Greeting {
    /// The run's token.
    pub token: [u8; TOKEN_BYTES],
    /// The pipe's number, random.
    pub nonce: [u8; NONCE_BYTES],
}

/// What it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Messages may follow.
    Welcome,
    /// Nothing will be answered, for this reason.
    Refused(String),
}

impl Greeting {
    /// The bytes: the end of whatever line was cut off, and the line.
    pub fn to_bytes(self) -> Vec<u8> {
        let (token, nonce) = (hex(&self.token), hex(&self.nonce));
        format!("\n{WORD}{token} {nonce}\n").into_bytes()
    }

    /// The greeting of a line, without its newline.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let (token, nonce) = line.strip_prefix(WORD)?.split_once(' ')?;
        Some(Self {
            token: bytes(token)?,
            nonce: bytes(nonce)?,
        })
    }

    /// Whether its token is this one, in a time that does not tell how much of it is right.
    pub(super) fn knows(&self, token: &[u8; TOKEN_BYTES]) -> bool {
        let differs = self
            .token
            .iter()
            .zip(token)
            .fold(0, |all, (a, b)| all | (a ^ b));
        std::hint::black_box(differs) == 0
    }

    /// The reply to this greeting, with its newline.
    pub(super) fn answered(&self, reply: &Reply) -> Vec<u8> {
        let nonce = hex(&self.nonce);
        match reply {
            Reply::Welcome => format!("{WORD}{nonce} ok\n"),
            Reply::Refused(why) => format!("{WORD}{nonce} no {why}\n"),
        }
        .into_bytes()
    }

    /// The reply that a line is, where it is one to this greeting.
    pub fn reply(&self, line: &[u8]) -> Option<Reply> {
        let line = std::str::from_utf8(line).ok()?;
        let rest = line.strip_prefix(WORD)?.strip_prefix(&hex(&self.nonce))?;
        match rest.strip_prefix(" no ") {
            Some(why) => Some(Reply::Refused(why.to_owned())),
            None => (rest == " ok").then_some(Reply::Welcome),
        }
    }
}

/// Whether a line that begins so may be a greeting.
pub(super) fn may_greet(begin: &[u8]) -> bool {
    let word = WORD.as_bytes();
    let shared = begin.len().min(word.len());
    begin.get(..shared) == word.get(..shared)
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // A string takes every write.
        write!(text, "{byte:02x}").ok();
    }
    text
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_hex = text.bytes().all(|at| at.is_ascii_hexdigit());
    if text.len() != N * 2 || !is_hex {
        return None;
    }
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate() {
        let digits = text.get(at * 2..at * 2 + 2)?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(bytes)
}
