//! Keeping a home: backups and what comes back from them, everything as JSON lines, and erasing (STO-09).

pub mod backup;
pub mod export;
pub mod full;
pub mod purge;
pub mod restore;
