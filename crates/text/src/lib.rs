//! Text as a person sees it: escaping of untrusted text, terminal width, packing of long output, word diff.
//!
//! Pure: no IO, no terminal, no locale. Knows nothing of secrets (see `redact`) and nothing of where text came from.
#![forbid(unsafe_code)]

mod escape;
mod packed;
mod scripts;
mod shown;
mod width;
pub mod words;

pub use packed::{Packed, Packer};
pub use shown::Shown;
pub use width::width;
