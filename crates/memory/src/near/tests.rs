//! Planted changed values are near; unrelated texts are not.

use super::*;

/// A restatement with one changed value: `@` is the value.
const TEMPLATES: [(&str, &str, &str); 20] = [
    (
        "the connection pool of the billing service holds at most @ open connections",
        "20",
        "50",
    ),
    (
        "requests to the search endpoint time out after @ seconds and are retried once",
        "30",
        "90",
    ),
    (
        "the nightly export job starts at @ and writes to the reports bucket",
        "02:00",
        "04:30",
    ),
    (
        "we deploy the frontend from branch @ after the smoke tests are green",
        "main",
        "release",
    ),
    (
        "session tokens expire after @ minutes of inactivity on the admin console",
        "15",
        "60",
    ),
    (
        "uploads larger than @ megabytes are refused by the gateway with status 413",
        "10",
        "25",
    ),
    (
        "the staging database runs on @ with logical replication switched on",
        "postgres15",
        "postgres17",
    ),
    (
        "feature flags are read from @ at startup and cached for one minute",
        "redis",
        "consul",
    ),
    (
        "integration tests need the variable TEST_REGION set to @ before they start",
        "eu-west-1",
        "us-east-2",
    ),
    (
        "the owner of the payments module and its on-call rota is @ this quarter",
        "Marta",
        "Jonas",
    ),
    (
        "use the @ formatter for all TypeScript sources in the web folder",
        "prettier",
        "biome",
    ),
    (
        "log retention in the production cluster is @ days for access logs",
        "14",
        "90",
    ),
    (
        "the minimum supported Rust version of the parser crate is @ until autumn",
        "1.78",
        "1.85",
    ),
    (
        "invoices are numbered per @ and the counter starts again at one",
        "year",
        "month",
    ),
    (
        "der Import der Kundendaten läuft jede Nacht um @ Uhr auf dem Server Elbe",
        "drei",
        "fünf",
    ),
    (
        "les sauvegardes de la base principale sont gardées pendant @ jours au coffre",
        "trente",
        "soixante",
    ),
    (
        "la cola de mensajes reintenta cada envío fallido hasta @ veces con espera creciente",
        "tres",
        "ocho",
    ),
    (
        "кэш каталога товаров обновляется каждые @ минут фоновой задачей сервера",
        "десять",
        "сорок",
    ),
    (
        "rate limiting on the public API is @ calls per minute and key",
        "600",
        "1200",
    ),
    (
        "the mobile client must pin certificate authority @ for all backend calls",
        "alpha",
        "omega",
    ),
];

/// How the second writer says the same: a light restatement around the changed value.
const TURNS: [(&str, &str); 5] = [
    ("", ""),
    ("", "."),
    ("Note: ", ""),
    ("", ", as agreed"),
    ("Now ", "!"),
];

fn planted() -> Vec<(String, String)> {
    let pair = |(template, old, new): &(&str, &str, &str), (before, after): &(&str, &str)| {
        let first = template.replace('@', old);
        let second = format!("{before}{}{after}", template.replace('@', new));
        (first, second)
    };
    TEMPLATES
        .iter()
        .flat_map(|template| TURNS.iter().map(move |turn| pair(template, turn)))
        .collect()
}

#[test]
fn mem_05_changed_values_are_shown_beside_what_they_change() {
    let pairs = planted();
    assert_eq!(pairs.len(), 100);
    let missed: Vec<_> = pairs.iter().filter(|(a, b)| !is_near(a, b)).collect();
    assert!(missed.len() <= 5, "{} missed: {missed:#?}", missed.len());
}

#[test]
fn mem_05_unrelated_texts_are_not_near() {
    let lessons = crate::orders::tests::plain_lessons();
    let pairs = lessons.iter().enumerate().flat_map(|(at, one)| {
        lessons
            .iter()
            .skip(at + 1)
            .step_by(7)
            .map(move |two| (one, two))
    });
    let pairs: Vec<_> = pairs.take(600).collect();
    assert_eq!(pairs.len(), 600);
    let alarms: Vec<_> = pairs.iter().filter(|(a, b)| is_near(a, b)).collect();
    assert!(
        alarms.len() <= 6,
        "{} false alarms: {alarms:#?}",
        alarms.len()
    );
}

#[test]
fn mem_05_templates_about_different_things_are_not_near() {
    for (at, one) in TEMPLATES.iter().enumerate() {
        for two in TEMPLATES.iter().skip(at + 1) {
            assert!(!is_near(one.0, two.0), "{} / {}", one.0, two.0);
        }
    }
}

#[test]
fn mem_05_similarity_is_symmetric_bounded_and_whole_for_the_same() {
    for (a, b) in planted() {
        let there = similarity(&a, &b);
        assert!((there - similarity(&b, &a)).abs() < f64::EPSILON);
        assert!((0.0..=1.0).contains(&there));
        assert!((similarity(&a, &a) - 1.0).abs() < f64::EPSILON);
    }
    assert!(similarity("", "").abs() < f64::EPSILON);
    assert!(similarity("?!", "...").abs() < f64::EPSILON);
}
