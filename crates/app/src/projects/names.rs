//! A name for a project that nobody named: its folder's, made valid, made unique.

use std::path::Path;

use taffrail_store::ProjectName;

use crate::{App, AppError};

/// Characters of a name.
const LONGEST: usize = 64;
/// What a folder is called whose name has no letter to begin with.
const NAMELESS: &str = "project";

/// A name that no project has.
pub(super) fn free(app: &App, root: &Path) -> Result<ProjectName, AppError> {
    let folder = root.file_name().unwrap_or_default().to_string_lossy();
    // A folder that is called like a secret gives no name.
    let cleaned = app.redactor.clean(&folder);
    let base = if cleaned.as_str() == folder {
        valid(&folder)
    } else {
        NAMELESS.to_owned()
    };
    let mut number = 1_u32;
    loop {
        let name = numbered(&base, number);
        if app.store.project_by_name(&name)?.is_none() {
            return Ok(ProjectName::new(&app.redactor.clean(&name))?);
        }
        number += 1;
    }
}

/// Lower case, what is not allowed becomes `-`, a letter first.
fn valid(folder: &str) -> String {
    let plain: String = folder
        .to_lowercase()
        .chars()
        .map(|at| match at {
            'a'..='z' | '0'..='9' | '-' | '_' | '.' => at,
            _ => '-',
        })
        .collect();
    let begins = plain.trim_start_matches(|at: char| !at.is_ascii_lowercase());
    let name: String = begins
        .trim_end_matches(['-', '.', '_'])
        .chars()
        .take(LONGEST)
        .collect();
    if name.is_empty() || name.starts_with("prj_") {
        NAMELESS.to_owned()
    } else {
        name
    }
}

fn numbered(base: &str, number: u32) -> String {
    if number == 1 {
        return base.to_owned();
    }
    let end = format!("-{number}");
    let room = LONGEST - end.len();
    format!("{}{end}", base.get(..room.min(base.len())).unwrap_or(base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nb_01_a_folder_gives_a_valid_name() {
        for (folder, name) in [
            ("taffrail", "taffrail"),
            ("My App", "my-app"),
            ("2048", "project"),
            ("3d-view", "d-view"),
            ("-x-", "x"),
            ("Ünïcode", "n-code"),
            ("箱", "project"),
            ("", "project"),
            ("prj_abc", "project"),
            ("a.b_c", "a.b_c"),
        ] {
            assert_eq!(valid(folder), name, "{folder}");
        }
        assert_eq!(valid(&"a".repeat(80)).len(), LONGEST);
        assert_eq!(numbered(&"a".repeat(64), 12).len(), LONGEST);
        assert_eq!(numbered("x", 2), "x-2");
    }
}
