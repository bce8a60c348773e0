//! `taffrail export --all`: everything on record as JSON lines.

use std::io::Write;

use taffrail_memory::journal::{EventKind, Facts};
use taffrail_store::Exported;

use crate::{App, AppError};

/// Writes every row as a JSON line. The journal says that it was done, once it is.
///
/// # Errors
/// `Output` when the output fails; `Store`.
pub fn all(app: &App, out: &mut dyn Write) -> Result<Exported, AppError> {
    let mut failed = None;
    let mut out = Kept {
        out,
        failed: &mut failed,
    };
    let exported = app.store.export(&app.redactor, &mut out);
    if let Some(source) = failed {
        return Err(AppError::Output(source));
    }
    let exported = exported?;
    let lines = i64::try_from(exported.lines).unwrap_or(i64::MAX);
    let facts = Facts::new().number("lines", lines);
    app.store.record_event(EventKind::Exported, None, facts)?;
    Ok(exported)
}

/// Keeps the output's own error: a reader that went away is no failure of the store.
struct Kept<'a> {
    out: &'a mut dyn Write,
    failed: &'a mut Option<std::io::Error>,
}

impl Write for Kept<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes);
        self.keep(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let flushed = self.out.flush();
        self.keep(flushed)
    }
}

impl Kept<'_> {
    fn keep<T>(&mut self, result: std::io::Result<T>) -> std::io::Result<T> {
        result.map_err(|source| {
            let kind = source.kind();
            if kind != std::io::ErrorKind::Interrupted {
                *self.failed = Some(source);
            }
            kind.into()
        })
    }
}
