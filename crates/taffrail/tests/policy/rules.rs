//! The rules of the user's own file, through the real binary (POL-04).

use std::fs;
use std::os::unix::fs::PermissionsExt;

use taffrail_testkit::Hermetic;

use crate::answers;
use crate::common::world;

fn configured(world: &Hermetic, rules: &str) {
    let home = world.taffrail_home();
    fs::create_dir_all(&home).unwrap();
    fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
    let file = home.join("config.toml");
    fs::write(&file, rules).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn pol_04_rules_of_the_user_decide_and_are_named() {
    let world = world();
    configured(
        &world,
        "[[policy.rule]]\nanswer = \"allow\"\ncommand = [\"cargo\", \"test\"]\nmatch = [\"cargo test -q\"]\n\
         not_match = [\"cargo run\", \"cargo test && rm x\"]\n\n\
         [[policy.rule]]\nanswer = \"deny\"\ncommand = [\"git\", \"push\"]\nmatch = [\"git -C x push\"]\n",
    );
    let explain = |command: &str| {
        world
            .command(&["policy", "check", "--", command])
            .go()
            .success()
            .stdout
    };
    let allowed = explain("cargo test --workspace 2>&1 | tail");
    assert!(
        allowed.starts_with("answer       allow\n") && allowed.contains("policy.rule.1"),
        "{allowed}"
    );
    let denied = explain("ls && git push origin main");
    assert!(
        denied.starts_with("answer       deny\n") && denied.contains("policy.rule.2"),
        "{denied}"
    );
    assert!(explain("cargo run").starts_with("answer       ask\n"));
}

#[test]
fn pol_04_a_rule_that_contradicts_its_example_does_not_load() {
    let world = world();
    configured(
        &world,
        "[[policy.rule]]\nanswer = \"allow\"\ncommand = [\"cargo\"]\nmatch = [\"cargo test\"]\nnot_match = [\"cargo run\"]\n",
    );
    let ran = world.command(&["policy", "check", "--", "ls"]).go();
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("policy.rule.1") && ran.stderr.contains("`cargo run`"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stdout, "");
}

const MINE: &str = "[[policy.rule]]\nanswer = \"deny\"\npath = \"migrations/**\"\nmatch = [\"migrations/1.sql\"]\n\n\
     [[policy.rule]]\nanswer = \"deny\"\nhost = \"evil.example\"\nmatch = [\"evil.example\"]\n";

fn in_auto(world: &Hermetic, commands: &[&str]) -> Vec<String> {
    let tree = tempfile::tempdir().unwrap();
    let commands: Vec<String> = commands.iter().map(|at| (*at).to_owned()).collect();
    let flags = ["--mode", "auto", "--sandboxed"];
    let answers = answers(world, &flags, tree.path(), &commands);
    let of = |answer: &serde_json::Value| answer["answer"].as_str().unwrap().to_owned();
    answers.iter().map(of).collect()
}

#[test]
fn pol_04_a_deny_holds_for_what_a_line_redirects_hands_on_or_reaches() {
    let commands = [
        "echo x > migrations/1.sql",
        "cd migrations && cat 1.sql",
        "dd if=a of=migrations/1.sql",
        "curl https://evil.example/x",
        "ssh me@evil.example",
        "cat $FILE",
        "echo x > src.txt",
    ];
    let world = world();
    // Twin: without the rules each of them is let through in this mode.
    assert!(in_auto(&world, &commands).iter().all(|at| at == "allow"));
    configured(&world, MINE);
    assert_eq!(
        in_auto(&world, &commands),
        ["deny", "deny", "deny", "deny", "deny", "ask", "allow"]
    );
}

#[test]
fn pol_04_a_rule_that_misses_its_example_says_why_on_stderr() {
    let world = world();
    configured(
        &world,
        "[[policy.rule]]\nanswer = \"deny\"\ncommand = [\"git push\"]\nmatch = [\"git push\"]\n",
    );
    let ran = world.command(&["policy", "check", "--", "ls"]).go();
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("`git push` is one word"),
        "{}",
        ran.stderr
    );
}

#[test]
fn pol_04_doctor_tells_of_rules_that_do_not_load_and_of_those_that_never_decide() {
    let world = world();
    let rules = |text: &str| {
        configured(&world, text);
        let answer = world.command(&["doctor", "--json"]).go().json();
        let findings = answer["data"].as_array().unwrap().clone();
        let of_rules = findings.into_iter().filter(|at| at["about"] == "rules");
        let of =
            |at: serde_json::Value| format!("{} {}", at["weight"].as_str().unwrap(), at["saw"]);
        of_rules.map(of).collect::<Vec<_>>().join("\n")
    };
    let deny = "[[policy.rule]]\nanswer = \"deny\"\ncommand = [\"make\"]\nmatch = [\"make\"]\n";
    let allow = deny.replace("deny", "allow");
    assert_eq!(rules(""), "");
    assert!(rules(deny).starts_with("good "));
    let both = rules(&format!("{deny}{allow}"));
    assert!(
        both.starts_with("warning ")
            && both.contains("policy.rule.2")
            && both.contains("never decides"),
        "{both}"
    );
    let broken = rules(&deny.replace("[\"make\"]\n", "[\"ls\"]\n").replacen(
        "command = [\"ls\"]",
        "command = [\"make\"]",
        1,
    ));
    assert!(
        broken.starts_with("bad ") && broken.contains("`ls`"),
        "{broken}"
    );
}

#[test]
fn pol_04_a_thousand_rules_are_read_and_answer() {
    let world = world();
    let rule = |number: usize| {
        format!(
            "[[policy.rule]]\nanswer = \"deny\"\ncommand = [\"tool{number}\"]\nmatch = [\"tool{number} x\"]\n"
        )
    };
    configured(&world, &(0..1_000).map(rule).collect::<String>());
    assert_eq!(
        in_auto(&world, &["tool999 y", "tool1000 y", "ls"]),
        ["deny", "allow", "allow"]
    );
}
