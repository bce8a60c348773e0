//! Near duplicates: what changed stands beside what it changes.

use super::*;

#[test]
fn mem_05_near_duplicates_are_found_when_they_arrive_and_nothing_merges() {
    let Kept { store, _dir, .. } = kept();
    let ours = project(&store, "ours", "/ours");
    let scope = Scope::Project(ours.id);
    let text = "the release script retries the upload seven times before it gives up on the mirror";
    let old = said(&store, scope, text);
    let unapproved = said(&store, scope, &text.replace("seven", "eight"));
    assert!(
        store.neighbours(&unapproved).unwrap().is_empty(),
        "the old one was not approved yet"
    );
    confirm(&store, &[old]);
    let near = store.neighbours(&unapproved).unwrap();
    assert_eq!(near[0].memory, old, "what was approved since counts too");
    let changed = said(&store, scope, &text.replace("seven", "nine"));
    let near = store.neighbours(&changed).unwrap();
    assert_eq!((near.len(), near[0].memory), (1, old));
    assert!(near[0].similarity > 0.7 && near[0].similarity < 1.0);
    assert_eq!(store.memory(&old).unwrap().status, MemoryStatus::Confirmed);
    let personal = said(&store, Scope::Personal, &text.replace("seven", "ten"));
    assert!(
        store.neighbours(&personal).unwrap().is_empty(),
        "another scope's row"
    );
}

/// Facts of a coding project with one value each, and what the value becomes.
const FACTS: [(&str, [&str; 4], &str); 25] = [
    (
        "the billing service keeps amounts in @ and rounds half even at the last step",
        ["cents", "euros", "mills", "satoshi"],
        "decimals",
    ),
    (
        "builds of the web client run on Node @ in every pipeline",
        ["18", "20", "22", "24"],
        "26",
    ),
    (
        "the session cookie lives for @ minutes after the last request",
        ["15", "30", "45", "60"],
        "90",
    ),
    (
        "migrations are applied by the @ job before the new pods start",
        ["init", "deploy", "release", "nightly"],
        "manual",
    ),
    (
        "the search index is rebuilt every @ by the cron of the indexer",
        ["hour", "night", "week", "month"],
        "quarter",
    ),
    (
        "uploads above @ megabytes go through the resumable endpoint",
        ["8", "16", "32", "64"],
        "128",
    ),
    (
        "feature flags are read from @ when the worker boots",
        ["redis", "consul", "etcd", "vault"],
        "postgres",
    ),
    (
        "the retry budget of the mail queue is @ attempts a day",
        ["three", "five", "eight", "twelve"],
        "twenty",
    ),
    (
        "log lines of the gateway are written as @ to standard output",
        ["json", "logfmt", "text", "cbor"],
        "protobuf",
    ),
    (
        "integration tests talk to a @ container on a random port",
        ["mysql", "postgres", "mongo", "kafka"],
        "sqlite",
    ),
    (
        "the public API answers in version @ unless the header asks for another",
        ["v1", "v2", "v3", "v4"],
        "v5",
    ),
    (
        "customer exports are encrypted with the key of the @ region",
        ["frankfurt", "dublin", "paris", "milan"],
        "warsaw",
    ),
    (
        "the linter of the backend is @ with the rules in the root folder",
        ["ruff", "flake8", "pylint", "pyright"],
        "mypy",
    ),
    (
        "thumbnails are stored in @ format at two sizes",
        ["webp", "avif", "jpeg", "png"],
        "heic",
    ),
    (
        "the rate limiter counts requests per @ and forgets them after a minute",
        ["tenant", "address", "token", "session"],
        "device",
    ),
    (
        "release branches are cut on @ by whoever is on call",
        ["monday", "tuesday", "wednesday", "thursday"],
        "friday",
    ),
    (
        "the payment webhook must answer within @ seconds or it is sent again",
        ["two", "four", "six", "ten"],
        "fifteen",
    ),
    (
        "translations are pulled from @ during the build of the app",
        ["crowdin", "lokalise", "weblate", "transifex"],
        "phrase",
    ),
    (
        "background jobs of the importer run with @ workers per node",
        ["2", "4", "6", "8"],
        "12",
    ),
    (
        "the staging database is refreshed from production every @ night",
        ["first", "second", "third", "fourth"],
        "last",
    ),
    (
        "deletes of accounts are kept for @ days before they are final",
        ["7", "14", "21", "28"],
        "35",
    ),
    (
        "the mobile app refuses servers older than release @ of the protocol",
        ["31", "33", "35", "37"],
        "39",
    ),
    (
        "metrics of the scheduler are scraped every @ seconds by the collector",
        ["5", "10", "20", "40"],
        "80",
    ),
    (
        "pull requests need @ approvals before the merge queue takes them",
        ["one", "two", "three", "four"],
        "six",
    ),
    (
        "the cache of the catalogue is warmed by the @ task after a deploy",
        ["rake", "celery", "sidekiq", "airflow"],
        "dagster",
    ),
];

#[test]
fn mem_05_a_hundred_changed_values_stand_beside_what_they_change() {
    let Kept { store, _dir, .. } = kept();
    let (mut shown, mut alarms) = (0, 0);
    let mut approved = Vec::new();
    for round in 0..4 {
        let ours = project(&store, &format!("p{round}"), &format!("/p{round}"));
        let scope = Scope::Project(ours.id);
        let old: Vec<_> = FACTS
            .iter()
            .map(|(fact, values, _)| said(&store, scope, &fact.replace('@', values[round])))
            .collect();
        confirm(&store, &old);
        for ((fact, _, value), old) in FACTS.iter().zip(&old) {
            let new = said(&store, scope, &fact.replace('@', value));
            let near = store.neighbours(&new).unwrap();
            shown += usize::from(near.iter().any(|near| near.memory == *old));
            alarms += near.iter().filter(|near| near.memory != *old).count();
        }
        approved.extend(old);
    }
    assert!(
        shown >= 95,
        "{shown} of 100 are shown beside what they change"
    );
    assert_eq!(
        alarms, 0,
        "of 2,400 pairs that have nothing to do with each other"
    );
    for memory in approved {
        let row = store.memory(&memory).unwrap();
        assert_eq!(
            row.status,
            MemoryStatus::Confirmed,
            "nothing changes without a person"
        );
        assert_eq!(row.retired_by, None);
    }
}
