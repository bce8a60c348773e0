//! XSL-12: what a close and the look-ups of `slate.*` cost with 0, 100, 1,000 and 10,000 closed slates in one workspace.
//!
//! `cargo bench -p taffrail-store --bench closures`; `BENCH_DIR` says where (a file system that really syncs).
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // A benchmark reads the clock, its place, and prints.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use taffrail_domain::{
    Channel, Clock, CloseTrigger, MemoryId, Millis, ProjectId, ProposalId, SeedKind, UnboundId,
    WorkspaceId,
};
use taffrail_memory::draft::{Draft, Scope, of_slate, screen};
use taffrail_redact::{Clean, Options, Redactor};
use taffrail_slate::external::ExternalId;
use taffrail_store::{
    Home, NewCandidate, NewClosure, NewMemory, NewOutcome, NewProposal, NewUnbound, ProjectName,
    ResolvedWorkspace, Store, Whose,
};

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(Options::default()));
/// Closes that are timed at each size.
const TIMED: u32 = 200;

struct Still;

impl Clock for Still {
    fn now(&self) -> Millis {
        Millis(1_800_000_000_000)
    }
}

fn main() {
    let place = std::env::var_os("BENCH_DIR").map_or_else(std::env::temp_dir, Into::into);
    let dir = tempfile::tempdir_in(place).unwrap();
    let home = Home::at(&dir.path().join("home")).unwrap();
    let store = Store::open(&home, Arc::new(Still)).unwrap();
    let project = ProjectId::new(1, random());
    let name = ProjectName::new(&clean("harbour")).unwrap();
    store.add_project(project, &name, &[]).unwrap();
    let (new, title) = (WorkspaceId::new(1, random()), clean("the ferry"));
    let workspace = store.create_workspace(new, Some(&project), &title).unwrap();
    let mut bench = Bench {
        store,
        project,
        workspace: workspace.id,
        closed: 0,
    };
    println!("closed | close, 3 seeds p50 p95 | newest p50 | resolve p50 | named p50");
    for size in [0, 100, 1_000, 10_000] {
        while bench.closed < size {
            bench.close();
        }
        bench.row(size);
    }
}

struct Bench {
    store: Store,
    project: ProjectId,
    workspace: WorkspaceId,
    closed: u32,
}

impl Bench {
    fn close(&mut self) {
        self.closed += 1;
        let new = self.closure(self.closed);
        self.store.close_slate(new).unwrap();
    }

    fn row(&mut self, size: u32) {
        // Drafts pass the guardrails before the transaction; only that is the store's.
        let ready: Vec<NewClosure> = (1..=TIMED)
            .map(|at| self.closure(self.closed + at))
            .collect();
        self.closed += TIMED;
        let mut closes = Vec::new();
        for new in ready {
            let begun = Instant::now();
            self.store.close_slate(new).unwrap();
            closes.push(begun.elapsed());
        }
        let (p50, p95) = (at(&mut closes, 50), at(&mut closes, 95));
        let (newest, resolve, named) = self.look_ups();
        println!("{size} | {p50:?} {p95:?} | {newest:?} | {resolve:?} | {named:?}");
    }

    fn look_ups(&self) -> (Duration, Duration, Duration) {
        let (whose, id) = (Some(&self.project), external(self.closed / 2));
        let newest = timed(|| {
            let found = self.store.newest_closure(whose, &id).unwrap();
            assert!(found.is_some());
        });
        let (new, title) = (WorkspaceId::new(1, random()), clean("the ferry"));
        let resolve = timed(|| {
            let found = self.store.resolve_workspace(whose, new, &title).unwrap();
            assert!(matches!(found, ResolvedWorkspace::One(_)));
        });
        let (typed, whose) = (self.workspace.short(), Whose::Project(self.project));
        let named = timed(|| {
            self.store.workspace_named(&whose, &typed).unwrap();
        });
        (newest, resolve, named)
    }

    fn closure(&self, number: u32) -> NewClosure {
        let candidates = (0..3).map(|at| self.candidate(number, at)).collect();
        let proposals = vec![NewProposal {
            id: ProposalId::new(1, random()),
            kind: SeedKind::Decision,
            candidates,
        }];
        let otherwise = NewUnbound {
            id: UnboundId::new(1, random()),
            seeds: Clean::ours("[]"),
        };
        NewClosure {
            project: Some(self.project),
            external_id: external(number),
            generation: 1,
            trigger: CloseTrigger::Close,
            workspace: Some(self.workspace),
            anchors: Clean::ours("{}"),
            evidence: None,
            seeds: 3,
            outcome: NewOutcome::Proposals {
                proposals,
                otherwise,
            },
        }
    }

    fn candidate(&self, number: u32, at: u32) -> NewCandidate {
        let text = format!(
            "The ferry {number} leaves the quay at {at} past nine, because the tide turns in basin {}.",
            number % 97
        );
        let scope = Scope::Project(self.project);
        let (kind, _) = of_slate(Some("decision"));
        let mut draft = Draft::new(scope, kind, text, Channel::External);
        draft.source.task = Some(format!("{number}#1"));
        draft.is_redacted = true;
        NewCandidate {
            seed: Clean::ours(r#"{"id":"seed-1"}"#),
            memory: Ok(NewMemory {
                draft: screen(draft, &REDACTOR).unwrap(),
                id: MemoryId::new(1, random()),
                salt: random(),
            }),
        }
    }
}

fn external(number: u32) -> ExternalId {
    format!("session-{number}").parse().unwrap()
}

fn clean(text: &str) -> Clean {
    REDACTOR.clean(text)
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).unwrap();
    bytes
}

/// The median of 1,000 calls.
fn timed(mut call: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..1_000)
        .map(|_| {
            let begun = Instant::now();
            call();
            begun.elapsed()
        })
        .collect();
    at(&mut times, 50)
}

fn at(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    let place = times.len() * percent / 100;
    times.get(place).copied().unwrap_or_default()
}
