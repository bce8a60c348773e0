//! Governed memories on record: written by one door, read with their texts, erased whole (30-memory.md).

mod erase;
mod hits;
pub(crate) mod index;
mod list;
mod model;
pub(crate) mod near;
mod read;
mod write;

pub use hits::HitRow;
pub use model::{
    MemoryCursor, MemoryFilter, MemoryPage, MemoryRow, NeighbourRow, Outcome, ReviewRow,
    StatusCount, TextRow, Whose, Written,
};

pub use write::{BlockedDraft, NewMemory};

pub(crate) use erase::{erase, erase_project};
pub(crate) use read::{by_id, by_seq, hash_of, memory_seq, project_of, rekey};
pub(crate) use write::{insert_text, put_all, record_blocked};
