//! Where the files of slates lie, for what goes over all of them: backups, purges, repairs. No `slate.*` call comes here.

use std::fs;
use std::path::{Path, PathBuf};

use taffrail_slate::external::ExternalId;

use crate::{Home, SlateFolder};

/// The folder with all of them, as it is called in an archive.
pub(crate) const ALL: &str = "external-slates";
/// Where closed ones lie in the folder of their scope.
pub(crate) const CLOSED: &str = "closed";

/// The folder of those outside of every project.
pub(crate) fn personal(home: &Home) -> PathBuf {
    SlateFolder::new(home, None).path().to_owned()
}

/// Whether it is the name of an open slate's file, or of one that was set aside: `<stem>.json`, `<stem>.corrupt-<time>`.
pub(crate) fn is_live(name: &str) -> bool {
    let aside = || name.split_once(".corrupt-").map(|(stem, _)| stem);
    let stem = name.strip_suffix(".json").or_else(aside);
    stem.is_some_and(|stem| ExternalId::from_file_stem(stem).is_some())
}

/// The id and generation whose closed file has this name: `<stem>.<generation>.json`, or `<stem>.<generation>-<n>.json` where
/// another had that.
pub(crate) fn closed_slate(name: &str) -> Option<(ExternalId, u32)> {
    let (stem, number) = name.strip_suffix(".json")?.rsplit_once('.')?;
    let number = number.split_once('-').map_or(number, |(number, _)| number);
    Some((ExternalId::from_file_stem(stem)?, number.parse().ok()?))
}

/// What a folder holds, sorted; nothing where it is missing.
pub(crate) fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The last part of a path; empty where it has none.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xsl_04_names_of_slates_are_told_apart() {
        let capital: ExternalId = "CON-a".parse().unwrap();
        let stem = capital.file_stem();
        assert_eq!(
            closed_slate(&format!("{stem}.12.json")),
            Some((capital.clone(), 12))
        );
        assert_eq!(
            closed_slate(&format!("{stem}.12-3.json")),
            Some((capital, 12))
        );
        assert!(is_live(&format!("{stem}.json")) && is_live("a.corrupt-20260801-143005"));
        for no in [
            "a.json",
            "a.x.json",
            "a..1.json",
            ".1.json",
            "a.1.tmp",
            "a.-1.json",
            "A.1.json",
        ] {
            assert_eq!(closed_slate(no), None, "{no}");
        }
        for no in [
            "locks",
            "closed",
            "a.0123456789abcdef.tmp",
            "A.json",
            ".json",
            "a.1.json",
        ] {
            assert!(!is_live(no), "{no}");
        }
    }
}
