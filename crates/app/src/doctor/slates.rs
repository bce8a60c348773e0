//! What the doctor sees of slates: what waits for a person, and files that are none of ours (XSL-14). Looks only.

use std::path::Path;

use taffrail_store::{Counts, Home, SlateFolder, StoreError, Survey};

use super::keeping::named;
use super::{Finding, bad, good, warning};

/// What other programs' slates brought, and the command that goes on with what nobody has decided on.
pub(super) fn waiting(counts: &Counts) -> Option<Finding> {
    let (proposals, unbound) = (counts.proposals, counts.unbound);
    if counts.workspaces == 0 && (proposals, unbound) == (0, 0) {
        return None;
    }
    let next = match (proposals, unbound) {
        (0, 0) => "",
        _ => ": taffrail workspace catch-up",
    };
    let saw = format!(
        "{} active, proposals to review {proposals}, unbound candidates {unbound}{next}",
        counts.workspaces
    );
    Some(good("workspaces", saw))
}

/// The files of slates, in every scope.
pub(super) fn files(home: &Home) -> Vec<Finding> {
    let surveys: Result<Vec<Survey>, StoreError> = SlateFolder::all(home)
        .and_then(|folders| folders.iter().map(SlateFolder::survey).collect());
    match surveys {
        Ok(surveys) => of(&surveys),
        Err(error) => vec![bad("slates", &error.into(), "taffrail doctor --repair")],
    }
}

fn of(surveys: &[Survey]) -> Vec<Finding> {
    let shown = |path: &Path| path.display().to_string();
    let malformed = surveys.iter().flat_map(|survey| &survey.malformed);
    let malformed = malformed.map(|one| format!("{} ({})", shown(&one.path), one.why));
    let aside = surveys.iter().flat_map(|survey| &survey.set_aside);
    let strange = surveys.iter().flat_map(|survey| &survey.strange);
    let paths = |paths: Vec<&std::path::PathBuf>| paths.iter().map(|path| shown(path)).collect();
    let mut findings: Vec<Finding> = [
        (
            "slate file(s) that cannot be read",
            malformed.collect(),
            "slate.open of that id sets the file aside; or move it away",
        ),
        (
            "damaged slate file(s) set aside by slate.open",
            paths(aside.collect()),
            "look at what is left in them, then remove them",
        ),
        (
            "file(s) among the slates that are none",
            paths(strange.collect()),
            "move them away",
        ),
    ]
    .into_iter()
    .filter_map(|(what, names, fix)| named("slates", what, names, fix))
    .collect();
    let open: usize = surveys.iter().map(|survey| survey.open).sum();
    if findings.is_empty() && open > 0 {
        findings.push(good("slates", format!("{open} open, each can be read")));
    }
    findings.extend(left(surveys));
    findings
}

/// Closed on record, and their file not moved yet: a process was killed there.
fn left(surveys: &[Survey]) -> Option<Finding> {
    let left: usize = surveys.iter().map(|survey| survey.closed_left).sum();
    let saw = format!("{left} closed slate(s) not moved away yet: the next slate call does");
    (left > 0).then(|| warning("slates", saw, "none needed: nothing of them is lost"))
}
