//! Runs of a fake agent: a home that knows it, a run of it to its end, its last event.

use serde_json::Value;
use taffrail_testkit::{FakeAgent, Hermetic, Repo, Run};

/// Writes a configuration in which the agent `fake` plays this script. `more` are lines of `[external_agents]`.
pub fn configure(world: &Hermetic, agent: &FakeAgent, more: &str) {
    let entry = agent.toml();
    world.config(&format!(
        "[external_agents]\nenabled = true\n{more}\n\
         [external_agents.fake]\ntransport = \"acp\"\ntest = true\n{entry}"
    ));
}

/// `taffrail agents external run fake --task … FLAGS --json` in the project, not started.
pub fn run(world: &Hermetic, repo: &Repo, flags: &[&str]) -> Run {
    let mut line = vec![
        "agents", "external", "run", "fake", "--task", "the task", "--json",
    ];
    line.extend(flags);
    world.command(&line).in_directory(repo.root())
}

/// Every event of a run that was printed, in order.
#[track_caller]
pub fn events(stdout: &str) -> Vec<Value> {
    let lines = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect(line));
    lines.collect()
}

/// The events of one type.
pub fn of_type<'e>(events: &'e [Value], kind: &str) -> Vec<&'e Value> {
    events
        .iter()
        .filter(|event| event["type"] == kind)
        .collect()
}

/// The last event, which is the result.
#[track_caller]
pub fn result(events: &[Value]) -> &Value {
    let last = events.last().expect("an event");
    assert_eq!(last["type"], "result", "{last}");
    last
}
