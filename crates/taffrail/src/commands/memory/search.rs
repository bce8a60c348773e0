//! `taffrail memory search`

use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Serialize;
use taffrail_app::App;
use taffrail_app::memory::batch::{Batch, HitLine, Terms, hits};
use taffrail_app::memory::queue;
use taffrail_app::memory::search::{Question, Searcher, trace};
use taffrail_domain::{ErrorCode, ExitCode, Grade, Millis};
use taffrail_store::{ProjectRow, TraceSurface};
use taffrail_text::Shown;

use super::{Ending, owner};
use crate::cli::{ScopeArgs, SearchArgs};
use crate::commands::lines::Lines;
use crate::commands::when;
use crate::failure::Failure;
use crate::output::{Colour, Envelope, print_json};
use crate::startup::Invocation;

/// Most memories of one answer.
const MOST: u32 = 200;

pub fn run(invocation: &Invocation, args: &SearchArgs) -> Ending {
    if args.limit == 0 || args.limit > MOST {
        let message = format!("--limit is {}: from 1 to {MOST}", args.limit);
        return Err(Failure::new(ErrorCode::Usage, &message));
    }
    let now = when::now_or(invocation, args.now.as_deref())?;
    let app = invocation.open()?;
    match (&args.batch, &args.query) {
        (Some(path), _) => batch(&app, args, path, now),
        (None, query) => {
            let query = query.as_deref().unwrap_or_default();
            if query.trim().is_empty() {
                let message = "the query is empty: nothing to look for";
                return Err(Failure::new(ErrorCode::Usage, message).hinting("taffrail memory list"));
            }
            one(invocation, &app, args, query, now)
        }
    }
}

fn project(app: &App, scope: &ScopeArgs) -> Result<Option<ProjectRow>, Failure> {
    if scope.personal {
        return Ok(None);
    }
    Ok(app.project_named(scope.project.as_deref())?)
}

#[derive(Serialize)]
struct Found {
    trace: String,
    nothing_known: bool,
    hits: Vec<Whole>,
}

#[derive(Serialize)]
struct Whole {
    #[serde(flatten)]
    hit: HitLine,
    r#type: &'static str,
    summary: String,
    content: String,
}

fn one(invocation: &Invocation, app: &App, args: &SearchArgs, query: &str, now: Millis) -> Ending {
    let project = project(app, &args.scope)?;
    let question = Question {
        query,
        project: project.as_ref(),
        grades: &args.include,
        limit: args.limit as usize,
        now,
    };
    let mut searcher = Searcher::new(app);
    let answer = searcher.search(&question)?;
    let trace = trace(app, TraceSurface::Search, &question, &answer, None)?;
    let mut found = Found {
        trace: trace.short(),
        nothing_known: answer.recalled.nothing_known,
        hits: Vec::new(),
    };
    for (hit, row) in hits(&answer).into_iter().zip(&answer.found) {
        let memory = app
            .store
            .memory(&row.row.id)
            .map_err(taffrail_app::AppError::from)?;
        found.hits.push(Whole {
            hit,
            r#type: memory.kind.name(),
            summary: memory.text.summary,
            content: memory.text.content,
        });
    }
    let unsealed = answer.unsealed.len();
    if unsealed > 0 {
        let why = searcher.closed().unwrap_or("their seals do not fit");
        let line = format!("{unsealed} approved left out: {}", Shown::line(why));
        invocation
            .output
            .say(&invocation.output.paint_talk().with(Colour::Warn, &line));
    }
    print(invocation, args.json, &found)?;
    if found.hits.is_empty() && !args.include.contains(&Grade::Pending) {
        waiting(invocation, app, args)?;
    }
    Ok(ExitCode::Done)
}

/// What was written down and not reviewed is not searched unless it is asked for: somebody who just wrote it wants to know.
fn waiting(invocation: &Invocation, app: &App, args: &SearchArgs) -> Result<(), Failure> {
    let counts = queue::counts(app, &queue::whose(app, Some(owner(&args.scope)))?)?;
    if counts.queue > 0 && !args.json {
        let wait = match counts.queue {
            1 => "1 waits for a review and was".to_owned(),
            many => format!("{many} wait for a review and were"),
        };
        invocation.output.say(&format!(
            "hint: {wait} not searched: --include approved,evidence,pending"
        ));
    }
    Ok(())
}

fn print(invocation: &Invocation, json: bool, found: &Found) -> Result<(), Failure> {
    let output = &invocation.output;
    if json {
        print_json(output, &Envelope::Data(found))?;
        return Ok(());
    }
    let paint = output.paint();
    for whole in &found.hits {
        let weak = if whole.hit.below_floor {
            "  (weak)"
        } else {
            ""
        };
        let line = format!(
            "{}  {:.2}  {}  {}{weak}\n  {}\n",
            paint.with(Colour::Strong, &whole.hit.memory),
            whole.hit.score,
            whole.r#type,
            whole.hit.status,
            Shown::line(&whole.summary),
        );
        output.data(line.as_bytes())?;
    }
    if found.nothing_known {
        output.say("nothing is known about this");
    }
    output.say(&format!("trace {0}: taffrail memory why {0}", found.trace));
    Ok(())
}

fn batch(app: &App, args: &SearchArgs, path: &Path, now: Millis) -> Ending {
    // A line without a project means personal memories, as everywhere; the flag names another for all of them.
    let project = match &args.scope.project {
        Some(_) => project(app, &args.scope)?,
        None => None,
    };
    let terms = Terms {
        grades: args.include.clone(),
        limit: args.limit as usize,
        now,
        project,
    };
    let mut input = Lines::open(path)?;
    let mut batch = Batch::new(app, terms);
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut refused, mut line) = (false, Vec::new());
    while input.read(&mut line)? {
        refused |= batch.answer(&line, &mut |answer| {
            serde_json::to_writer(&mut out, answer)
                .map_err(io::Error::from)
                .and_then(|()| out.write_all(b"\n"))
                .and_then(|()| out.flush())
                .map_err(taffrail_app::AppError::Output)
        })?;
        if !input.is_next_here() {
            batch.settle()?;
        }
    }
    batch.settle()?;
    Ok(if refused {
        ExitCode::Failure
    } else {
        ExitCode::Done
    })
}
