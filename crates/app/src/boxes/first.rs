//! The paths of the first commit (the operator's uncommitted changes), kept beside its diff until the landing.
//!
//! A line per path: hex of the path, kind, old mode and blob, new mode and blob; `-` for none. Written and read only
//! here, below the home.

use std::str::FromStr;

use taffrail_domain::{Change, ChangeKind, FileMode, Oid, RepoPath};
use taffrail_store::files;

use super::view::Folders;
use crate::AppError;

/// A hundred bytes a path for two million paths.
const LIMIT: u64 = 256 << 20;

/// The bytes of the file.
pub(crate) fn to_bytes(changes: &[Change]) -> Vec<u8> {
    changes.iter().flat_map(line).collect()
}

/// Reads the file of a run.
pub(crate) fn read(folders: &Folders) -> Result<Vec<Change>, AppError> {
    let path = folders.first_changes();
    let bytes = files::read_bounded(&path, LIMIT)?
        .ok_or_else(|| AppError::PatchMissing { path: path.clone() })?;
    let text = String::from_utf8(bytes).map_err(|_| AppError::NotText { path: path.clone() })?;
    text.lines()
        .map(parse)
        .collect::<Option<Vec<_>>>()
        .ok_or(AppError::PatchMissing { path })
}

fn line(change: &Change) -> Vec<u8> {
    let path = taffrail_domain::hex(change.path.as_bytes());
    format!(
        "{path} {} {} {}\n",
        kind(change.kind),
        side(change.old.as_ref()),
        side(change.new.as_ref())
    )
    .into_bytes()
}

fn side(side: Option<&(FileMode, Oid)>) -> String {
    side.map_or_else(
        || "- -".to_owned(),
        |(mode, oid)| format!("{} {oid}", mode.octal()),
    )
}

fn parse(line: &str) -> Option<Change> {
    let mut words = line.split(' ');
    let path = RepoPath::new(unhex(words.next()?)?).ok()?;
    let kind = KINDS
        .into_iter()
        .find(|(_, name)| Some(*name) == words.clone().next())?
        .0;
    words.next();
    let (old, new) = (parse_side(&mut words)?, parse_side(&mut words)?);
    Some(Change {
        path,
        kind,
        old,
        new,
        added: None,
        removed: None,
        flags: Vec::new(),
        refused: None,
    })
}

fn parse_side<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Option<(FileMode, Oid)>> {
    let (mode, oid) = (words.next()?, words.next()?);
    if mode == "-" {
        return Some(None);
    }
    Some(Some((
        FileMode::from_str(mode).ok()?,
        Oid::from_str(oid).ok()?,
    )))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| {
        char::from(*byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let pairs = text.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?))
        .collect()
}

const KINDS: [(ChangeKind, &str); 5] = [
    (ChangeKind::Added, "added"),
    (ChangeKind::Modified, "modified"),
    (ChangeKind::Deleted, "deleted"),
    (ChangeKind::ModeChanged, "mode"),
    (ChangeKind::TypeChanged, "type"),
];

fn kind(kind: ChangeKind) -> &'static str {
    KINDS
        .into_iter()
        .find(|(known, _)| *known == kind)
        .map_or("modified", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_comes_back_as_it_went() {
        let oid = || {
            "0123456789abcdef0123456789abcdef01234567"
                .parse::<Oid>()
                .unwrap()
        };
        let change = |kind, old, new| Change {
            path: RepoPath::new(&b"a dir/\xff\n"[..]).unwrap(),
            kind,
            old,
            new,
            added: None,
            removed: None,
            flags: Vec::new(),
            refused: None,
        };
        for (kind, _) in KINDS {
            let changes = [
                change(kind, Some((FileMode::File, oid())), None),
                change(kind, None, Some((FileMode::Symlink, oid()))),
            ];
            let text = String::from_utf8(to_bytes(&changes)).unwrap();
            let again: Vec<_> = text.lines().map(|line| parse(line).unwrap()).collect();
            assert_eq!(again, changes);
        }
    }
}
