//! Promise: why a recall gave what it gave, why it did not, and where a memory went, can be told afterwards (REC-06,
//! REC-07, REC-08).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::{committed, data, taffrail, world};
use serde_json::{Value, json};
use taffrail_testkit::{Hermetic, Repo};

fn add(world: &Hermetic, repo: &Repo, text: &str) -> String {
    let added = data(world, repo, &["memory", "add", text, "--json"]);
    let id = added["memory"].as_str().or_else(|| added["id"].as_str());
    id.unwrap_or_else(|| panic!("{added}")).to_owned()
}

/// The trace that a search leaves.
fn search(world: &Hermetic, repo: &Repo, query: &str, include: &str) -> String {
    let args = ["memory", "search", query, "--include", include, "--json"];
    data(world, repo, &args)["trace"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn why(world: &Hermetic, repo: &Repo, trace: &str) -> Value {
    data(world, repo, &["memory", "why", trace, "--json"])[0].clone()
}

fn why_not(world: &Hermetic, repo: &Repo, memory: &str, trace: &str) -> Value {
    data(
        world,
        repo,
        &["memory", "why-not", memory, "--trace", trace, "--json"],
    )
}

#[test]
fn rec_06_a_search_can_be_asked_why() {
    let world = world();
    let repo = committed(&world);
    let cents = add(&world, &repo, "We keep amounts in cents as whole numbers.");
    add(&world, &repo, "The build server stands in the cellar.");
    let trace = search(&world, &repo, "how do we keep amounts", "pending");
    let why = why(&world, &repo, &trace);
    assert_eq!(
        (&why["query"], &why["surface"]),
        (&json!("how do we keep amounts"), &json!("search"))
    );
    let item = &why["items"][0];
    assert_eq!(
        (&item["memory"], &item["outcome"], &item["grade"]),
        (&json!(cents), &json!("given"), &json!("pending"))
    );
    let figure = |key: &str| item[key].as_f64().unwrap();
    assert!(
        (figure("score") - figure("relevance") * figure("fade")).abs() < 1e-6,
        "{item}"
    );
    let told = taffrail(&world, &repo, &["memory", "why", &trace])
        .success()
        .stdout;
    for word in ["how do we keep amounts", "given", cents.as_str(), "terms"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    let listed = taffrail(&world, &repo, &["memory", "why"]).success().stdout;
    assert!(listed.contains(&trace), "{listed}");
}

#[test]
fn rec_07_why_not_tells_the_filter_from_the_rank() {
    let world = world();
    let repo = committed(&world);
    let pending = add(&world, &repo, "We keep amounts in cents as whole numbers.");
    let other = add(&world, &repo, "The build server stands in the cellar.");
    let approved = search(&world, &repo, "keep amounts", "approved");
    let answer = why_not(&world, &repo, &pending, &approved);
    assert_eq!(answer["kept_out_by"], "status", "{answer}");
    let all = search(&world, &repo, "keep amounts", "pending");
    let answer = why_not(&world, &repo, &other, &all);
    assert_eq!(
        (&answer["kept_out_by"], &answer["recorded"]),
        (&json!("no_shared_term"), &json!(false)),
        "{answer}"
    );
    assert_eq!(
        why_not(&world, &repo, &pending, &all)["kept_out_by"],
        "given"
    );
    let elsewhere = world.directory("elsewhere");
    let ran = world.taffrail_in(
        &elsewhere,
        &[
            "memory",
            "search",
            "keep amounts",
            "--include",
            "pending",
            "--personal",
            "--json",
        ],
    );
    let personal = ran.success().json()["data"]["trace"]
        .as_str()
        .unwrap()
        .to_owned();
    let answer = why_not(&world, &repo, &pending, &personal);
    assert_eq!(answer["kept_out_by"], "project", "{answer}");
    let later = add(
        &world,
        &repo,
        "We keep amounts of foreign money in cents too.",
    );
    assert_eq!(why_not(&world, &repo, &later, &all)["kept_out_by"], "later");
}

#[test]
fn rec_07_blame_lists_the_recalls_that_a_memory_was_in() {
    let world = world();
    let repo = committed(&world);
    let memory = add(&world, &repo, "We keep amounts in cents as whole numbers.");
    let first = search(&world, &repo, "keep amounts", "pending");
    let second = search(&world, &repo, "amounts in cents", "pending");
    search(&world, &repo, "the weather", "pending");
    let blame = data(&world, &repo, &["memory", "blame", &memory, "--json"]);
    let traces: Vec<_> = blame["reached"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["trace"].clone())
        .collect();
    assert_eq!(traces, [json!(second), json!(first)], "newest first");
    let told = taffrail(&world, &repo, &["memory", "blame", &memory])
        .success()
        .stdout;
    assert!(told.contains("given in 2 of 2"), "{told}");
    let refused = taffrail(&world, &repo, &["memory", "blame", &memory, "--retract"]);
    assert_eq!(
        refused.code, 3,
        "no terminal, no decision: {}",
        refused.stderr
    );
}

#[test]
fn rec_06_what_is_not_there_is_said() {
    let world = world();
    let repo = committed(&world);
    for args in [
        &["memory", "why", "trc_zzzzzzzzzz"][..],
        &["memory", "why", "run_zzzzzzzzzz:1"],
        &["memory", "blame", "mem_zzzzzzzzzz"],
        &[
            "memory",
            "why-not",
            "mem_zzzzzzzzzz",
            "--trace",
            "trc_zzzzzzzzzz",
        ],
    ] {
        let ran = taffrail(&world, &repo, args);
        assert_eq!(ran.code, 7, "{args:?}: {} {}", ran.stdout, ran.stderr);
    }
}

#[test]
fn rec_06_a_secret_in_a_question_is_not_kept() {
    let world = world();
    let repo = committed(&world);
    let token = ["ghp", "_", "x7Kq2Vb9Rt4Lm8Zc1Nd6Wp3Hs5Jf0Yg9QaEu"].concat();
    let trace = search(&world, &repo, &format!("what is {token} for"), "pending");
    let why = why(&world, &repo, &trace).to_string();
    assert!(!why.contains(&token), "{why}");
    assert!(common::holds(&world.taffrail_home(), token.as_bytes()).is_empty());
}

#[test]
fn rec_06_a_prompt_that_was_shown_can_be_replayed() {
    let world = world();
    let repo = committed(&world);
    add(&world, &repo, "We keep amounts in cents as whole numbers.");
    taffrail(
        &world,
        &repo,
        &["prompt", "show", "--query", "keep amounts"],
    )
    .success();
    let listed = data(&world, &repo, &["memory", "why", "--json"]);
    let row = listed
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["surface"] == "prompt");
    let trace = row.unwrap_or_else(|| panic!("{listed}"))["trace"]
        .as_str()
        .unwrap()
        .to_owned();
    let replayed = data(
        &world,
        &repo,
        &["memory", "why", &trace, "--replay", "--json"],
    );
    assert_eq!(replayed[0]["replay"]["same"], true, "{replayed}");
    assert_eq!(
        replayed[0]["items"].as_array().map(Vec::len),
        Some(0),
        "nothing was approved: {replayed}"
    );
}
