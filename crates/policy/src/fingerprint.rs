//! What an approval is bound to: a fingerprint over everything that a person was shown and everything that tells one
//! question from every other (POL-07). An answer counts for the question whose fingerprint it echoes, and for no other.

use sha2::{Digest, Sha256};
use taffrail_domain::{Action, Risk};

/// Tells these hashes from every other use of SHA-256. A change of the layout below changes this.
const DOMAIN: &[u8] = b"taffrail question v1";

/// Everything that an answer is bound to.
#[derive(Debug, Clone, Copy)]
pub struct Fingerprinted<'a> {
    /// The sixteen bytes of the session's id.
    pub session: [u8; 16],
    /// The request's id within the session, as its sender wrote it.
    pub request: &'a str,
    /// The policy's risk.
    pub risk: Risk,
    /// Whether it takes away what cannot easily be brought back.
    pub destructive: bool,
    /// The exact bytes of the action ([`action_bytes`]).
    pub action: &'a [u8],
    /// Everything else that a person is shown of it and decides by, such as the path and the new content of each diff.
    pub details: &'a [&'a [u8]],
    /// The working directory.
    pub cwd: &'a [u8],
    /// The answers that are offered, in their order.
    pub offered: &'a [&'a str],
    /// Random, so that the same question asked twice is two questions.
    pub nonce: [u8; 16],
}

/// SHA-256 over the domain's tag and every field, each with its length before it: no two different sets of fields are the
/// same bytes.
pub fn fingerprint(of: &Fingerprinted<'_>) -> [u8; 32] {
    let mut fields = Fields(Sha256::new());
    fields.put(DOMAIN);
    fields.put(&of.session);
    fields.put(of.request.as_bytes());
    fields.put(of.risk.name().as_bytes());
    fields.put(&[u8::from(of.destructive)]);
    fields.put(of.action);
    fields.list(of.details);
    fields.put(of.cwd);
    let offered: Vec<&[u8]> = of.offered.iter().map(|answer| answer.as_bytes()).collect();
    fields.list(&offered);
    fields.put(&of.nonce);
    fields.0.finalize().into()
}

/// The exact bytes of an action: its kind, then each of its parts with its length. Two actions that differ in one byte, in
/// the order of their paths, or in where one path ends and the next begins, differ here.
pub fn action_bytes(action: &Action) -> Vec<u8> {
    let mut bytes = Bytes(Vec::new());
    match action {
        Action::Read { paths } => bytes.word("read").list(paths),
        Action::Write { paths, removes } => bytes.word("write").list(paths).list(removes),
        Action::Shell { command, paths } => bytes.word("shell").part(command).list(paths),
        Action::Network { host } => bytes.word("network").part(host.as_bytes()),
        Action::Delegate { agent } => bytes.word("delegate").part(agent.as_bytes()),
        Action::OwnTool { tool, paths } => bytes.word("own-tool").part(tool.as_bytes()).list(paths),
        Action::Unknown { what, paths } => bytes.word("unknown").part(what.as_bytes()).list(paths),
    };
    bytes.0
}

/// A length as eight bytes, most significant first: the same on every machine.
fn length(of: usize) -> [u8; 8] {
    u64::try_from(of).unwrap_or(u64::MAX).to_be_bytes()
}

struct Fields(Sha256);

impl Fields {
    fn put(&mut self, field: &[u8]) {
        self.count(field.len());
        self.0.update(field);
    }

    fn count(&mut self, of: usize) {
        self.0.update(length(of));
    }

    fn list(&mut self, fields: &[&[u8]]) {
        self.count(fields.len());
        fields.iter().for_each(|field| self.put(field));
    }
}

struct Bytes(Vec<u8>);

impl Bytes {
    fn word(&mut self, word: &'static str) -> &mut Self {
        self.part(word.as_bytes())
    }

    fn part(&mut self, part: &[u8]) -> &mut Self {
        self.0.extend(length(part.len()));
        self.0.extend(part);
        self
    }

    fn list(&mut self, parts: &[Vec<u8>]) -> &mut Self {
        self.0.extend(length(parts.len()));
        for part in parts {
            self.part(part);
        }
        self
    }
}
