//! The envelope of every `--json` answer: `{"data":…}` or `{"error":{"code","message","hint"}}`.

use serde::Serialize;

/// What is printed.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Envelope<T> {
    /// It worked.
    Data(T),
    /// It did not.
    Error {
        /// The stable code.
        code: &'static str,
        /// The message.
        message: String,
        /// The command that helps; empty where the message says all.
        hint: String,
    },
}

/// Writes the envelope as one line on stdout.
pub fn print_json<T: Serialize>(
    output: &super::Output,
    envelope: &Envelope<T>,
) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(envelope)?;
    line.push(b'\n');
    output.data(&line)
}
