//! Connecting: every file is looked at before the first one is written, and each write is on record before it is made.

use std::path::PathBuf;

use taffrail_confine::fs::{Swapped, lock_folder, missing_folders, remove_empty};
use taffrail_store::{ConnectionRow, NewConnection};

use super::document::Format;
use super::file::{Seen, State, fault, record_of, rows_of};
use super::places::{Target, targets};
use super::record::{Earlier, PieceRecord, Record, hash, mark};
use super::splice::Splice;
use super::unfit::Unfit;
use super::{FileReport, Outcome, Program, Wanted, diff};
use crate::{App, AppError};

/// How often a file may change under our hands before it is left alone.
const TRIES: usize = 8;

/// What is to be done with one file.
struct Plan {
    seen: Seen,
    outcome: Outcome,
    step: Option<Step>,
}

struct Step {
    text: String,
    before_hash: Option<[u8; 32]>,
    record: Record,
    folders: Vec<PathBuf>,
}

/// What a file would hold without us.
struct Base {
    text: Option<String>,
    earlier: Option<Earlier>,
}

/// Writes our entry into a program's configuration, and what else belongs to it. With `dry_run` nothing is written.
///
/// # Errors
/// `Unfit` where a file cannot be changed safely or has an entry of our name that is not ours; then none was changed.
pub fn connect(app: &App, program: Program, wanted: Wanted) -> Result<Vec<FileReport>, AppError> {
    let _lock = lock_folder(app.home.root())?;
    let rows = rows_of(app, program.name())?;
    // Hooks that were asked for once are kept until everything is taken back.
    let hooks = wanted.hooks || rows.iter().any(has_hooks);
    let targets = targets(&app.inputs, program, hooks)?;
    let plans: Vec<Plan> = targets
        .iter()
        .map(|target| plan(app, target, of_target(&rows, target)))
        .collect::<Result<_, _>>()?;
    let mut reports = Vec::new();
    for (target, plan) in targets.iter().zip(plans) {
        let row = of_target(&rows, target);
        let report = report(app, &plan);
        if !wanted.dry_run {
            write(app, program, target, row, plan)?;
        }
        reports.push(report);
    }
    Ok(reports)
}

fn of_target<'a>(rows: &'a [ConnectionRow], target: &Target) -> Option<&'a ConnectionRow> {
    rows.iter().find(|row| row.path == target.path)
}

fn has_hooks(row: &ConnectionRow) -> bool {
    Record::read(&row.edit)
        .is_some_and(|record| record.pieces().iter().any(|piece| piece.key.is_none()))
}

fn plan(app: &App, target: &Target, row: Option<&ConnectionRow>) -> Result<Plan, AppError> {
    let seen = Seen::at(&target.path)?;
    let record = row.map(record_of).transpose()?;
    let on_record = row.zip(record.as_ref());
    if let Some(row) = row {
        seen.sweep(row);
    }
    let plan = match target.whole {
        Some(text) => plan_whole(seen, on_record, text),
        None => plan_pieces(seen, target, on_record)?,
    };
    if let Some(step) = &plan.step {
        // What is kept is kept as it is, or not at all: a masked byte could not be taken back.
        clean(app, step).map_err(|unfit| fault(&target.path, unfit))?;
    }
    Ok(plan)
}

fn clean(app: &App, step: &Step) -> Result<taffrail_redact::Clean, Unfit> {
    let text =
        serde_json::to_string(&step.record).map_err(|_| Unfit::whole("cannot be put on record"))?;
    let clean = app.redactor.clean(&text);
    if clean.as_str() == text {
        Ok(clean)
    } else {
        Err(Unfit::whole(
            "would hold something that reads as a secret: the path of this executable or of its home",
        ))
    }
}

fn plan_pieces(
    seen: Seen,
    target: &Target,
    on_record: Option<(&ConnectionRow, &Record)>,
) -> Result<Plan, AppError> {
    let unfit = |unfit| fault(&target.path, unfit);
    let now = seen.node(target.format)?;
    let says = |piece| now.at(piece).is_some_and(|node| node.says(&piece.value));
    let all_there = target.pieces.iter().all(says);
    let state = seen.state(on_record);
    let outcome = match (&state, on_record) {
        (State::Fresh, _) | (_, None) if all_there => Some(Outcome::Same),
        (State::Ours(_) | State::Changed, Some(_)) if all_there => Some(Outcome::Already),
        _ => None,
    };
    if let Some(outcome) = outcome {
        let step = None;
        return Ok(Plan {
            seen,
            outcome,
            step,
        });
    }
    let outcome = match &state {
        State::Fresh | State::Before => Outcome::Written,
        State::Ours(_) | State::Changed => Outcome::Updated,
    };
    let base = base(&seen, target.format, &state, on_record).map_err(unfit)?;
    let (mut text, mut steps, mut pieces) = (
        base.text.clone().unwrap_or_default(),
        Vec::<Splice>::new(),
        Vec::new(),
    );
    for piece in &target.pieces {
        let node = target.format.read(&text).map_err(unfit)?;
        if node.at(piece).is_some_and(|node| node.says(&piece.value)) {
            // Somebody else put the same there: it is not ours to take away.
            continue;
        }
        let put = target.format.put(&text, piece).map_err(unfit)?;
        pieces.push(PieceRecord::new(piece, put.made));
        steps.extend(put.splices);
        text = put.text;
    }
    let step = step(&seen, on_record, base, (text, steps, pieces));
    Ok(Plan {
        seen,
        outcome,
        step: Some(step),
    })
}

fn plan_whole(
    seen: Seen,
    on_record: Option<(&ConnectionRow, &Record)>,
    text: &'static str,
) -> Plan {
    let is_same = seen.text.as_deref() == Some(text);
    let (outcome, writes) = match (seen.state(on_record), &seen.text) {
        (State::Ours(_) | State::Changed, Some(_)) if is_same => (Outcome::Already, false),
        (State::Ours(_), Some(_)) => (Outcome::Updated, true),
        (State::Fresh | State::Before, Some(_)) if is_same => (Outcome::Same, false),
        (State::Fresh | State::Before | State::Changed, Some(_)) => (Outcome::Left, false),
        (_, None) => (Outcome::Written, true),
    };
    let base = Base {
        text: None,
        earlier: earlier(&seen, on_record),
    };
    let put = Splice {
        at: 0,
        put: text.to_owned(),
    };
    let step = writes.then(|| {
        let written = (text.to_owned(), vec![put], Vec::new());
        step(&seen, on_record, base, written)
    });
    Plan {
        seen,
        outcome,
        step,
    }
}

fn step(
    seen: &Seen,
    on_record: Option<(&ConnectionRow, &Record)>,
    base: Base,
    (text, steps, pieces): (String, Vec<Splice>, Vec<PieceRecord>),
) -> Step {
    let missing = missing_folders(&seen.path);
    let kept = on_record.map(|(_, record)| record.folders.clone());
    let named: Vec<String> = missing
        .iter()
        .filter_map(|folder| folder.to_str().map(str::to_owned))
        .collect();
    let mut folders = kept.unwrap_or_default();
    folders.extend(
        named
            .into_iter()
            .filter(|name| !folders.contains(name))
            .collect::<Vec<_>>(),
    );
    Step {
        before_hash: base.text.as_deref().map(|text| hash(text.as_bytes())),
        record: Record::new(folders, pieces, steps, base.earlier),
        folders: missing,
        text,
    }
}

fn base(
    seen: &Seen,
    format: Format,
    state: &State<'_>,
    on_record: Option<(&ConnectionRow, &Record)>,
) -> Result<Base, Unfit> {
    let as_is = || Base {
        text: seen.text.clone(),
        earlier: None,
    };
    let Some((row, record)) = on_record else {
        return Ok(as_is());
    };
    match state {
        State::Fresh | State::Before => Ok(as_is()),
        State::Ours(steps) => match seen.as_it_was(row, steps) {
            Some(text) => Ok(Base {
                text,
                earlier: earlier(seen, on_record),
            }),
            None => without_ours(seen, format, record),
        },
        State::Changed => without_ours(seen, format, record),
    }
}

/// What is there now as what was there before, for a process that is killed before it writes.
fn earlier(seen: &Seen, on_record: Option<(&ConnectionRow, &Record)>) -> Option<Earlier> {
    let (row, record) = on_record?;
    match seen.state(on_record) {
        State::Ours(steps) if seen.hash() == Some(row.after_hash) => Some(Earlier {
            after: mark(&row.after_hash),
            steps: steps.to_vec(),
        }),
        State::Ours(_) => record.earlier.clone(),
        State::Fresh | State::Before | State::Changed => None,
    }
}

/// A file that was changed since, without what we put there; refused where its owner changed our entry itself.
fn without_ours(seen: &Seen, format: Format, record: &Record) -> Result<Base, Unfit> {
    let mut text = seen.text.clone().unwrap_or_default();
    for piece in record.pieces.iter().rev() {
        let (ours, made) = (piece.piece(), piece.made);
        match format.read(&text)?.at(&ours) {
            None => (),
            Some(node) if node.says(&ours.value) => {
                if let Some(left) = format.take_out(&text, &ours, made, &record.steps)? {
                    text = left;
                }
            }
            Some(_) => {
                let why = "has our entry, changed by somebody since; take it out first with --undo";
                return Err(Unfit::whole(why));
            }
        }
    }
    Ok(Base {
        text: seen.text.is_some().then_some(text),
        earlier: None,
    })
}

/// Carries a plan out; again from the look at the file where somebody was faster.
fn write(
    app: &App,
    program: Program,
    target: &Target,
    row: Option<&ConnectionRow>,
    mut plan: Plan,
) -> Result<(), AppError> {
    for _ in 0..TRIES {
        let Some(step) = &plan.step else {
            return Ok(());
        };
        let edit = clean(app, step).map_err(|unfit| fault(&target.path, unfit))?;
        app.store.put_connection(NewConnection {
            program: program.name().to_owned(),
            path: target.path.clone(),
            edit,
            before_hash: step.before_hash,
            after_hash: hash(step.text.as_bytes()),
        })?;
        let swapped = plan.seen.write(&step.text, &step.folders);
        if let Ok(Swapped::Done) = swapped {
            return Ok(());
        }
        remove_empty(&step.folders);
        restore(app, program, target, row)?;
        swapped.map(|_changed| ())?;
        plan = self::plan(app, target, row)?;
    }
    Err(fault(
        &target.path,
        Unfit::whole("is written all the time by another process; close it and try again"),
    ))
}

/// Puts the row back that was there before ours.
fn restore(
    app: &App,
    program: Program,
    target: &Target,
    row: Option<&ConnectionRow>,
) -> Result<(), AppError> {
    match row {
        Some(row) => app.store.put_connection(NewConnection {
            program: row.program.clone(),
            path: row.path.clone(),
            edit: app.redactor.clean(&row.edit),
            before_hash: row.before_hash,
            after_hash: row.after_hash,
        })?,
        None => {
            app.store.take_connection(program.name(), &target.path)?;
        }
    }
    Ok(())
}

fn report(app: &App, plan: &Plan) -> FileReport {
    let change = plan.step.as_ref().map(|step| {
        let before = plan.seen.text.as_deref();
        let diff = diff::unified(&plan.seen.path, before, Some(&step.text));
        app.redactor.clean(&diff).into_string()
    });
    FileReport {
        path: plan.seen.path.clone(),
        outcome: plan.outcome,
        diff: change,
    }
}
