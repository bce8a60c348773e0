//! FA-22, FA-25: an agent that asks before it calls a tool of our own server is let through, and the call is a row; the same
//! question about anything else is refused where nobody is asked. The frames are those of claude, kimi and gemini.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::external::{configure, events, of_type, result, run};
use serde_json::Value;
use taffrail_testkit::FakeAgent;

const SCRIPT: &str = r#"
open
mcp start
update {"sessionUpdate":"tool_call","toolCallId":"t1","title":"mcp__taffrail__memory_recall","kind":"other","status":"pending"}
ask q1 {"toolCall":{"toolCallId":"t1","title":"mcp__taffrail__memory_recall","rawInput":{"query":"money, see https://example.com/x"}}}
on allow q1 { mcp call memory_recall {"query":"money"} -> a }
ask q2 {"toolCall":{"toolCallId":"mcp_taffrail_read_file__1","title":"read_file (taffrail MCP Server)","kind":"other"}}
on allow q2 { mcp call read_file {"path":"README.md"} -> b }
update {"sessionUpdate":"tool_call","toolCallId":"t3","title":"mcp__taffrail__read_file","kind":"execute","status":"pending"}
ask q3 {"toolCall":{"toolCallId":"t3","title":"mcp__taffrail__read_file"}}
on allow q3 { exit 3 }
ask q4 {"toolCall":{"toolCallId":"t4","title":"mcp__taffrail__read_file","kind":"other","rawInput":{"command":"rm -rf ."}}}
on allow q4 { exit 4 }
ask q5 {"toolCall":{"toolCallId":"t5","title":"mcp__other__memory_recall","kind":"other"}}
on allow q5 { exit 5 }
ask q6 {"toolCall":{"toolCallId":"t6","title":"mcp__taffrail__read_file","kind":"other","rawInput":{"path":".env"}}}
on allow q6 { exit 6 }
mcp stop
done asked
"#;

/// The record, and verdict and ground of every question.
fn asked(script: &str, flags: &[&str]) -> (Value, Vec<String>) {
    let world = common::world();
    let repo = common::project(&world);
    configure(&world, &FakeAgent::script(script), "");
    let flags = [&["--unattended", "--no-sandbox"], flags].concat();
    let ran = run(&world, &repo, &flags).go();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let events = events(&ran.stdout);
    let text = |at: &Value, key: &str| at[key].as_str().unwrap().to_owned();
    let decisions = of_type(&events, "decision").into_iter();
    let decisions = decisions.map(|at| {
        let (verdict, ground) = (text(at, "verdict"), text(at, "ground"));
        format!(
            "{verdict} {ground} {}: {}",
            text(at, "risk"),
            text(at, "what")
        )
    });
    let run = text(result(&events), "run");
    let line = ["agents", "external", "show", &run, "--json"];
    (common::data(&world, &repo, &line), decisions.collect())
}

#[test]
fn fa_25_an_agent_that_asks_before_it_uses_our_server_may_and_each_call_is_a_row() {
    let (record, decisions) = asked(SCRIPT, &[]);
    let own = |tool: &str| format!("allowed policy read: use a tool of taffrail's own: {tool}");
    assert_eq!(decisions[..2], [own("memory_recall"), own("read_file")]);
    for (at, decision) in decisions.iter().enumerate().skip(2) {
        assert!(
            decision.starts_with("refused unattended"),
            "{at} {decision}"
        );
    }
    assert_eq!(decisions.len(), 6, "{decisions:#?}");
    let calls: Vec<_> = record["mcpRequests"].as_array().unwrap().iter().collect();
    let methods: Vec<_> = calls
        .iter()
        .map(|call| call["method"].as_str().unwrap())
        .collect();
    assert_eq!(methods, ["mcp/memory_recall", "mcp/read_file"], "{record}");
}

/// The twin: where no server of ours is offered, nothing is one of its tools.
#[test]
fn fa_25_without_the_offer_a_call_that_is_called_so_is_asked_about_as_anything() {
    let script = "open\nask q {\"toolCall\":{\"toolCallId\":\"t\",\"title\":\"mcp__taffrail__memory_recall\"}}\ndone asked\n";
    let (_, decisions) = asked(script, &["--no-mcp"]);
    assert_eq!(decisions.len(), 1, "{decisions:#?}");
    assert!(
        decisions[0].starts_with("refused unattended destructive"),
        "{decisions:#?}"
    );
    let (_, decisions) = asked(script, &[]);
    assert!(
        decisions[0].starts_with("allowed policy read"),
        "{decisions:#?}"
    );
}
