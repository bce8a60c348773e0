//! FA-01, FA-11, FA-20 to FA-29: a run of a foreign agent as a person and a script see it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::path::Path;

use common::external::{configure, events, of_type, result, run};
use rustix::process::Signal;
use serde_json::Value;
use taffrail_testkit::{FakeAgent, Hermetic, Repo, eventually};

/// Reads, asks for edits and commands, writes what was allowed, and one file that nobody was asked about.
const FOUR_STEPS: &str = r#"
open {"promptCapabilities":{"embeddedContext":true}}
say "I look first.\n"
read README.md -> x
ask r {"toolCall":{"toolCallId":"t1","kind":"read","title":"Read","locations":[{"path":"${cwd}/README.md"}]}}
must ${r.result.outcome.outcome} selected
ask-edit e new.txt "made\n"
on allow e { write ${cwd}/new.txt "made\n" -> w }
ask-edit o /etc/outside.txt "outside\n"
ask-edit c .github/workflows/ci.yml "on: push\n"
ask-run s "ls -la"
ask-run d "rm -rf /"
do write unasked.txt "unasked\n"
done "four steps"
"#;

fn scene(script: &str, more: &str) -> (Hermetic, Repo) {
    let world = common::world();
    let repo = common::project(&world);
    configure(&world, &FakeAgent::script(script), more);
    (world, repo)
}

fn verdicts(events: &[Value]) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    of_type(events, "decision")
        .into_iter()
        .map(|at| (text(&at["verdict"]), text(&at["ground"]), text(&at["what"])))
        .collect()
}

#[test]
fn fa_24_unattended_refuses_everything_that_asks_and_touches_nothing_of_yours() {
    let (world, repo) = scene(FOUR_STEPS, "");
    let before = repo.digest();
    let ran = run(&world, &repo, &["--unattended"]).go();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let events = events(&ran.stdout);
    let grounds: Vec<_> = verdicts(&events)
        .into_iter()
        .map(|(v, g, _)| format!("{v} {g}"))
        .collect();
    let expected = [
        "allowed policy",
        "refused policy",
        "refused policy",
        "refused policy",
        "refused unattended",
        "refused unattended",
    ];
    assert_eq!(grounds, expected, "{events:#?}");
    let result = result(&events);
    assert_eq!(result["status"], "completed");
    assert_eq!(result["reason"], "end_turn");
    assert_eq!(result["result"]["summary"], "four steps");
    assert_eq!(result["refused"].as_array().map(Vec::len), Some(5));
    assert_eq!(result["wrote_without_asking"][0], "unasked.txt");
    assert_eq!(result["patch"], Value::Null);
    assert_eq!(
        repo.digest(),
        before,
        "the project and its .git are as they were"
    );
    assert!(common::checkouts(&world).is_empty());
    let seqs: Vec<_> = events
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert!(seqs.iter().copied().eq(1..=seqs.len() as u64));
}

#[test]
fn fa_24_unattended_with_write_needs_the_grant_and_then_edits_inside_only() {
    let (world, repo) = scene(FOUR_STEPS, "");
    let refused = run(&world, &repo, &["--unattended", "--write"]).go();
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(refused.stdout.contains("grant_needed") || refused.stderr.contains("grant"));

    let (world, repo) = scene(FOUR_STEPS, "write_in_checkout = \"allow\"");
    let before = repo.digest();
    let ran = run(&world, &repo, &["--unattended", "--write"]).go();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let events = events(&ran.stdout);
    let found: Vec<_> = verdicts(&events)
        .into_iter()
        .map(|(v, g, _)| format!("{v} {g}"))
        .collect();
    let expected = [
        "allowed policy",
        // The edit inside, then the same bytes through fs/write_text_file.
        "allowed grant",
        "allowed same-edit",
        // Outside, and a file that CI obeys: never by a grant.
        "refused unattended",
        "refused unattended",
        "refused unattended",
        "refused unattended",
    ];
    assert_eq!(found, expected, "{events:#?}");
    let result = result(&events);
    let run = result["run"].as_str().unwrap();
    assert_eq!(
        result["wrote_without_asking"],
        serde_json::json!(["unasked.txt"])
    );
    assert_eq!(repo.digest(), before);
    let review = common::data(
        &world,
        &repo,
        &["agents", "external", "review", "--json", run],
    );
    let mut paths: Vec<_> = review["change"]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["path"].as_str().unwrap().to_owned())
        .collect();
    paths.sort();
    assert_eq!(paths, ["new.txt", "unasked.txt"]);
    let diff = std::fs::read_to_string(result["patch"].as_str().unwrap()).unwrap();
    assert!(
        diff.contains("+made\n") && diff.contains("+unasked\n"),
        "{diff}"
    );
    let said = common::land(&world, &repo, run, &[]);
    let branch = common::branch_of(&said);
    assert_eq!(repo.git(&["show", &format!("{branch}:new.txt")]), "made\n");
    // The commit says what the agent was to do, not how it was started.
    let subject = repo.git(&["log", "-1", "--format=%s", &branch]);
    assert_eq!(subject.trim(), "the task");
}

#[test]
fn fa_24_without_the_sandbox_a_grant_is_none() {
    let (world, repo) = scene(FOUR_STEPS, "write_in_checkout = \"allow\"");
    let ran = run(&world, &repo, &["--unattended", "--write", "--no-sandbox"]).go();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let events = events(&ran.stdout);
    let found = verdicts(&events);
    assert!(
        found.iter().all(|(_, ground, _)| ground != "grant"),
        "{found:?}"
    );
}

#[test]
fn fa_05_a_turn_without_a_result_document_is_asked_for_one_once() {
    let script = r#"
open
say "all done, trust me"
end end_turn
expect session/prompt
say "still none"
end end_turn
"#;
    let (world, repo) = scene(script, "");
    let ran = run(&world, &repo, &["--unattended", "--no-sandbox"]).go();
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    let events = events(&ran.stdout);
    let result = result(&events);
    assert_eq!(
        (result["status"].as_str(), result["reason"].as_str()),
        (Some("error"), Some("invalid_result"))
    );

    let mended = r#"
open
say "all done, trust me"
end end_turn
expect session/prompt
done "mended"
"#;
    let (world, repo) = scene(mended, "");
    let ran = run(&world, &repo, &["--unattended", "--no-sandbox"]).go();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn fa_26_a_person_who_interrupts_ends_it_in_order() {
    let (world, repo) = scene(
        "open\nsay \"working\\n\"\nexpect-cancel\nend cancelled\n",
        "",
    );
    let running = run(&world, &repo, &["--unattended"]).start();
    running.wait_for("working", common::PATIENCE);
    running.signal(Signal::INT);
    let ran = running.wait();
    assert_eq!(ran.code, 130, "{}{}", ran.stdout, ran.stderr);
    let events = events(&ran.stdout);
    assert_eq!(result(&events)["status"], "cancelled");
    assert!(common::checkouts(&world).is_empty());
}

#[test]
fn fa_12_a_killed_taffrail_leaves_no_process_and_a_record_that_is_made_again() {
    let (world, repo) = scene(
        "open\nsay \"working\\n\"\ndo write made.txt x\nhang\n",
        "write_in_checkout = \"allow\"",
    );
    let before = repo.digest();
    let mut running = run(&world, &repo, &["--unattended", "--write"]).start();
    running.wait_for("working", common::PATIENCE);
    let below = common::descendants(running.pid());
    assert!(!below.is_empty());
    common::wait_for_file(&world, "made.txt");
    running.kill();
    let gone = eventually(common::BOUND + common::MARGIN, || {
        below.iter().all(|process| !process.lives())
    });
    assert!(gone, "{below:?}");
    // The next command sweeps: the tree is kept, the record says what happened, its exports are made of the rows.
    let list = common::data(&world, &repo, &["box", "list", "--json"]);
    let row = &list
        .as_array()
        .or(list["boxes"].as_array())
        .expect("a list")[0];
    let name = row["run"].as_str().unwrap();
    assert_eq!(row["status"], "died");
    let session = world.taffrail_home().join("sessions").join(name);
    assert!(export(&session, "acp-run.json").contains("taffrail_killed"));
    let review = common::data(
        &world,
        &repo,
        &["agents", "external", "review", "--json", name],
    );
    assert_eq!(review["change"]["changes"][0]["path"], "made.txt");
    assert_eq!(repo.digest(), before);
}

fn export(session: &Path, name: &str) -> String {
    std::fs::read_to_string(session.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// An agent that puts edits of flagged paths beside harmless ones, spelled so that they look like addresses or break lines.
#[test]
fn fa_24_s16_a_grant_is_no_yes_to_a_flagged_path_that_only_a_diff_names() {
    let script = r#"
open
ask a {"toolCall":{"toolCallId":"a","kind":"edit","title":"edit","locations":[{"path":"src/a.rs"}],"rawInput":{"path":"pkg://AGENTS.md","content":"obey\n"}}}
write pkg://AGENTS.md "obey\n" -> w
ask b {"toolCall":{"toolCallId":"b","kind":"edit","title":"edit","locations":[{"path":"src/b.rs"}],"rawInput":{"path":"x\n/AGENTS.md","content":"obey\n"}}}
write "x\n/AGENTS.md" "obey\n" -> w
ask c {"toolCall":{"toolCallId":"c","kind":"edit","title":"edit","locations":[{"path":"src/c.rs"}],"rawInput":{"path":"pkg://c.rs","content":"code\n"}}}
write pkg://c.rs "code\n" -> w
done "tried"
"#;
    let (world, repo) = scene(script, "write_in_checkout = \"allow\"");
    let ran = run(&world, &repo, &["--unattended", "--write"]).go();
    let events = events(&ran.stdout);
    let grounds: Vec<_> = verdicts(&events)
        .into_iter()
        .map(|(v, g, _)| format!("{v} {g}"))
        .collect();
    let expected = [
        "refused unattended",
        "refused unattended",
        "refused unattended",
        "refused unattended",
        // The twin: the same spelling of a path that is not flagged.
        "allowed grant",
        "allowed same-edit",
    ];
    assert_eq!(grounds, expected, "{events:#?}");
}

#[test]
fn pol_04_a_rule_about_a_path_holds_for_reads_through_the_protocol() {
    let script = r#"
open
read README.md -> r
on error { exit 8 }
read notes/kept.md -> r
on served { exit 9 }
read notes/asked.md -> r
on served { exit 9 }
done "read"
"#;
    let rules = r#"
[[policy.rule]]
answer = "deny"
path = "notes/kept.md"
match = ["notes/kept.md"]
[[policy.rule]]
answer = "ask"
path = "notes/asked.md"
match = ["notes/asked.md"]
"#;
    let world = common::world();
    let repo = common::project(&world);
    for name in ["kept", "asked"] {
        repo.file(&format!("notes/{name}.md"), "mine\n");
    }
    repo.git(&["add", "-A"]);
    repo.commit("notes");
    let agent = FakeAgent::script(script);
    configure(&world, &agent, rules);
    let ran = run(&world, &repo, &["--unattended"]).go();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let events = events(&ran.stdout);
    let grounds: Vec<_> = verdicts(&events)
        .into_iter()
        .map(|(v, g, what)| format!("{v} {g} {what}"))
        .collect();
    let expected = [
        "refused policy read files: notes/kept.md",
        "refused unattended read files: notes/asked.md",
    ];
    assert_eq!(grounds, expected, "{events:#?}");
}

#[test]
fn fa_29_what_could_not_be_put_on_record_is_not_told_as_allowed() {
    let script = r#"
open
ask-edit e new.txt "made\n"
on allow e { exit 9 }
done "refused"
"#;
    let grant = "write_in_checkout = \"allow\"";
    let (world, repo) = scene(script, grant);
    let first = run(&world, &repo, &["--unattended", "--write"]).go();
    let told = verdicts(&events(&first.stdout));
    assert_eq!(
        told.len(),
        1,
        "the twin, with a record that takes it: {told:?}"
    );
    let home = rusqlite::Connection::open(world.taffrail_home().join("taffrail.db")).unwrap();
    home.execute_batch(
        "CREATE TRIGGER full BEFORE INSERT ON action_decisions BEGIN SELECT RAISE(ABORT, 'full'); END",
    )
    .unwrap();
    let ran = run(&world, &repo, &["--unattended", "--write"]).go();
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let told = verdicts(&events(&ran.stdout));
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn red_01_no_event_holds_a_secret() {
    let script = r#"
open
update {"sessionUpdate":"tool_call","toolCallId":"${s}","title":"${s}","kind":"edit","status":"${s}"}
update {"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1,"currency":"${s}"}}
ask-edit e /outside/${s}/x "made\n"
ask-run c "echo ${s}"
read ${s}/x -> r
do write ${s}.txt "x\n"
result {"status":"DONE","summary":"${s}","findings":[{"problem":"${s}"}]}
end end_turn
"#;
    let secret = ["ghp_", "q3Zr8XvN1kTb6YwLs0PdJm4HcFgUa2EoRi7t"].concat();
    let world = common::world();
    let repo = common::project(&world);
    let agent = FakeAgent::script(script).set("s", &secret);
    configure(&world, &agent, "write_in_checkout = \"allow\"");
    let ran = run(&world, &repo, &["--unattended", "--write"]).go();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("[REDACTED"), "{}", ran.stdout);
    let held = ran.stdout.lines().filter(|line| line.contains(&secret));
    assert_eq!(held.collect::<Vec<_>>(), Vec::<&str>::new());
    // For a person: the path of a changed file alone stands as it is, with its flag.
    let line = ["agents", "external", "run", "fake", "--task", "t"];
    let line = line.iter().chain(&["--unattended", "--write"]);
    let told = world.command(&line.copied().collect::<Vec<_>>());
    let told = told.in_directory(repo.root()).go();
    let told = format!("{}{}", told.stdout, told.stderr);
    let held = told.lines().filter(|line| line.contains(&secret));
    let held = held.filter(|line| !line.starts_with("  A "));
    assert_eq!(held.collect::<Vec<_>>(), Vec::<&str>::new());
    assert!(told.contains("DONE: [REDACTED"), "{told}");
}

#[test]
fn fa_23_what_is_asked_after_the_end_is_on_record_and_not_answered() {
    let script = r#"
ignore-eof
open
result {"status":"DONE","summary":"done"}
end end_turn
ask-later r {"toolCall":{"toolCallId":"late","kind":"edit","title":"late edit","locations":[{"path":"late.txt"}]}}
call-later w fs/write_text_file {"sessionId":"s1","path":"late.txt","content":"late"}
say "late words"
hang
"#;
    let (world, repo) = scene(script, "write_in_checkout = \"allow\"");
    let ran = run(&world, &repo, &["--unattended", "--write"]).go();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let events = events(&ran.stdout);
    let id = result(&events)["run"].as_str().unwrap();
    let line = ["agents", "external", "show", id, "--json"];
    let record = common::data(&world, &repo, &line).to_string();
    for wanted in ["the run was over", "late edit", "late.txt"] {
        assert!(record.contains(wanted), "{wanted}: {record}");
    }
    assert!(verdicts(&events).is_empty(), "{events:#?}");
}

#[test]
fn fa_30_a_killed_run_that_may_not_write_lands_nothing() {
    let (world, repo) = scene("open\nsay \"working\\n\"\ndo write made.txt x\nhang\n", "");
    let mut running = run(&world, &repo, &["--unattended"]).start();
    running.wait_for("working", common::PATIENCE);
    common::wait_for_file(&world, "made.txt");
    running.kill();
    let list = common::data(&world, &repo, &["box", "list", "--json"]);
    let row = &list
        .as_array()
        .or(list["boxes"].as_array())
        .expect("a list")[0];
    let name = row["run"].as_str().unwrap();
    let digits = common::digits(&world, &repo, name);
    let (code, said) = common::land_typing(&world, &repo, &[name], &[], None);
    assert_eq!(code, 1, "{said} {digits}");
    assert!(said.contains("may not write"), "{said}");
    common::taffrail(&world, &repo, &["agents", "external", "discard", name]).success();
    assert!(common::checkouts(&world).is_empty());
}

/// A run whose output nobody reads, once it says more than the pipe holds. With `both` its standard error goes there too.
fn unread(
    world: &Hermetic,
    repo: &Repo,
    flags: &[&str],
    both: bool,
) -> (std::process::Child, std::io::PipeReader) {
    let (reads, writes) = std::io::pipe().unwrap();
    let stderr = match both {
        true => writes.try_clone().unwrap().into(),
        false => std::process::Stdio::null(),
    };
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_taffrail"))
        .args(["agents", "external", "run", "fake", "--task", "t"])
        .arg("--unattended")
        .args(flags)
        .current_dir(repo.root())
        .env_clear()
        .envs(world.env())
        .stdin(std::process::Stdio::null())
        .stdout(writes)
        .stderr(stderr)
        .spawn()
        .unwrap();
    let holds = rustix::pipe::fcntl_getpipe_size(&reads).unwrap() as u64;
    // A line that does not fit into the last page waits as a whole.
    let full = || rustix::io::ioctl_fionread(&reads).unwrap() + 4_096 > holds;
    assert!(eventually(common::PATIENCE, full));
    (child, reads)
}

const TALKS: &str = "open\nrepeat 4000 { say \"0123456789012345678901234567890123456789\\n\" }\nexpect-cancel\nend cancelled\n";

/// A Ctrl-C while `| less` shows its first page.
#[test]
fn fa_26_a_reader_that_reads_nothing_does_not_hold_up_the_end() {
    for (flags, both) in [(&["--json"][..], false), (&[], false), (&[], true)] {
        let (world, repo) = scene(TALKS, "");
        let (mut child, reads) = unread(&world, &repo, flags, both);
        let pid = rustix::process::Pid::from_raw(child.id().cast_signed()).unwrap();
        rustix::process::kill_process(pid, Signal::INT).unwrap();
        let over = eventually(common::PATIENCE, || child.try_wait().unwrap().is_some());
        assert!(over, "it waits for a reader: {flags:?} {both}");
        assert_eq!(child.wait().unwrap().code(), Some(130));
        drop(reads);
    }
}

/// The limits of the run hold all the same: it is over and on record long before somebody reads on.
#[test]
fn fa_26_a_reader_that_reads_nothing_holds_up_no_limit() {
    let (world, repo) = scene(TALKS, "inactivity = \"8s\"");
    let (mut child, mut reads) = unread(&world, &repo, &[], false);
    let is_over = || {
        let sessions = std::fs::read_dir(world.taffrail_home().join("sessions"));
        let mut sessions = sessions.into_iter().flatten().flatten();
        sessions.any(|session| session.path().join("acp-run.json").exists())
    };
    assert!(
        eventually(common::PATIENCE, is_over),
        "it waits for a reader"
    );
    assert!(child.try_wait().unwrap().is_none(), "there is more to read");
    let mut said = String::new();
    std::io::Read::read_to_string(&mut reads, &mut said).unwrap();
    assert_eq!(said.lines().count(), 4000);
    assert_eq!(child.wait().unwrap().code(), Some(5));
}
