//! `taffrail export --all`: everything as JSON lines.

use std::io::{BufWriter, Write};

use taffrail_app::AppError;
use taffrail_app::ops::export;
use taffrail_domain::ExitCode;
use taffrail_store::files;
use taffrail_text::Shown;

use super::Ending;
use crate::cli::ExportAllArgs;
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &ExportAllArgs) -> Ending {
    let app = invocation.open()?;
    let exported = match &args.file {
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            let exported = export::all(&app, &mut out)?;
            out.flush()?;
            exported
        }
        Some(path) => {
            let path = app.inputs.cwd.join(path);
            let file = files::create_private_writer(&path).map_err(AppError::from)?;
            let mut out = BufWriter::new(file);
            let exported = export::all(&app, &mut out)?;
            out.flush()?;
            files::finish_writer(out.get_ref(), &path).map_err(AppError::from)?;
            exported
        }
    };
    if let Some(path) = &args.file {
        let path = path.display().to_string();
        let count = exported.lines;
        invocation
            .output
            .say(&format!("{count} lines in {}", Shown::line(&path)));
    }
    if exported.masked > 0 {
        let count = exported.masked;
        invocation.output.say(&format!(
            "{count} text(s) held something secret-shaped and are masked"
        ));
    }
    Ok(ExitCode::Done)
}
