//! What a run costs over starting the same program plainly, per rung. `cargo bench -p taffrail-confine --bench supervise`
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::exit,
    reason = "a benchmark starts processes itself and fails loudly"
)]

use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::process::Command;

use taffrail_confine::env::ChildEnv;
use taffrail_confine::sandbox::{LadderInputs, Policy, probe_ladder};
use taffrail_confine::supervise::{FirstSignal, Launch, Streams, pipes, reexec, run};
use taffrail_domain::{RunId, Rung};

fn main() {
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = reexec(&args) {
        std::process::exit(code.into());
    }
    divan::main();
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn plain() {
    assert!(Command::new("/bin/true").status().unwrap().success());
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn none(bencher: divan::Bencher<'_, '_>) {
    supervised(bencher, Rung::None);
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn partial(bencher: divan::Bencher<'_, '_>) {
    supervised(bencher, Rung::Partial);
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn full(bencher: divan::Bencher<'_, '_>) {
    supervised(bencher, Rung::Full);
}

/// As [`full`], on pipes, read to their end: what an agent's driver has.
#[divan::bench(sample_count = 50, sample_size = 1)]
fn full_on_pipes(bencher: divan::Bencher<'_, '_>) {
    measured(bencher, Rung::Full, |launch| {
        let (mut ours, theirs) = pipes().unwrap();
        launch.streams = Streams::Piped(theirs);
        run(launch, &mut |_| Ok(())).unwrap();
        ours.stdout.read_to_end(&mut Vec::new()).unwrap();
    });
}

fn supervised(bencher: divan::Bencher<'_, '_>, rung: Rung) {
    measured(bencher, rung, |launch| {
        run(launch, &mut |_| Ok(())).unwrap();
    });
}

/// A rung that this machine does not have is left out: nothing is run for it.
fn measured(bencher: divan::Bencher<'_, '_>, rung: Rung, mut run_once: impl FnMut(&mut Launch)) {
    let folder = tempfile::tempdir().unwrap();
    let ladder = probe_ladder(&LadderInputs {
        bwrap: None,
        scratch: folder.path().to_owned(),
    });
    let can = match rung {
        Rung::Full => ladder.rung() == Rung::Full,
        Rung::Partial => ladder.rung() != Rung::None,
        Rung::None => true,
    };
    if !can {
        return;
    }
    let mut policy = Policy::common(rung, folder.path(), folder.path()).unwrap();
    policy.bwrap = ladder.bwrap.ok();
    let mut launch = Launch {
        exe: std::env::current_exe().unwrap(),
        cwd: policy.cwd.clone(),
        policy,
        program: PathBuf::from("/bin/true"),
        argv: vec!["true".into()],
        env: ChildEnv::cleared(),
        run: RunId::new(1, [7; 10]),
        timeout: None,
        streams: Streams::Inherited,
        stop: None,
        first_signal: FirstSignal::Cancels,
        door: None,
    };
    bencher.bench_local(|| run_once(&mut launch));
}
