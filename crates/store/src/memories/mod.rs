//! Governed memories on record: written by one door, read with their texts, erased whole (30-memory.md).

mod erase;
mod list;
mod model;
mod read;

pub use model::{
    MemoryCursor, MemoryFilter, MemoryPage, MemoryRow, NeighbourRow, Outcome, ReviewRow,
    StatusCount, TextRow, Whose, Written,
};

pub(crate) use erase::{erase, erase_project};
pub(crate) use read::{by_id, by_seq, memory_seq};
