//! `taffrail secret`: where values are kept, who may name the place, and that no value ever comes out (SEC-01, SEC-02).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // looks at what was made, with the plain file system

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use common::{PATIENCE, holds, world};
use taffrail_domain::Millis;
use taffrail_secrets::{Backend, Change, FileBackend, FileKey, Name, Secret, SecretsError, Vault};
use taffrail_testkit::{Hermetic, Key, Ran};

const SENTINEL: &str = "sentinel-VALUE-7f3a91";

fn key_file(world: &Hermetic) -> PathBuf {
    world.root().join("key")
}

/// A world whose secrets lie in the file, opened by a key file.
fn with_file() -> Hermetic {
    let world = world();
    let path = key_file(&world);
    let args = ["secret", "backend", "file", "--key-file"];
    let args = args.iter().map(|arg| (*arg).to_owned());
    let args: Vec<String> = args.chain([path.display().to_string()]).collect();
    world.taffrail(&args).success();
    world
}

fn set(world: &Hermetic, name: &str, input: &[u8]) -> Ran {
    world.command(&["secret", "set", name]).input(input).go()
}

/// The file as the test itself reads and writes it.
struct Plain(PathBuf);

impl Vault for Plain {
    fn read(&self) -> std::io::Result<Option<Vec<u8>>> {
        std::fs::read(&self.0).map(Some)
    }

    fn update(&self, change: &mut Change<'_>) -> Result<(), SecretsError> {
        let before = std::fs::read(&self.0).ok();
        std::fs::write(&self.0, change(before)?).unwrap();
        Ok(())
    }
}

fn inside(world: &Hermetic) -> FileBackend<Plain> {
    let key = Secret::new(std::fs::read(key_file(world)).unwrap());
    let vault = Plain(world.taffrail_home().join("secrets.sealed"));
    FileBackend::open(vault, FileKey::of_key_file(key).unwrap()).unwrap()
}

fn value(world: &Hermetic, name: &str) -> Option<Vec<u8>> {
    let found = inside(world).get(&name.parse().unwrap()).unwrap();
    found.map(|secret| secret.expose().to_vec())
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// What `doctor` says of the place of secrets: the weight and the words of each finding.
fn diagnosed(world: &Hermetic) -> Vec<(String, String)> {
    let answer = world.taffrail(&["doctor", "--json"]).json();
    let findings = answer["data"]
        .as_array()
        .or(answer["data"]["findings"].as_array());
    let ours = findings
        .unwrap()
        .iter()
        .filter(|finding| finding["about"] == "secrets");
    let word = |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap().to_owned();
    ours.map(|finding| (word(finding, "weight"), word(finding, "saw")))
        .collect()
}

#[track_caller]
fn assert_diagnosed(world: &Hermetic, weight: &str, words: &str) {
    let found = diagnosed(world);
    let fits = |(found, saw): &(String, String)| found == weight && saw.contains(words);
    assert!(found.iter().any(fits), "{found:?}");
}

#[test]
fn sec_01_doctor_says_which_place_it_is_and_what_is_wrong_with_it() {
    let headless = world();
    assert_diagnosed(&headless, "warning", "headless");
    assert!(!headless.taffrail_home().join("secrets.sealed").exists());
    let world = with_file();
    assert_diagnosed(&world, "good", "opens with a key file, persistent");
    let sealed = world.taffrail_home().join("secrets.sealed");
    std::fs::set_permissions(&sealed, PermissionsExt::from_mode(0o640)).unwrap();
    assert_diagnosed(&world, "warning", "mode 0640");
    std::fs::remove_file(key_file(&world)).unwrap();
    assert_diagnosed(&world, "bad", "it is not there");
    std::fs::write(&sealed, b"not ours").unwrap();
    assert_diagnosed(&world, "bad", "damaged");
    std::fs::remove_file(&sealed).unwrap();
    assert_diagnosed(&world, "bad", "secrets.sealed was chosen and is not there");
}

#[test]
fn sec_01_without_a_keychain_and_without_a_choice_nothing_is_kept_and_the_way_out_is_named() {
    let world = world();
    let ran = set(&world, "openai", SENTINEL.as_bytes()).expect_code(1);
    assert!(ran.stderr.contains("no keychain answers"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("hint: taffrail secret backend file"),
        "{}",
        ran.stderr
    );
    let ran = world.taffrail(&["secret", "list", "--json"]).expect_code(1);
    assert_eq!(ran.json()["error"]["code"], "keychain_unavailable");
    assert!(!world.taffrail_home().join("secrets.sealed").exists());
    assert_eq!(
        holds(world.root(), SENTINEL.as_bytes()),
        Vec::<PathBuf>::new()
    );
    // Nobody is there to type a passphrase.
    let ran = world
        .taffrail(&["secret", "backend", "file"])
        .expect_code(3);
    assert!(ran.stderr.contains("terminal"), "{}", ran.stderr);
    assert!(!world.taffrail_home().join("secrets.sealed").exists());
}

#[test]
fn sec_01_the_file_is_chosen_kept_private_and_opens_with_its_key_file_only() {
    let world = with_file();
    let sealed = world.taffrail_home().join("secrets.sealed");
    assert_eq!((mode(&sealed), mode(&key_file(&world))), (0o600, 0o600));
    assert_eq!(std::fs::read(key_file(&world)).unwrap().len(), 32);
    set(&world, "openai", b"one\n").success();
    let listed = world
        .taffrail(&["secret", "list", "--json"])
        .success()
        .json();
    assert_eq!(listed["data"][0]["name"], "openai");
    assert_eq!(listed["data"][0]["backend"], "file");
    assert!(listed["data"][0]["since"].as_str().unwrap().ends_with('Z'));
    let shown = world
        .taffrail(&["secret", "backend", "--json"])
        .success()
        .json();
    assert_eq!(shown["data"]["opens_with"], "key-file");
    world.taffrail(&["secret", "rm", "openai"]).success();
    let gone = world.taffrail(&["secret", "rm", "openai"]).expect_code(7);
    assert!(
        gone.stderr.contains("no secret `openai`"),
        "{}",
        gone.stderr
    );
    // Another key, a key that others read, and none.
    let right = std::fs::read(key_file(&world)).unwrap();
    std::fs::write(key_file(&world), [1; 32]).unwrap();
    let wrong = world.taffrail(&["secret", "list"]).expect_code(3);
    assert!(
        wrong.stderr.contains("the key file does not fit"),
        "{}",
        wrong.stderr
    );
    std::fs::write(key_file(&world), &right).unwrap();
    std::fs::set_permissions(key_file(&world), PermissionsExt::from_mode(0o644)).unwrap();
    let wide = world.taffrail(&["secret", "list"]).expect_code(1);
    assert!(wide.stderr.contains("0644"), "{}", wide.stderr);
    std::fs::remove_file(key_file(&world)).unwrap();
    world.taffrail(&["secret", "list"]).expect_code(1);
}

#[test]
fn sec_01_a_value_comes_from_a_pipe_as_it_is_but_for_the_line_end() {
    let world = with_file();
    for (input, kept) in [
        (&b"value\n"[..], &b"value"[..]),
        (b"value\r\n", b"value"),
        (b"value", b"value"),
        (b"two\nlines\n\n", b"two\nlines\n"),
        (b" \xff\x00 ", b" \xff\x00 "),
    ] {
        set(&world, "key", input).success();
        assert_eq!(value(&world, "key").as_deref(), Some(kept), "{input:?}");
    }
    for empty in [&b""[..], b"\n", b"\r\n"] {
        let ran = set(&world, "key", empty).expect_code(2);
        assert!(ran.stderr.contains("empty"), "{}", ran.stderr);
    }
    let ran = set(&world, "key", &vec![b'x'; 70_000]).expect_code(2);
    assert!(ran.stderr.contains("65536"), "{}", ran.stderr);
    assert_eq!(value(&world, "key").as_deref(), Some(&b" \xff\x00 "[..]));
}

#[test]
fn sec_01_names_of_the_programs_own_are_not_set_or_removed_by_hand() {
    let world = with_file();
    for name in ["seal-key", "journal-anchor", "seal-other"] {
        set(&world, name, b"x").expect_code(2);
        let ran = world.taffrail(&["secret", "rm", name]).expect_code(2);
        assert!(ran.stderr.contains("taffrail's own"), "{}", ran.stderr);
    }
    // What was typed in the place of a name may be the value.
    let ran = set(&world, "Sentinel-VALUE", b"x").expect_code(2);
    assert!(!ran.stderr.contains("VALUE"), "{}", ran.stderr);
    // There is no place for a value in the arguments.
    world
        .taffrail(&["secret", "set", "openai", SENTINEL])
        .expect_code(2);
}

#[test]
fn sec_02_no_command_and_no_file_of_the_home_holds_a_value() {
    let world = with_file();
    let mut said = String::new();
    let words = |ran: Ran| ran.stdout + &ran.stderr;
    said += &words(set(&world, "openai", SENTINEL.as_bytes()).success());
    let export = world.root().join("seal.export");
    let export = export.to_str().unwrap();
    for args in [
        &["secret", "list"][..],
        &["secret", "list", "--json"],
        &["secret", "backend"],
        &["secret", "backend", "--json"],
        &["secret", "backend", "keyring"],
        &["secret", "backend", "keyring", "--json"],
        &["secret", "backend", "file"],
        &["secret", "set", "seal-key"],
        &["secret", "seal-key", "export", export],
        &["secret", "seal-key", "restore", export],
        &["secret", "rm", "missing"],
        &["doctor"],
        &["doctor", "--json"],
        &["config", "show"],
        &["config", "show", "--json"],
        &["audit", "show"],
        &["audit", "show", "--json"],
    ] {
        said += &words(world.taffrail(args));
    }
    assert!(said.contains("openai"), "the names are told: {said}");
    assert!(!said.contains(SENTINEL), "{said}");
    assert_eq!(
        holds(world.root(), SENTINEL.as_bytes()),
        Vec::<PathBuf>::new()
    );
    said += &words(world.taffrail(&["secret", "rm", "openai"]).success());
    assert!(!said.contains(SENTINEL), "{said}");
    // The twin: in a file of the world the same look finds it.
    std::fs::write(world.taffrail_home().join("planted"), SENTINEL).unwrap();
    assert_eq!(holds(world.root(), SENTINEL.as_bytes()).len(), 1);
}

/// Answers questions of a command on a terminal in order, and returns its exit code and all bytes of the screen.
fn answer(world: &Hermetic, args: &[&str], answers: &[(&str, &str)]) -> (i32, String) {
    let mut terminal = world.terminal(&world.projects(), args);
    for (question, typed) in answers {
        terminal.wait_for(question, PATIENCE);
        terminal.send(typed);
        terminal.key(Key::Enter);
    }
    let code = terminal.wait_exit(PATIENCE);
    (code, String::from_utf8_lossy(&terminal.raw()).into_owned())
}

#[test]
fn sec_01_a_passphrase_is_asked_for_without_an_echo_and_twice_when_it_is_new() {
    let world = world();
    let pass = "correct-HORSE-42";
    let new = [("a passphrase for the file", pass), ("once more", pass)];
    let (code, screen) = answer(&world, &["secret", "backend", "file"], &new);
    assert_eq!(code, 0, "{screen}");
    assert!(!screen.contains(pass), "{screen}");
    let asked = [
        ("value of openai", SENTINEL),
        ("passphrase of the file", pass),
    ];
    let (code, screen) = answer(&world, &["secret", "set", "openai"], &asked);
    assert_eq!(code, 0, "{screen}");
    assert!(
        !screen.contains(pass) && !screen.contains(SENTINEL),
        "{screen}"
    );
    let (code, screen) = answer(
        &world,
        &["secret", "list"],
        &[("passphrase of the file", pass)],
    );
    assert!(code == 0 && screen.contains("openai"), "{screen}");
    let (code, screen) = answer(
        &world,
        &["secret", "list"],
        &[("passphrase of the file", "wrong")],
    );
    assert_eq!(code, 3, "{screen}");
    assert!(screen.contains("the passphrase does not fit"), "{screen}");
    // Without a terminal nobody is asked, and nothing waits.
    let ran = world.taffrail(&["secret", "list", "--json"]).expect_code(3);
    assert_eq!(ran.json()["error"]["code"], "needs_terminal");
    assert_eq!(
        holds(world.root(), SENTINEL.as_bytes()),
        Vec::<PathBuf>::new()
    );
    assert_eq!(holds(world.root(), pass.as_bytes()), Vec::<PathBuf>::new());
}

#[test]
fn sec_01_a_passphrase_is_changed_and_two_that_differ_change_nothing() {
    let world = world();
    let new = [("a passphrase for the file", "one"), ("once more", "other")];
    let (code, screen) = answer(&world, &["secret", "backend", "file"], &new);
    assert_eq!(code, 3, "{screen}");
    assert!(!world.taffrail_home().join("secrets.sealed").exists());
    let new = [("a passphrase for the file", "one"), ("once more", "one")];
    assert_eq!(answer(&world, &["secret", "backend", "file"], &new).0, 0);
    let kept = [("value of", "v"), ("passphrase of", "one")];
    assert_eq!(answer(&world, &["secret", "set", "key"], &kept).0, 0);
    let renew = [
        ("passphrase of", "one"),
        ("a passphrase for", "two"),
        ("once more", "two"),
    ];
    let (code, screen) = answer(
        &world,
        &["secret", "backend", "file", "--passphrase"],
        &renew,
    );
    assert_eq!(code, 0, "{screen}");
    assert_eq!(
        answer(&world, &["secret", "list"], &[("passphrase of", "one")]).0,
        3
    );
    let (code, screen) = answer(&world, &["secret", "list"], &[("passphrase of", "two")]);
    assert!(code == 0 && screen.contains("key"), "{screen}");
}

#[test]
fn sec_01_ctrl_c_at_the_question_leaves_the_terminal_as_it_was() {
    let world = world();
    let mut terminal = world.terminal(&world.projects(), &["secret", "backend", "file"]);
    terminal.wait_for("a passphrase for the file", PATIENCE);
    assert!(!terminal.is_cooked());
    terminal.send("half");
    terminal.send("\x03");
    assert_eq!(terminal.wait_exit(PATIENCE), 130);
    assert!(terminal.is_cooked());
    assert!(!world.taffrail_home().join("secrets.sealed").exists());
}

#[test]
fn sec_01_the_file_gets_another_key_and_keeps_what_is_in_it() {
    let world = with_file();
    set(&world, "openai", SENTINEL.as_bytes()).success();
    let other = world.root().join("other key");
    let args = [
        "secret",
        "backend",
        "file",
        "--key-file",
        other.to_str().unwrap(),
        "--json",
    ];
    let ran = world.taffrail(&args).success();
    assert_eq!(ran.json()["data"]["moved"][0], "openai");
    std::fs::rename(&other, key_file(&world)).unwrap();
    assert_eq!(
        value(&world, "openai").as_deref(),
        Some(SENTINEL.as_bytes())
    );
    assert!(!world.taffrail_home().join("secrets.new").exists());
}

#[test]
fn sec_01_a_damaged_file_is_told_and_stays_as_it_is() {
    let world = with_file();
    set(&world, "openai", b"v").success();
    let sealed = world.taffrail_home().join("secrets.sealed");
    let whole = std::fs::read(&sealed).unwrap();
    std::fs::write(&sealed, &whole[..whole.len() - 1]).unwrap();
    let ran = world.taffrail(&["secret", "list", "--json"]).expect_code(1);
    assert_eq!(ran.json()["error"]["code"], "secret_store_damaged");
    set(&world, "other", b"v").expect_code(1);
    assert_eq!(std::fs::read(&sealed).unwrap(), &whole[..whole.len() - 1]);
    std::fs::write(&sealed, &whole).unwrap();
    world.taffrail(&["secret", "list"]).success();
}

/// What a first approval keeps: version, kind, public half, private half.
fn seal_key(byte: u8) -> Secret {
    let mut record = vec![1, 0];
    record.extend([byte; 64]);
    Secret::new(record)
}

#[test]
fn rev_04_the_seal_key_goes_to_another_home_under_a_passphrase() {
    let world = with_file();
    let none = world
        .taffrail(&["secret", "seal-key", "export", "key.export"])
        .expect_code(7);
    assert!(none.stderr.contains("no seal key"), "{}", none.stderr);
    inside(&world)
        .set(&Name::seal_key(), &seal_key(7), Millis(1))
        .unwrap();
    let file = world.root().join("key.export");
    let path = file.to_str().unwrap();
    let new = [
        ("a passphrase for the exported", "pass"),
        ("once more", "pass"),
    ];
    let (code, screen) = answer(&world, &["secret", "seal-key", "export", path], &new);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(mode(&file), 0o600);
    assert_eq!(holds(world.root(), &[7; 32]), Vec::<PathBuf>::new());
    let (code, _) = answer(&world, &["secret", "seal-key", "export", path], &[]);
    assert_eq!(code, 2, "nothing is written over");

    let other = with_file();
    let restore = ["secret", "seal-key", "restore", path];
    let (code, screen) = answer(&other, &restore, &[("passphrase of the exported", "wrong")]);
    assert_eq!(code, 3, "{screen}");
    assert_eq!(value(&other, "seal-key"), None);
    let right = [("passphrase of the exported", "pass")];
    let (code, screen) = answer(&other, &restore, &right);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(
        value(&other, "seal-key").as_deref(),
        Some(seal_key(7).expose())
    );
    // Another key gives way only when that is said.
    inside(&other)
        .set(&Name::seal_key(), &seal_key(9), Millis(1))
        .unwrap();
    assert_eq!(answer(&other, &restore, &right).0, 1);
    assert_eq!(
        value(&other, "seal-key").as_deref(),
        Some(seal_key(9).expose())
    );
    let replace = ["secret", "seal-key", "restore", path, "--replace"];
    assert_eq!(answer(&other, &replace, &right).0, 0);
    assert_eq!(
        value(&other, "seal-key").as_deref(),
        Some(seal_key(7).expose())
    );
}

#[cfg(feature = "peers")]
#[path = "../../secrets/tests/common/mod.rs"]
#[allow(dead_code)]
mod keychain;

#[cfg(feature = "peers")]
mod with_a_keychain {
    use super::keychain::Bus;
    use super::*;

    fn world_on(bus: &Bus) -> Hermetic {
        let mut world = world();
        world.set_env("DBUS_SESSION_BUS_ADDRESS", bus.address());
        world
    }

    fn started() -> Bus {
        let mut bus = Bus::start();
        bus.keyring();
        bus
    }

    #[test]
    fn sec_01_the_keychain_is_used_where_it_answers_and_homes_do_not_mix() {
        let bus = started();
        let (one, two) = (world_on(&bus), world_on(&bus));
        set(&one, "openai", SENTINEL.as_bytes()).success();
        let listed = one.taffrail(&["secret", "list", "--json"]).success().json();
        assert_eq!(listed["data"][0]["backend"], "keyring");
        let other = two.taffrail(&["secret", "list", "--json"]).success().json();
        assert_eq!(other["data"].as_array().unwrap().len(), 0);
        assert_eq!(
            bus.output("secret-tool", &["lookup", "service", "taffrail"]),
            SENTINEL
        );
        assert_eq!(
            holds(one.root(), SENTINEL.as_bytes()),
            Vec::<PathBuf>::new()
        );
        assert_diagnosed(&one, "good", "persistent");
        let doctor = one.taffrail(&["doctor"]);
        assert!(!doctor.stdout.contains(SENTINEL) && !doctor.stderr.contains(SENTINEL));
        one.taffrail(&["secret", "rm", "openai"]).success();
        assert_eq!(
            bus.output("secret-tool", &["lookup", "service", "taffrail"]),
            ""
        );
    }

    #[test]
    fn sec_01_everything_goes_over_to_the_file_and_back() {
        let bus = started();
        let world = world_on(&bus);
        set(&world, "openai", SENTINEL.as_bytes()).success();
        set(&world, "anthropic", b"two").success();
        let key = key_file(&world);
        let to_file = [
            "secret",
            "backend",
            "file",
            "--key-file",
            key.to_str().unwrap(),
        ];
        world.taffrail(&to_file).success();
        assert_eq!(
            value(&world, "openai").as_deref(),
            Some(SENTINEL.as_bytes())
        );
        assert_eq!(value(&world, "anthropic").as_deref(), Some(&b"two"[..]));
        assert_eq!(
            bus.output("secret-tool", &["search", "--all", "service", "taffrail"]),
            ""
        );
        world.taffrail(&["secret", "backend", "keyring"]).success();
        assert!(!world.taffrail_home().join("secrets.sealed").exists());
        let found = bus.output("secret-tool", &["search", "--all", "service", "taffrail"]);
        assert!(found.contains(SENTINEL) && found.contains("two"), "{found}");
        let listed = world
            .taffrail(&["secret", "list", "--json"])
            .success()
            .json();
        assert_eq!(listed["data"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn sec_01_a_chosen_keychain_that_is_gone_is_an_error_and_nothing_else_is_used() {
        let mut bus = started();
        let world = world_on(&bus);
        world.taffrail(&["secret", "backend", "keyring"]).success();
        set(&world, "openai", SENTINEL.as_bytes()).success();
        bus.stop_keyring();
        assert_diagnosed(&world, "bad", "does not answer");
        let ran = set(&world, "other", SENTINEL.as_bytes()).expect_code(1);
        assert!(
            ran.stderr.contains("org.freedesktop.secrets"),
            "{}",
            ran.stderr
        );
        // A new place without the old one is a person's word.
        let key = key_file(&world);
        let mut to_file = vec![
            "secret",
            "backend",
            "file",
            "--key-file",
            key.to_str().unwrap(),
        ];
        world.taffrail(&to_file).expect_code(1);
        assert!(!world.taffrail_home().join("secrets.sealed").exists());
        to_file.push("--leave");
        world.taffrail(&to_file).success();
        assert_eq!(value(&world, "openai"), None);
    }

    #[test]
    fn sec_01_two_places_with_two_values_are_not_thrown_together() {
        let bus = started();
        let world = world_on(&bus);
        set(&world, "openai", b"in the keychain").success();
        let key = key_file(&world);
        let mut to_file = vec![
            "secret",
            "backend",
            "file",
            "--key-file",
            key.to_str().unwrap(),
        ];
        to_file.push("--leave");
        world.taffrail(&to_file).success();
        set(&world, "openai", b"in the file").success();
        let ran = world
            .taffrail(&["secret", "backend", "keyring"])
            .expect_code(1);
        assert!(ran.stderr.contains("differ"), "{}", ran.stderr);
        assert_eq!(
            value(&world, "openai").as_deref(),
            Some(&b"in the file"[..])
        );
        let there = bus.output("secret-tool", &["lookup", "service", "taffrail"]);
        assert_eq!(there, "in the keychain");
    }
}
