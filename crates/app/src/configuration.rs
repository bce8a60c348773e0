//! `taffrail config`: where the file lies, what is in force, an editor on it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use taffrail_config::Row;
use taffrail_confine::env::ChildEnv;
use taffrail_confine::foreground;
use taffrail_confine::sandbox;
use taffrail_domain::Ended;
use taffrail_store::files;

use crate::context::{find_home, read_config};
use crate::{AppError, AppInputs};

/// What a new file says, so that an editor does not open on nothing.
const TEMPLATE: &str =
    "# Taffrail's configuration. Every key, its default and its meaning: docs/config.md\n";

/// Where the file of the home in use lies, whether it is there or not.
pub fn path(inputs: &AppInputs) -> Result<PathBuf, AppError> {
    Ok(find_home(inputs)?.config())
}

/// Every value in force with where it comes from.
pub fn rows(inputs: &AppInputs) -> Result<Vec<Row>, AppError> {
    let home = find_home(inputs)?;
    Ok(taffrail_config::show(&read_config(inputs, &home)?))
}

/// Opens the person's editor on the file and checks afterwards that it is understood.
pub fn edit(inputs: &AppInputs) -> Result<(), AppError> {
    let home = find_home(inputs)?;
    home.create()?;
    let path = home.config();
    if files::read_bounded(&path, crate::context::CONFIG_LIMIT)?.is_none() {
        files::write_private(&path, TEMPLATE.as_bytes())?;
    }
    open_editor(inputs, &path)?;
    read_config(inputs, &home).map(|_| ())
}

/// `$VISUAL`, else `$EDITOR`, else vi; words after the first are its arguments.
pub(crate) fn open_editor(inputs: &AppInputs, path: &Path) -> Result<(), AppError> {
    let named = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| inputs.environment.get(name));
    let line = named.map_or_else(
        || "vi".to_owned(),
        |line| line.to_string_lossy().into_owned(),
    );
    let mut words = line.split_whitespace().map(OsString::from);
    let name = words.next().unwrap_or_else(|| "vi".into());
    let search = inputs.environment.get("PATH").unwrap_or_default();
    let program =
        sandbox::resolve_command(&name, search, &inputs.cwd).map_err(|error| AppError::Editor {
            editor: line.clone(),
            how: error.to_string(),
        })?;
    let args: Vec<OsString> = words.chain([path.as_os_str().to_owned()]).collect();
    let all: Vec<String> = inputs
        .environment
        .names()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let env = ChildEnv::cleared().pass(&inputs.environment, &all);
    match foreground::run(&program, &args, &env) {
        Ok(Ended::Exited(0)) => Ok(()),
        Ok(ended) => Err(AppError::Editor {
            editor: line,
            how: ended.to_string(),
        }),
        Err(error) => Err(AppError::Editor {
            editor: line,
            how: error.to_string(),
        }),
    }
}
