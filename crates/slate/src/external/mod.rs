//! External slates: their ids, anchors, seeds and limits, what a call makes of one, and what a closed one proposes.

mod anchors;
mod error;
mod id;
pub mod keryx;
mod propose;
mod record;
mod seed;
mod title;

pub use anchors::{Anchors, AnchorsSent};
pub use error::SlateError;
pub use id::ExternalId;
pub use propose::{Group, groups};
pub use record::Slate;
pub use seed::{Client, Origin, Seed, Trust, idempotency_hash};
pub use title::workspace_title;

/// Longest id, in characters (XSL-04).
pub const ID_LIMIT: usize = 128;
/// Longest `anchors.root`, in characters (XSL-05).
pub const ROOT_LIMIT: usize = 4_096;
/// Most `anchors.touched` (XSL-05).
pub const TOUCHED_LIMIT: usize = 200;
/// Longest of them, in characters.
pub const TOUCHED_ITEM_LIMIT: usize = 1_024;
/// Longest `anchors.note`, in characters.
pub const NOTE_LIMIT: usize = 2_000;
/// Longest text of a seed, in characters, before redaction (XSL-08).
pub const TEXT_LIMIT: usize = 4_000;
/// Most seeds of one slate (XSL-08).
pub const SEEDS_LIMIT: usize = 200;
/// Most open slates of one project (XSL-08).
pub const OPEN_LIMIT: usize = 500;
/// Longest title of a workspace, in characters.
pub const TITLE_LIMIT: usize = 200;
/// Longest idempotency key, in characters.
pub const KEY_LIMIT: usize = 200;
