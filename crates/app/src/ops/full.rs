//! What to say when a file system is full: which one, and what of the home can go (STO-07).

use std::path::Path;

use taffrail_confine::fs::FsError;
use taffrail_domain::ErrorCode;
use taffrail_store::{ArchiveError, HomeError, StoreError, room};

use crate::AppError;

/// Which file system is full and what to prune; none for an error of another kind, or one that names no place.
pub fn advice(error: &AppError) -> Option<String> {
    if error.code() != ErrorCode::DiskFull {
        return None;
    }
    let path = place(error)?;
    let is_home = |folder: &&Path| folder.join("taffrail.db").exists();
    let home = path.ancestors().find(is_home).unwrap_or(path);
    Some(room(path, home).advice())
}

fn place(error: &AppError) -> Option<&Path> {
    match error {
        AppError::Store(error) | AppError::Archive(ArchiveError::Store(error)) => in_store(error),
        AppError::Home(HomeError::Io { path, .. })
        | AppError::Archive(ArchiveError::NoRoom { path, .. })
        | AppError::Files(FsError::DiskFull { path })
        | AppError::DiskFull { path, .. }
        | AppError::Write { path, .. } => Some(path),
        _ => None,
    }
}

fn in_store(error: &StoreError) -> Option<&Path> {
    match error {
        StoreError::DiskFull { path } | StoreError::Home(HomeError::Io { path, .. }) => Some(path),
        _ => None,
    }
}
