//! What is shown of agents before one runs: the list, and a probe.

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use taffrail_testkit::{eventually, executable};

use super::common::{self, PATIENCE, taffrail};
use super::{external, find, marking, user};

#[test]
fn fa_01_the_list_is_for_people_and_for_scripts() {
    let (mut world, repo) = user();
    let bin = world.directory("bin");
    marking(&bin.join("mine-is-not-here"), &world.root().join("mark"));
    let tools = common::tools(&world);
    world.set_env("PATH", format!("{}:{}", bin.display(), tools.display()));
    let listed = taffrail(&world, &repo, &external(&["list", "--json"]))
        .success()
        .json();
    let data = &listed["data"];
    let mine = find(data["agents"].as_array().unwrap(), "mine");
    assert_eq!(mine["installed"], true, "{mine}");
    assert_eq!(mine["version"], "1.2.3");
    assert_eq!(mine["gates"].as_array().unwrap().len(), 7);
    // What is not here is not open, whatever else is.
    let away = find(data["agents"].as_array().unwrap(), "gemini-acp");
    let program = &away["gates"][6];
    assert_eq!(
        (&away["installed"], &away["open"]),
        (&false.into(), &false.into())
    );
    assert_eq!(
        (&program["gate"], &program["code"]),
        (&"program".into(), &"agent_missing".into())
    );
    assert_eq!(mine["gates"][2]["gate"], "enabled");
    assert_eq!(mine["gates"][2]["code"], "external_off");
    assert!(["none", "partial", "full"].contains(&data["sandbox"]["rung"].as_str().unwrap()));
    let ran = taffrail(&world, &repo, &external(&["list"])).success();
    let mine = ran
        .stdout
        .lines()
        .find(|line| line.starts_with("mine "))
        .unwrap();
    assert!(
        mine.contains("acp") && mine.contains("1.2.3") && mine.contains("shut: enabled"),
        "{mine}"
    );
    assert!(ran.stderr.contains("sandbox: "), "{}", ran.stderr);
    let away = ran
        .stdout
        .lines()
        .find(|line| line.starts_with("gemini-acp "));
    assert!(
        away.is_some_and(|line| line.contains("program")),
        "{}",
        ran.stdout
    );
    assert!(
        !ran.stderr.contains("gemini"),
        "the table says it: {}",
        ran.stderr
    );
    std::fs::remove_file(world.root().join("mark")).unwrap();
    let unprobed = taffrail(&world, &repo, &external(&["list", "--json", "--no-probe"]))
        .success()
        .json();
    let mine = find(unprobed["data"]["agents"].as_array().unwrap(), "mine");
    assert_eq!(mine["installed"], Value::Null);
    assert_eq!(mine["gates"].as_array().unwrap().len(), 6);
    assert!(!world.root().join("mark").exists(), "nothing was started");
}

#[test]
fn fa_03_a_probe_names_what_would_be_lent_and_reads_none_of_it() {
    let (mut world, repo) = user();
    std::fs::create_dir_all(world.home().join(".gemini")).unwrap();
    std::fs::write(
        world.home().join(".gemini/oauth_creds.json"),
        "{\"token\":\"hush-hush\"}",
    )
    .unwrap();
    world.set_env("GEMINI_API_KEY", "hush-hush");
    let probed = taffrail(&world, &repo, &external(&["probe", "gemini-acp", "--json"])).success();
    assert!(!probed.stdout.contains("hush-hush"));
    let data = &probed.json()["data"];
    assert_eq!(
        data["sign_in_files"],
        serde_json::json!([".gemini/oauth_creds.json"])
    );
    assert_eq!(data["variables"], serde_json::json!(["GEMINI_API_KEY"]));
    assert_eq!(data["auth_method"], "gemini-api-key");
    let shown = taffrail(&world, &repo, &external(&["probe", "gemini-acp"])).success();
    assert!(
        shown.stdout.contains("missing-file-is-empty"),
        "{}",
        shown.stdout
    );
    // What is not set, and what is not named, is told as what it means.
    let told = |id| {
        taffrail(&world, &repo, &external(&["probe", id]))
            .success()
            .stdout
    };
    let (qwen, mine) = (told("qwen-acp"), told("mine"));
    assert!(qwen.contains("none is set of OPENAI_API_KEY, "), "{qwen}");
    assert!(mine.contains("any host, by port"), "{mine}");
}

#[test]
fn fa_03_what_a_killed_probe_left_is_gone_after_a_later_one() {
    let (world, repo) = user();
    let program = world.root().join("slow");
    marking(&program, &world.root().join("mark"));
    let begun = world.root().join("begun");
    let slow = format!(
        "#!/bin/sh\n[ -e {0} ] || {{ touch {0}; exec sleep 15; }}\necho 1.2.3\n",
        begun.display()
    );
    executable(&program, slow);
    world.config(&format!(
        "[external_agents]\nenabled = true\n[external_agents.slow]\ncommand = \"{}\"\ntransport = \"acp\"\n",
        program.display()
    ));
    let line = external(&["probe", "slow"]);
    let probing = world.command(&line).in_directory(repo.root()).start();
    assert!(eventually(PATIENCE, || begun.exists()));
    common::kill_nine(probing);
    let homes = || -> Vec<PathBuf> {
        let entries = std::fs::read_dir(world.root().join("tmp")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let left = homes();
    assert_eq!(left.len(), 1, "the twin: it was killed in the middle");
    // A moment later it could be that of another probe which still goes on.
    taffrail(&world, &repo, &line).success();
    assert_eq!(homes(), left);
    let then = SystemTime::now() - Duration::from_secs(3600);
    File::open(&left[0]).unwrap().set_modified(then).unwrap();
    taffrail(&world, &repo, &line).success();
    assert_eq!(homes(), Vec::<PathBuf>::new());
}
