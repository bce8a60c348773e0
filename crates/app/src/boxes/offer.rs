//! What the command of a box is offered of ours: the server of FA-25, at the run's own FIFOs. An agent that can be told of it
//! by its arguments is; of any other a person is told how.

use std::ffi::OsString;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use serde_json::json;
use taffrail_confine::supervise::Launch;
use taffrail_mcp::Names;

use super::job::Job;
use super::report::{Step, Watch};
use crate::AppError;
use crate::external::McpScope;
use crate::external::doors::{self, DoorsOf, McpEntry, MethodCall, OnCall, Opened};
use crate::external::record::keep_call;

/// Whose doors they are where the command is no known agent.
const UNKNOWN: &str = "command";

/// Runs `work` with the offer standing, unless the configuration wants none. Each call is a row; the slate of the run is closed
/// at the end, and a person is told what waits for a review.
pub(super) fn offering<T>(
    job: &Job<'_>,
    mut launch: Launch,
    watch: &mut Watch<'_>,
    work: impl FnOnce(&Launch, &mut Watch<'_>) -> Result<T, AppError>,
) -> Result<T, AppError> {
    if !job.app.config.mcp.offer.value {
        return work(&launch, watch);
    }
    let (tell, calls) = channel();
    let end = tell.clone();
    let offer = match open(job, tell) {
        Ok(offer) => offer,
        // The command is what the person wants.
        Err(error) => {
            watch(Step::Notice(format!(
                "nothing is offered over MCP: {error}"
            )));
            return work(&launch, watch);
        }
    };
    tell_agent(job, &mut launch, &offer.entry, watch);
    std::thread::scope(|scope| {
        scope.spawn(move || record(job, &calls));
        let done = work(&launch, watch);
        close(offer, watch);
        // Nobody listens where the record of the calls has ended by itself.
        end.send(None).ok();
        done
    })
}

/// Each call is told, until `None` ends it.
fn open(job: &Job<'_>, tell: Sender<Option<MethodCall>>) -> Result<Opened, AppError> {
    let tell = Mutex::new(tell);
    let on_call: OnCall = Box::new(move |call| {
        // Nobody listens any more once the box is over.
        let tell = tell.lock().unwrap_or_else(PoisonError::into_inner);
        tell.send(Some(call)).ok();
    });
    let agent = job.plan.entry.as_ref().map_or(UNKNOWN, |entry| &entry.id);
    let of = DoorsOf {
        run: job.run,
        agent: agent.to_owned(),
        checkout: job.folders.tree.clone(),
        project: job.plan.project.root.clone(),
        scope: McpScope::Checkout,
        names: Names::Dotted,
    };
    doors::open(job.app, &job.folders.scratch, of, on_call)
}

/// Rows as calls come; one that cannot be written is no reason to end a person's command.
fn record(job: &Job<'_>, calls: &Receiver<Option<MethodCall>>) {
    while let Ok(Some(call)) = calls.recv() {
        keep_call(job.app, &job.run, &call).ok();
    }
}

/// Ends the server, then the slate: what an agent left open is proposed like every other.
fn close(offer: Opened, watch: &mut Watch<'_>) {
    let stopped = offer.serving.stop();
    let closed = offer.doors.finish();
    let waiting = closed
        .as_ref()
        .ok()
        .and_then(Option::as_ref)
        .map(|closure| {
            let proposals = closure.proposals.iter();
            proposals.map(|proposal| proposal.candidates).sum::<u64>()
        });
    if let Some(count) = waiting.filter(|count| *count > 0) {
        watch(Step::Notice(format!(
            "{count} candidate(s) for the memory wait: taffrail memory review"
        )));
    }
    for error in stopped.err().into_iter().chain(closed.err()) {
        watch(Step::Notice(format!("what was offered over MCP: {error}")));
    }
}

/// The environment for whoever starts the pipe by itself, and the arguments of agents that take a server by them. Neither
/// touches a setting of the agent.
fn tell_agent(job: &Job<'_>, launch: &mut Launch, entry: &McpEntry, watch: &mut Watch<'_>) {
    launch.policy.read.push(job.app.inputs.exe.clone());
    for (name, value) in &entry.env {
        launch.env = std::mem::take(&mut launch.env).set(name, value);
    }
    let Some(agent) = &job.plan.entry else { return };
    match arguments(agent.basename(), entry) {
        Some(told) => drop(launch.argv.splice(1..1, told)),
        None => watch(Step::Notice(format!(
            "{} can use Taffrail's memory: name `{} {}` as an MCP server in its settings",
            agent.id,
            Path::new(&entry.command).display(),
            entry.args.join(" "),
        ))),
    }
}

/// The arguments, right after the program's name, by which an agent is told of a server for this one start.
fn arguments(program: &str, entry: &McpEntry) -> Option<Vec<OsString>> {
    let env: serde_json::Map<_, _> = entry
        .env
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    match program {
        // With `=`: the option takes many values, and would take a prompt that stands after it.
        "claude" => {
            let server = json!({"command": entry.command, "args": entry.args, "env": env});
            let servers = json!({"mcpServers": {entry.name.as_str(): server}});
            Some(vec![format!("--mcp-config={servers}").into()])
        }
        // Values are TOML: texts and lists read as they do in JSON, tables do not.
        "codex" => {
            let pairs = entry.env.iter();
            let env: Vec<String> = pairs
                .map(|(name, value)| format!("{name} = {}", json!(value)))
                .collect();
            let keys = [
                ("command", json!(entry.command).to_string()),
                ("args", json!(entry.args).to_string()),
                ("env", format!("{{ {} }}", env.join(", "))),
            ];
            let told = keys.into_iter().flat_map(|(key, value)| {
                let setting = format!("mcp_servers.{}.{key}={value}", entry.name);
                [OsString::from("-c"), OsString::from(setting)]
            });
            Some(told.collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> McpEntry {
        McpEntry {
            name: "taffrail".to_owned(),
            command: "/opt/it's \"here\"/taffrail".to_owned(),
            args: vec!["serve-mcp".to_owned(), "--broker".to_owned()],
            env: vec![
                ("A".to_owned(), "/x y".to_owned()),
                ("B".to_owned(), "00".to_owned()),
            ],
        }
    }

    #[test]
    fn fa_06_claude_is_told_in_one_argument_that_swallows_no_other() {
        let told = arguments("claude", &entry()).unwrap();
        let [argument] = told.as_slice() else {
            panic!("{told:?}")
        };
        let json = argument
            .to_str()
            .unwrap()
            .strip_prefix("--mcp-config=")
            .unwrap();
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        let server = &json["mcpServers"]["taffrail"];
        assert_eq!(server["command"], "/opt/it's \"here\"/taffrail");
        assert_eq!(server["args"], json!(["serve-mcp", "--broker"]));
        assert_eq!(server["env"], json!({"A": "/x y", "B": "00"}));
    }

    #[test]
    fn fa_06_codex_is_told_in_settings_that_are_toml() {
        let told = arguments("codex", &entry()).unwrap();
        assert!(told.iter().step_by(2).all(|flag| flag == "-c"));
        let settings: Vec<&str> = told
            .iter()
            .skip(1)
            .step_by(2)
            .map(|text| text.to_str().unwrap())
            .collect();
        let read: toml_edit::DocumentMut = settings.join("\n").parse().unwrap();
        let server = &read["mcp_servers"]["taffrail"];
        assert_eq!(
            server["command"].as_str(),
            Some("/opt/it's \"here\"/taffrail")
        );
        assert_eq!(server["args"][1].as_str(), Some("--broker"));
        assert_eq!(server["env"]["A"].as_str(), Some("/x y"));
        assert_eq!(arguments("gemini", &entry()), None);
    }
}
