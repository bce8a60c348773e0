//! RED-01 to RED-03 on secrets and on harmless lines as they lie about in projects, shells and logs.

use std::collections::BTreeMap;

use taffrail_redact::{Options, Redactor};

#[allow(dead_code)]
mod corpus;
mod field;

use corpus::Dice;
use field::{Case, cases, harmless, sizes};

fn redactor() -> Redactor {
    Redactor::new(Options::default())
}

fn is_clean(case: &Case) -> bool {
    let clean = redactor().clean(&case.text);
    !case
        .secrets
        .iter()
        .any(|secret| clean.as_str().contains(secret))
}

#[test]
fn red_02_secrets_are_found_where_they_lie_about() {
    let [tokens, contexts, named, forms] = sizes();
    assert!(tokens >= 150 && contexts >= 45 && named >= 80 && forms >= 200);
    let cases = cases(&mut Dice(41), 6);
    let missed: Vec<&str> = cases
        .iter()
        .filter(|case| !is_clean(case))
        .map(|case| case.text.as_str())
        .collect();
    let all = cases.len();
    assert!(
        missed.len() * 100 <= all,
        "{} of {all}: {missed:#?}",
        missed.len()
    );
}

#[test]
fn red_02_every_format_is_found_in_most_settings() {
    let mut figures: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for case in cases(&mut Dice(43), 8) {
        let (hits, total) = figures.entry(case.format.clone()).or_default();
        *hits += usize::from(is_clean(&case));
        *total += 1;
    }
    for (format, (hits, total)) in figures.iter().filter(|(_, (_, total))| *total > 4) {
        assert!(hits * 10 >= total * 8, "{format}: {hits} of {total}");
    }
}

#[test]
fn red_02_s32_twin_the_texts_hold_their_secrets() {
    for case in cases(&mut Dice(41), 6) {
        assert!(!case.secrets.is_empty(), "{}", case.text);
        for secret in &case.secrets {
            assert!(case.text.contains(secret), "{}", case.text);
        }
    }
}

#[test]
fn red_03_harmless_lines_are_left_alone() {
    let redactor = redactor();
    let (mut lines, mut found) = (0, Vec::new());
    for seed in 0..12 {
        for text in harmless(&mut Dice(seed)) {
            lines += text.lines().count();
            if redactor.clean(&text).as_str() != text {
                found.push(redactor.clean(&text).into_string());
            }
        }
    }
    assert!(lines >= 2_000, "{lines}");
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn red_01_the_same_for_every_chunking_and_twice_is_once() {
    let redactor = redactor();
    let text: String = cases(&mut Dice(47), 2)
        .iter()
        .map(|case| format!("{}\n\n", case.text))
        .collect();
    let whole = redactor.clean(&text);
    assert_eq!(redactor.clean(whole.as_str()), whole);
    for size in [1, 61, 4096, 20_000] {
        let (mut stream, mut out) = (redactor.stream(), Vec::new());
        for chunk in text.as_bytes().chunks(size) {
            stream.push(chunk, &mut out);
        }
        stream.finish(&mut out);
        assert!(
            String::from_utf8_lossy(&out) == whole.as_str(),
            "chunks of {size}"
        );
    }
}

#[test]
fn red_02_of_a_hash_salt_and_digest_go() {
    let dice = &mut Dice(53);
    for (before, hash, after) in [
        ("root:", "$6${w:8}${w:86}", ":19000:0:99999:7:::"),
        ("bob:!", "$y$j9T${w:22}${w:43}", ":19500::::::"),
        ("web:", "$apr1${w:8}${w:22}", "\n"),
        ("{SSHA}", "{b:38}==", "\nmail: x"),
        (
            "VALUES ('a', '",
            "pbkdf2_sha256$600000${w:22}${b:43}=",
            "')",
        ),
        ("AS '*", "{H:39}4", "';"),
        ("'SCRAM-SHA-256$", "4096:{b:22}==${b:43}=:{b:43}=", "'"),
        ("users=me:$", "$2y$$05$${w:53}", "\""),
    ] {
        let hash = corpus::fill(hash, dice);
        let text = format!("{before}{hash}{after}");
        let clean = redactor().clean(&text);
        let masked = format!("{before}[REDACTED:secret]{after}");
        assert_eq!(clean.as_str(), masked, "{text}");
        let found = redactor().findings(&text);
        assert_eq!(found[0].family.as_str(), "password-hash");
    }
}

#[test]
fn red_02_a_word_alone_is_a_password_where_only_passwords_are_assigned() {
    for (before, word, after) in [
        ("DB_PASSWORD=", "bluewhale", "\n"),
        ("+export DB_PASSWORD=", "bluewhale", "\n"),
        ("db.password=", "bluewhale", "\r\nx=1"),
        ("Uid=u;Pwd=", "bluewhale", ";x=1"),
        ("?user=u&password=", "bluewhale", "&x=1"),
        ("PASSWORD: ", "bluewhale", "\n"),
        ("DB_PASS=\"", "Bluewhale", "\""),
        ("IDENTIFIED BY '", "bluewhale", "'"),
        ("\"password\": \"", "dragon", "\""),
    ] {
        let text = format!("{before}{word}{after}");
        let masked = format!("{before}[REDACTED:secret]{after}");
        assert_eq!(redactor().clean(&text).as_str(), masked);
    }
    for text in [
        "    password=bluewhale\n",
        "password = bluewhale\n",
        "password: bluewhale\n",
        "f(password=bluewhale)",
        "\"password\": \"bluewhale\"",
        "PASSWORD=postgres\n",
        "PASSWORD=disabled\n",
        "RESET_PASSWORD=bluewhale\n",
        "PASSWORD_TYPE=bluewhale\n",
    ] {
        assert_eq!(redactor().clean(text).as_str(), text);
    }
}
