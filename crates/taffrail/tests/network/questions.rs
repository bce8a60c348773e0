//! A host that nobody named is asked about: the inbox answers it while the connection waits.

use std::time::Duration;

use serde_json::json;
use taffrail_testkit::{FakeAgent, Running};

use super::common::{self, PATIENCE, press_once, taffrail};
use super::{ASK, Scene, entry, server};

/// A person at another terminal answers while the connection waits; a yes opens this place and no other.
#[test]
fn cnf_08_a_person_answers_for_a_host_from_the_inbox_while_the_run_waits() {
    let served = server(false);
    // The addresses are named, the name is not: `localhost` may lead to either.
    let addresses = [format!("127.0.0.1:{served}"), format!("[::1]:{served}")];
    let scene = Scene::new(&entry(&addresses, &[]));
    let script = format!("{ASK}\nask localhost:{served}; echo; ask evil.test:443");
    let line = [
        "box", "--name", "n", "--agent", "fake", "--net", "ask", "--", "bash", "-c", &script,
    ];
    let running = scene.world.command(&line).in_directory(scene.repo.root());
    let running = running.start();
    let id = scene.question(&format!("localhost:{served}"));
    let mut terminal = scene
        .world
        .terminal(scene.repo.root(), &["inbox", "answer", &id, "yes"]);
    press_once(&terminal, "y");
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", terminal.screen());
    let id = scene.question("evil.test:443");
    let mut terminal = scene
        .world
        .terminal(scene.repo.root(), &["inbox", "answer", &id, "no"]);
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", terminal.screen());
    let ran = running.wait().success();
    let said: Vec<&str> = ran.stdout.lines().collect();
    assert!(
        said[0].starts_with("HTTP/1.1 200 OK"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert!(
        said[1].starts_with("HTTP/1.1 403 Forbidden"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("others ask"), "{}", ran.stderr);
    let hosts = scene.hosts();
    let verdict = |host: &str| hosts.iter().find(|row| row["host"] == host).unwrap();
    assert_eq!(verdict("localhost")["verdict"], "asked");
    assert_eq!(verdict("evil.test")["why"], "not_answered");
}

/// A driven agent that reaches for a place which no rule names; a run of it has limits that no start of one takes.
fn driven() -> (Scene, String) {
    let served = server(false);
    let addresses = [format!("127.0.0.1:{served}"), format!("[::1]:{served}")];
    let agent = FakeAgent::script(
        "open\ndo shell \"bash ask.sh\" -> said\nsay \"${said.stdout}\"\ndone asked\n",
    );
    let scene = Scene::new(&format!(
        "external_agents.enabled = true\nexternal_agents.inactivity = \"8s\"\n\
         [external_agents.fake]\ntransport = \"acp\"\ntest = true\nhosts = {addresses:?}\n{}",
        agent.toml()
    ));
    let place = format!("localhost:{served}");
    scene.repo.file("ask.sh", format!("{ASK}\nask {place}\n"));
    scene.repo.commit("what the agent runs");
    (scene, place)
}

fn drive(scene: &Scene, more: &[&str]) -> Running {
    let line = ["agents", "external", "run", "fake", "--task", "t"];
    let flags = ["--net", "ask", "--timeout", "16s"];
    let line: Vec<&str> = [&line[..], &flags, more].concat();
    let run = scene.world.command(&line).in_directory(scene.repo.root());
    run.start()
}

/// The question is among its events, and neither of its clocks runs while a person is asked.
#[test]
fn fa_26_the_clocks_of_a_run_stand_still_while_a_person_is_asked_for_a_host() {
    let (scene, place) = driven();
    let running = drive(&scene, &["--json"]);
    let id = scene.question(&place);
    let answer = ["inbox", "answer", &id, "yes"];
    let mut terminal = scene.world.terminal(scene.repo.root(), &answer);
    terminal.wait_for("[y]es", PATIENCE);
    // Longer than either of its limits.
    terminal.wait_quiet(Duration::from_secs(17), PATIENCE);
    terminal.send("y");
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", terminal.screen());
    let ran = running.wait().success();
    let events = common::external::events(&ran.stdout);
    let of_type = |kind| common::external::of_type(&events, kind);
    let said = of_type("message")[0]["text"].as_str().unwrap();
    assert!(said.contains("200 OK"), "{events:#?}");
    let asked = of_type("question");
    assert_eq!(asked.len(), 1, "{events:#?}");
    assert_eq!(
        (&asked[0]["id"], &asked[0]["risk"]),
        (&json!(id), &json!("network"))
    );
    let told = format!("a person lets it reach {place}");
    let notes = of_type("note");
    assert!(notes.iter().any(|note| note["text"] == told), "{notes:#?}");
}

#[test]
fn evt_01_a_person_without_a_terminal_at_the_run_is_told_where_a_host_is_answered() {
    let (scene, place) = driven();
    let running = drive(&scene, &[]);
    let id = scene.question(&place);
    let no = ["inbox", "answer", &id, "no"];
    let mut terminal = scene.world.terminal(scene.repo.root(), &no);
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", terminal.screen());
    let said = running.wait().success().stderr;
    let how = format!("taffrail inbox answer {id} yes|no");
    let came = format!("may not reach {place}: a person said no");
    assert!(said.contains(&how) && said.contains(&came), "{said}");
    // And the record of the run shows it.
    let (run, _) = said.split_once(": completed").unwrap();
    let run = run.rsplit(' ').next().unwrap();
    let record = ["agents", "external", "show", run];
    let shown = taffrail(&scene.world, &scene.repo, &record).success();
    let row = format!("refused {place}, 1× (");
    assert!(shown.stdout.contains(&row), "{}", shown.stdout);
}
