//! Files that are whole or as they were before, whoever else exports the same run at the same time.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use taffrail_store::files;

use crate::AppError;

/// Held by whoever exports the run: a run at its end and the sweep of another process may meet.
const LOCK: &str = ".exports.lock";
/// What a file is called until it is whole. One that a kill left is written over.
const PARTIAL: &str = ".exports.partial";

/// The folder of one run, while it is exported.
pub(super) struct Writer {
    folder: PathBuf,
    _lock: File,
}

impl Writer {
    /// Waits until nobody else exports the run, ten seconds at most.
    pub fn open(folder: &Path) -> Result<Self, AppError> {
        files::make_private_dir(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            _lock: files::lock_private(&folder.join(LOCK))?,
        })
    }

    /// Writes one file.
    pub fn file(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> Result<(), AppError>,
    ) -> Result<PathBuf, AppError> {
        let (partial, path) = (self.folder.join(PARTIAL), self.folder.join(name));
        files::remove(&partial)?;
        let mut out = BufWriter::new(files::create_private_writer(&partial)?);
        write(&mut out)?;
        let failed = |source| AppError::Write {
            path: partial.clone(),
            source,
        };
        out.flush().map_err(failed)?;
        files::finish_writer(out.get_ref(), &partial)?;
        files::put_in_place(&partial, &path)?;
        Ok(path)
    }
}
