//! Promise: a slate is the old record or the new one, whatever becomes of the server; what it acknowledged is there; and
//! of several at once one answer stands (XSL-05, XSL-09, XSL-11, XSL-14).
#![allow(clippy::print_stdout)] // says what a failure is told by
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // kills processes at random moments, looks from outside of the rims

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use common::mcp::{Server, closed_files, live_files, make_idle, record, slate_folder};
use common::{committed, world};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use taffrail_testkit::Hermetic;

/// How many servers are killed in the midst of a call (XSL-14).
const KILLS: usize = 200;
/// The ids that they are killed over: each is met again in every state.
const IDS: [&str; 5] = ["alpha", "beta", "gamma", "Delta", "con"];
/// How many open one id at once (XSL-05).
const PROCESSES: usize = 16;
/// Rounds of it here; the second suite has a thousand.
const ROUNDS: usize = if cfg!(feature = "peers") { 1_000 } else { 40 };

/// A small generator: moments need no better one, and a failure can be told by its seed.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let now = std::time::SystemTime::now();
        let since = now.duration_since(std::time::UNIX_EPOCH).unwrap();
        let seed = since.as_nanos() as u64 | 1;
        println!("seed of the moments: {seed}");
        Self(seed)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// What a client knows of an id from the answers that it got.
#[derive(Debug, Clone, Default)]
struct Known {
    /// The generation that is open, or was closed last; 0 before the first.
    generation: u64,
    is_open: bool,
    /// Acknowledged seeds of that generation.
    seeds: Vec<Value>,
    /// What a close answered, where an answer came.
    outcome: Option<Value>,
    /// The call that no answer came to.
    pending: Option<Call>,
}

#[derive(Debug, Clone)]
enum Call {
    Open,
    Write(String),
    Close,
}

/// Generations that are closed for sure: their seeds' texts.
type Closed = BTreeMap<(String, u64), Vec<String>>;

#[test]
fn xsl_14_a_server_killed_in_a_call_tears_no_file_and_loses_no_acknowledged_seed() {
    let (world, mut random) = (world(), Random::new());
    let repo = committed(&world);
    let mut known: BTreeMap<&str, Known> = BTreeMap::new();
    let (mut closed, mut died) = (Closed::new(), [0; 3]);
    for kill in 0..KILLS {
        let id = IDS[random.below(IDS.len() as u64) as usize];
        let state = known.entry(id).or_default();
        let mut server = Server::start(&world, repo.root());
        settle(&mut server, id, state, &mut closed, random.below(2) == 0);
        let moment = Duration::from_micros(random.below(12_000));
        let killer = killer(server.pid(), moment);
        work(&mut server, id, state, &mut closed, &mut random, kill);
        killer.join().unwrap();
        died[match state.pending.as_ref().expect("a call was under way") {
            Call::Open => 0,
            Call::Write(_) => 1,
            Call::Close => 2,
        }] += 1;
        assert_whole(&world, id);
    }
    println!("killed in open, writeSeed, close: {died:?}");
    assert!(died[1] > KILLS / 4 && died[2] > 0, "{died:?}");
    finish(&world, repo.root(), &mut known, &mut closed);
    assert_on_record(&world, &closed);
}

fn killer(pid: u32, moment: Duration) -> std::thread::JoinHandle<()> {
    let end = Instant::now() + moment;
    std::thread::spawn(move || {
        while Instant::now() < end {
            std::hint::spin_loop();
        }
        kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
    })
}

/// Calls without a pause until no answer comes.
fn work(
    server: &mut Server,
    id: &str,
    state: &mut Known,
    closed: &mut Closed,
    random: &mut Random,
    kill: usize,
) {
    let mut step = 0;
    loop {
        step += 1;
        let call = match (state.is_open, random.below(6)) {
            (false, _) => Call::Open,
            (true, 0) => Call::Close,
            (true, _) => Call::Write(format!("Kill {kill} found step {step} of {id} under way.")),
        };
        state.pending = Some(call.clone());
        let arguments = match &call {
            Call::Open | Call::Close => json!({"externalSessionId": id}),
            Call::Write(text) => json!({"externalSessionId": id, "text": text, "kind": "decision"}),
        };
        let tool = match &call {
            Call::Open => "slate.open",
            Call::Write(_) => "slate.writeSeed",
            Call::Close => "slate.close",
        };
        let Some(answer) = server.try_call(tool, &arguments) else {
            return;
        };
        state.pending = None;
        let done = answer.done().clone();
        match call {
            Call::Open => {
                assert_eq!(done["generation"], state.generation + 1, "{done}");
                (state.generation, state.is_open) = (state.generation + 1, true);
                state.seeds = Vec::new();
            }
            Call::Write(_) => state.seeds.push(done),
            Call::Close => {
                state.outcome = Some(done);
                note_closed(id, state, closed);
            }
        }
    }
}

fn note_closed(id: &str, state: &mut Known, closed: &mut Closed) {
    state.is_open = false;
    let texts = texts(&state.seeds);
    closed.insert((id.to_owned(), state.generation), texts);
}

fn texts(seeds: &[Value]) -> Vec<String> {
    let text = |seed: &Value| seed["text"].as_str().unwrap().to_owned();
    seeds.iter().map(text).collect()
}

/// What a new server says of an id must fit what was acknowledged, but for the one call that no answer came to.
fn settle(
    server: &mut Server,
    id: &str,
    state: &mut Known,
    closed: &mut Closed,
    close_first: bool,
) {
    let was_closing = matches!(state.pending, Some(Call::Close));
    if close_first && state.generation > 0 && (was_closing || settled_closed(state)) {
        let outcome = server.close(id);
        assert_eq!(outcome["generation"], state.generation, "{state:?}");
        if let Some(before) = state.outcome.take_if(|_| !state.is_open) {
            assert_eq!(outcome, before);
        }
        let candidates = &outcome["proposals"][0]["candidates"];
        let got = candidates.as_u64().unwrap_or(0);
        assert_eq!(got, state.seeds.len() as u64, "{outcome} {state:?}");
        note_closed(id, state, closed);
        (state.pending, state.outcome) = (None, Some(outcome));
        return;
    }
    let opened = server.open(id);
    let generation = opened["generation"].as_u64().unwrap();
    let seeds = opened["seeds"].as_array().unwrap().clone();
    let went_on = state.is_open && generation == state.generation;
    if went_on {
        assert_seeds(state, &seeds);
    } else {
        assert_eq!(generation, state.generation + 1, "{opened} {state:?}");
        assert_eq!(seeds, Vec::<Value>::new(), "{opened} {state:?}");
        if state.is_open {
            assert!(was_closing, "nobody closed it: {opened} {state:?}");
            note_closed(id, state, closed);
        }
    }
    *state = Known {
        generation,
        is_open: true,
        seeds,
        ..Known::default()
    };
}

fn settled_closed(state: &Known) -> bool {
    !state.is_open && state.pending.is_none()
}

/// The acknowledged ones in their order, and at most the one under way behind them.
fn assert_seeds(state: &Known, seeds: &[Value]) {
    let (known, more) = seeds
        .split_at_checked(state.seeds.len())
        .unwrap_or_default();
    assert_eq!(known, state.seeds, "an acknowledged seed is gone");
    match (&state.pending, more) {
        (_, []) => {}
        (Some(Call::Write(text)), [seed]) => assert_eq!(seed["text"], **text),
        _ => panic!("seeds that nobody wrote: {more:?}"),
    }
}

/// Every file is one whole record, right after the kill.
fn assert_whole(world: &Hermetic, id: &str) {
    for path in live_files(world).iter().chain(&closed_files(world)) {
        let slate = record(path);
        let of = slate["externalSessionId"].as_str();
        assert!(of.is_some_and(|of| IDS.contains(&of)), "{id}: {slate}");
        assert!(slate["generation"].as_u64() > Some(0), "{id}: {slate}");
    }
}

/// Closes what is open, and lets nothing be left in the folder that is no record.
fn finish(world: &Hermetic, folder: &Path, known: &mut BTreeMap<&str, Known>, closed: &mut Closed) {
    let mut server = Server::start(world, folder);
    for (id, state) in known {
        settle(&mut server, id, state, closed, false);
        server.close(id);
        note_closed(id, state, closed);
    }
    assert_eq!(server.end(), Some(0));
    assert_eq!(live_files(world), Vec::<std::path::PathBuf>::new());
    assert_eq!(closed_files(world).len(), closed.len());
}

/// One outcome for each generation that was closed, and the seeds' own texts are its candidates.
fn assert_on_record(world: &Hermetic, closed: &Closed) {
    let stored = candidates(world);
    let wanted: Vec<_> = closed.keys().cloned().collect();
    assert_eq!(closures(world), wanted);
    for (closure, texts) in closed {
        let none = Vec::new();
        let got = stored.get(closure).unwrap_or(&none);
        assert_eq!(got, texts, "{closure:?}");
    }
}

fn database(world: &Hermetic) -> rusqlite::Connection {
    rusqlite::Connection::open(world.taffrail_home().join("taffrail.db")).unwrap()
}

/// Every closed generation on record, in order.
fn closures(world: &Hermetic) -> Vec<(String, u64)> {
    let database = database(world);
    let sql = "SELECT external_id, generation FROM slate_closures ORDER BY external_id, generation";
    let mut asked = database.prepare(sql).unwrap();
    let rows = asked.query_map([], |row| {
        Ok((row.get(0)?, u64::from(row.get::<_, u32>(1)?)))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

/// The texts that each closed generation proposed, in order.
fn candidates(world: &Hermetic) -> Closed {
    let database = database(world);
    let sql = "SELECT c.external_id, c.generation, r.content
        FROM slate_closures c JOIN proposals p ON p.closure = c.seq
        JOIN proposal_candidates k ON k.proposal = p.seq
        JOIN memories m ON m.seq = k.memory JOIN memory_texts r ON r.memory = m.seq
        ORDER BY c.seq, p.seq, k.position";
    let mut asked = database.prepare(sql).unwrap();
    let rows = asked.query_map([], |row| {
        let generation = u64::from(row.get::<_, u32>(1)?);
        Ok(((row.get(0)?, generation), row.get::<_, String>(2)?))
    });
    let mut found = Closed::new();
    for row in rows.unwrap().map(Result::unwrap) {
        found.entry(row.0).or_default().push(row.1);
    }
    found
}

/// The same call to all servers at once, and each one's answer.
fn at_once(servers: &mut [Server], tool: &str, arguments: &Value) -> Vec<Value> {
    let asked: Vec<u64> = servers
        .iter_mut()
        .map(|server| server.ask_tool(tool, arguments))
        .collect();
    let answers = servers.iter_mut().zip(asked).map(|(server, id)| {
        let answer = server.answer_to(id).expect("the server lives");
        answer.done().clone()
    });
    answers.collect()
}

#[track_caller]
fn assert_one(answers: &[Value]) {
    let first = &answers[0];
    assert!(answers.iter().all(|answer| answer == first), "{answers:#?}");
}

fn servers(world: &Hermetic, folder: &Path, count: usize) -> Vec<Server> {
    let each = (0..count).map(|_| Server::start(world, folder));
    each.collect()
}

#[test]
fn xsl_05_sixteen_processes_that_open_one_id_at_once_get_one_answer() {
    let world = world();
    let repo = committed(&world);
    let mut servers = servers(&world, repo.root(), PROCESSES);
    for round in 0..ROUNDS {
        let id = json!({"externalSessionId": format!("race-{round}")});
        let opened = at_once(&mut servers, "slate.open", &id);
        assert_one(&opened);
        assert_eq!(opened[0]["generation"], 1);
        let mut seed = id.clone();
        seed["text"] = json!(format!("Round {round} of the race was run."));
        if round % 8 == 0 {
            let written = at_once(&mut servers, "slate.writeSeed", &seed);
            let ids: std::collections::BTreeSet<_> =
                written.iter().map(|seed| seed["id"].as_str()).collect();
            assert_eq!(ids.len(), PROCESSES, "a seed is gone");
            let after = at_once(&mut servers, "slate.open", &id);
            assert_one(&after);
            assert_eq!(after[0]["seeds"].as_array().unwrap().len(), PROCESSES);
        }
        assert_one(&at_once(&mut servers, "slate.close", &id));
    }
    assert_eq!(closures(&world).len(), ROUNDS);
}

#[test]
fn xsl_05_the_very_first_open_of_a_home_is_one_answer_too() {
    for _ in 0..3 {
        let world = world();
        let repo = committed(&world);
        let mut servers = servers(&world, repo.root(), PROCESSES);
        let id = json!({"externalSessionId": "first"});
        let opened = at_once(&mut servers, "slate.open", &id);
        assert_one(&opened);
        let workspace = opened[0]["workspaceId"].as_str();
        assert!(workspace.is_some_and(|id| id.starts_with("wsp_")));
    }
}

#[test]
fn xsl_11_closes_and_reclaims_at_once_leave_one_outcome() {
    let world = world();
    let repo = committed(&world);
    let mut servers = servers(&world, repo.root(), 8);
    for round in 0..if cfg!(feature = "peers") { 100 } else { 8 } {
        let id = format!("idle-{round}");
        servers[0].open(&id);
        servers[0].write(&id, &format!("Idle round {round} has one seed."));
        make_idle(&slate_folder(&world).join(format!("{id}.json")));
        let asked: Vec<(usize, u64)> = (0..servers.len())
            .map(|at| {
                let close = json!({"externalSessionId": id});
                let other = json!({"externalSessionId": format!("other-{round}-{at}")});
                let asked = match at % 2 {
                    0 => servers[at].ask_tool("slate.close", &close),
                    _ => servers[at].ask_tool("slate.open", &other),
                };
                (at, asked)
            })
            .collect();
        let mut outcomes = Vec::new();
        for (at, asked) in asked {
            let answer = servers[at].answer_to(asked).expect("the server lives");
            let done = answer.done().clone();
            if at % 2 == 0 {
                outcomes.push(done);
            } else {
                servers[at].close(&format!("other-{round}-{at}"));
            }
        }
        assert_one(&outcomes);
        assert_eq!(outcomes[0]["proposals"][0]["candidates"], 1);
        assert_eq!(servers[1].close(&id), outcomes[0]);
    }
    let of_idle = closures(&world)
        .into_iter()
        .filter(|(id, _)| id.starts_with("idle"));
    let rounds = of_idle.count();
    assert_eq!(rounds, if cfg!(feature = "peers") { 100 } else { 8 });
    let texts = candidates(&world);
    assert!(texts.values().all(|texts| texts.len() == 1), "{texts:?}");
}
