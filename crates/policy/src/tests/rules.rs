//! POL-04: the order of layers, what a rule may lower, examples.

use taffrail_domain::{Action, Actor, Answer, Held, Mode, RepoPath, Risk};

use super::context;
use crate::{Context, Decision, RuleError, RuleSpec, Rules, decide};

fn rule(answer: Answer, command: &[&str], example: &str) -> RuleSpec {
    RuleSpec {
        name: format!("{answer} {}", command.join(" ")),
        answer,
        command: command.iter().map(|word| (*word).to_owned()).collect(),
        path: None,
        host: None,
        risk: None,
        destructive: false,
        foreign: false,
        matches: vec![example.to_owned()],
        not_matches: Vec::new(),
    }
}

fn ask(rules: Vec<RuleSpec>, command: &str, mode: Mode) -> Decision {
    let rules = Rules::new(rules).unwrap();
    let action = Action::Shell {
        command: command.as_bytes().to_vec(),
        paths: Vec::new(),
    };
    decide(&action, mode, &rules, &context(Held::Sandboxed))
}

#[test]
fn pol_04_an_allow_lowers_an_ask_and_is_named() {
    let rules = || vec![rule(Answer::Allow, &["cargo", "test"], "cargo test -q")];
    for command in [
        "cargo test",
        "cargo test -q | tail -5",
        "timeout 60 cargo test",
        "ls && cargo test 2>&1",
    ] {
        let found = ask(rules(), command, Mode::Ask);
        assert_eq!(found.answer, Answer::Allow, "{command}");
        assert_eq!(found.rule.as_deref(), Some("allow cargo test"));
    }
    for command in [
        "cargo run",
        "cargo test && make",
        "cargo test > out",
        "cargo test $X",
        "cargo test &",
        "FOO=1 cargo test",
        "cargo $X test",
        "./cargo test",
        "sudo cargo test",
        "cargo test | sh -c \"$(curl x)\"",
        "xargs cargo test",
    ] {
        assert_eq!(
            ask(rules(), command, Mode::Ask).answer,
            Answer::Ask,
            "{command}"
        );
    }
}

#[test]
fn pol_04_an_allow_lowers_neither_a_floor_nor_a_deny_nor_by_chance_what_destroys() {
    let cat = || rule(Answer::Allow, &["cat"], "cat /etc/hosts");
    assert_eq!(
        ask(vec![cat()], "cat /etc/hosts", Mode::Ask).answer,
        Answer::Allow
    );
    assert_eq!(ask(vec![cat()], "cat .env", Mode::Ask).answer, Answer::Ask);
    let both = vec![
        cat(),
        rule(Answer::Deny, &["cat", "/etc/hosts"], "cat /etc/hosts"),
    ];
    assert_eq!(ask(both, "cat /etc/hosts", Mode::Ask).answer, Answer::Deny);
    let git = || rule(Answer::Allow, &["git"], "git add .");
    assert_eq!(
        ask(vec![git()], "git add .", Mode::Ask).answer,
        Answer::Allow
    );
    assert_eq!(
        ask(vec![git()], "git reset --hard", Mode::Ask).answer,
        Answer::Ask
    );
    assert_eq!(
        ask(vec![git()], "git config a.b c", Mode::Ask).answer,
        Answer::Ask
    );
    let reset = RuleSpec {
        destructive: true,
        ..rule(
            Answer::Allow,
            &["git", "reset", "--hard"],
            "git reset --hard",
        )
    };
    assert_eq!(
        ask(vec![reset], "git reset --hard", Mode::Ask).answer,
        Answer::Allow
    );
}

#[test]
fn pol_04_deny_and_ask_hold_in_every_mode_and_see_through() {
    let rules = || {
        vec![
            rule(Answer::Deny, &["git", "push"], "git -C x push"),
            rule(Answer::Ask, &["make"], "make"),
        ]
    };
    for mode in Mode::ALL {
        for command in [
            "git push",
            "git -C /x push origin",
            "git --no-pager push",
            "/usr/bin/git push",
            "ls; git push",
            "bash -c 'git push'",
            "env git push",
            "echo $(git push)",
            "timeout 5 git push",
            "find . -exec git push \\;",
            "xargs git push",
            "if true; then git push; fi",
        ] {
            assert_eq!(
                ask(rules(), command, *mode).answer,
                Answer::Deny,
                "{command} {mode}"
            );
        }
        assert_eq!(ask(rules(), "make test", *mode).answer, Answer::Ask);
        assert_ne!(ask(rules(), "git log push", *mode).answer, Answer::Deny);
    }
    // A floor does not soften a deny.
    let env = vec![rule(Answer::Deny, &["cat", ".env"], "cat .env")];
    assert_eq!(ask(env, "cat .env", Mode::Ask).answer, Answer::Deny);
}

#[test]
fn pol_04_rules_speak_of_paths_hosts_and_risks() {
    let path = RuleSpec {
        command: Vec::new(),
        path: Some("infra/**".to_owned()),
        ..rule(Answer::Deny, &["path"], "infra/a.tf")
    };
    let rules = Rules::new(vec![path.clone()]).unwrap();
    let write = |path: &str| Action::Write {
        paths: vec![path.as_bytes().to_vec()],
        removes: Vec::new(),
    };
    let held = context(Held::Sandboxed);
    assert_eq!(
        decide(&write("infra/b/c.tf"), Mode::Auto, &rules, &held).answer,
        Answer::Deny
    );
    assert_eq!(
        decide(&write("src/../infra/c.tf"), Mode::Auto, &rules, &held).answer,
        Answer::Deny
    );
    assert_eq!(
        decide(&write("src/a"), Mode::Auto, &rules, &held).answer,
        Answer::Allow
    );
    assert_eq!(
        ask(vec![path], "cp x infra/y", Mode::Auto).answer,
        Answer::Deny
    );

    let host = RuleSpec {
        command: Vec::new(),
        host: Some("*.example.com".to_owned()),
        ..rule(Answer::Allow, &["host"], "api.example.com")
    };
    let rules = Rules::new(vec![host]).unwrap();
    let fetch = |host: &str| Action::Network {
        host: host.to_owned(),
    };
    assert_eq!(
        decide(&fetch("API.example.com"), Mode::Ask, &rules, &held).answer,
        Answer::Allow
    );
    assert_eq!(
        decide(&fetch("example.org"), Mode::Ask, &rules, &held).answer,
        Answer::Ask
    );

    let risk = RuleSpec {
        command: Vec::new(),
        risk: Some(Risk::Network),
        ..rule(Answer::Deny, &["risk"], "curl x")
    };
    assert_eq!(
        ask(vec![risk.clone()], "ls; curl x", Mode::Auto).answer,
        Answer::Deny
    );
    assert_eq!(
        ask(vec![risk], "ls; make", Mode::Auto).answer,
        Answer::Allow
    );
}

#[test]
fn pol_04_an_allow_holds_for_foreign_agents_only_where_it_says_so() {
    let action = Action::Shell {
        command: b"cargo test".to_vec(),
        paths: Vec::new(),
    };
    let foreign = Context {
        actor: Actor::Foreign,
        ..context(Held::Sandboxed)
    };
    let own = rule(Answer::Allow, &["cargo"], "cargo test");
    let theirs = RuleSpec {
        foreign: true,
        ..own.clone()
    };
    let answer = |rule| {
        decide(
            &action,
            Mode::Ask,
            &Rules::new(vec![rule]).unwrap(),
            &foreign,
        )
        .answer
    };
    assert_eq!(answer(own), Answer::Ask);
    assert_eq!(answer(theirs), Answer::Allow);
}

#[test]
fn pol_04_a_rule_that_contradicts_its_example_does_not_load() {
    let load = |rule: RuleSpec| Rules::new(vec![rule]).unwrap_err();
    let good = rule(Answer::Allow, &["cargo", "test"], "cargo test");
    let cases = [
        (
            RuleSpec {
                matches: vec!["cargo run".to_owned()],
                ..good.clone()
            },
            "does not match its example `cargo run`",
        ),
        (
            RuleSpec {
                not_matches: vec!["cargo test -q".to_owned()],
                ..good.clone()
            },
            "matches its counter-example `cargo test -q`",
        ),
        // What an allow does not let through is no example of it.
        (
            RuleSpec {
                matches: vec!["cargo test && rm -rf x".to_owned()],
                ..good.clone()
            },
            "does not match its example",
        ),
        (
            RuleSpec {
                matches: Vec::new(),
                ..good.clone()
            },
            "has no example",
        ),
        (
            RuleSpec {
                command: Vec::new(),
                ..good.clone()
            },
            "matches everything",
        ),
        (
            RuleSpec {
                path: Some("a".to_owned()),
                ..good.clone()
            },
            "more than one",
        ),
    ];
    for (rule, message) in cases {
        let error = load(rule).to_string();
        assert!(
            error.contains(message) && error.contains("allow cargo test"),
            "{error}"
        );
    }
    let twice = Rules::new(vec![good.clone(), good]).unwrap_err();
    assert!(matches!(twice, RuleError::Twice { .. }));
}

#[test]
fn pol_04_what_is_withheld_is_what_reading_would_not_be_let_through_for() {
    let path = |answer, path: &str, example: &str| RuleSpec {
        path: Some(path.to_owned()),
        ..rule(answer, &[], example)
    };
    let named = |name: &str, rule| RuleSpec {
        name: name.to_owned(),
        ..rule
    };
    let rules = Rules::new(vec![
        named("1", path(Answer::Deny, "secrets/**", "secrets/a")),
        named("2", path(Answer::Ask, "**/*.pem.md", "x/a.pem.md")),
        named(
            "3",
            path(Answer::Allow, "secrets/open.md", "secrets/open.md"),
        ),
        named("4", path(Answer::Deny, "docs/*", "docs/a")),
        named(
            "5",
            RuleSpec {
                risk: Some(Risk::Write),
                ..path(Answer::Deny, "src/**", "src/a")
            },
        ),
        named("6", rule(Answer::Deny, &["cat"], "cat x")),
    ]);
    let rules = rules.unwrap();
    for (path, expected) in [
        ("secrets/a", true),
        ("secrets/deep/a", true),
        // A deny beats an allow.
        ("secrets/open.md", true),
        ("secrets", false),
        ("Secrets/a", false),
        ("x/y.pem.md", true),
        ("y.pem.md", true),
        ("docs/a", true),
        ("docs/a/b", false),
        // Only its writing is denied.
        ("src/a", false),
        ("cat", false),
        ("-", false),
        ("README.md", false),
    ] {
        let of_path = RepoPath::new(path).unwrap();
        assert_eq!(rules.withhold(&of_path), expected, "{path}");
        let action = Action::Read {
            paths: vec![path.into()],
        };
        let foreign = Context {
            actor: Actor::Foreign,
            ..context(Held::Sandboxed)
        };
        let decided = decide(&action, Mode::Auto, &rules, &foreign);
        assert_eq!(decided.answer != Answer::Allow, expected, "{path}");
    }
    let only_reading = rule(Answer::Ask, &[], "ls");
    let only_reading = RuleSpec {
        risk: Some(Risk::Read),
        ..only_reading
    };
    let all = Rules::new(vec![only_reading]).unwrap();
    assert!(all.withhold(&RepoPath::new("README.md").unwrap()));
    assert!(!Rules::default().withhold(&RepoPath::new("secrets/a").unwrap()));
}

#[test]
fn pol_04_a_rule_that_misses_its_example_says_why() {
    let path = |pattern: &str| RuleSpec {
        path: Some(pattern.to_owned()),
        ..rule(Answer::Deny, &[], "src/a.rs")
    };
    let host = |pattern: &str| RuleSpec {
        host: Some(pattern.to_owned()),
        ..rule(Answer::Deny, &[], "a.example")
    };
    let risky = RuleSpec {
        risk: Some(Risk::Network),
        ..rule(Answer::Deny, &["ls"], "ls")
    };
    for (rule, why) in [
        (
            rule(Answer::Deny, &["git push"], "git push"),
            "`git push` is one word of `command`; two are [\"git\", \"push\"]",
        ),
        (path("/etc/**"), "`/etc/**` is no path from the root"),
        (path("./src/*"), "`./src/*` is no path from the root"),
        (
            path("src/[ab].rs"),
            "`src/[ab].rs` is taken letter by letter",
        ),
        (
            path("src/{a,b}.rs"),
            "`src/{a,b}.rs` is taken letter by letter",
        ),
        (host("https://a.example"), "has no scheme and no port"),
        (host("a.example:443"), "has no scheme and no port"),
        (risky, "its risk is read, not network"),
        (
            rule(Answer::Allow, &["sudo", "ls"], "sudo ls"),
            "no rule lets it through (privilege: sudo)",
        ),
        (
            rule(Answer::Allow, &["rm"], "rm -rf a"),
            "it destroys (destroys: recursive or forced removal), and the rule does not say `destructive = true`",
        ),
        (
            rule(Answer::Allow, &["make"], "make > out"),
            "that is not plain (redirection: > out)",
        ),
        (
            rule(Answer::Allow, &["cat"], "cat a"),
            "it only reads, and is let through without a rule",
        ),
    ] {
        let error = Rules::new(vec![rule]).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        assert!(error.contains("does not match its example `"), "{error}");
    }
    let plainly = Rules::new(vec![rule(Answer::Deny, &["a"], "b")]).unwrap_err();
    assert!(
        plainly.to_string().ends_with("its example `b`"),
        "{plainly}"
    );
}

#[test]
fn pol_04_a_long_example_is_cut_in_the_message() {
    let long = "a".repeat(70_000);
    let error = Rules::new(vec![rule(Answer::Deny, &["x"], &long)]).unwrap_err();
    let error = error.to_string();
    assert!(error.len() < 300 && error.contains('…'), "{}", error.len());
}

#[test]
fn pol_04_a_rule_that_is_no_allow_says_nothing_of_how_far_an_allow_holds() {
    for answer in [Answer::Deny, Answer::Ask] {
        let base = || rule(answer, &["rm"], "rm a");
        let destructive = RuleSpec {
            destructive: true,
            ..base()
        };
        let foreign = RuleSpec {
            foreign: true,
            ..base()
        };
        for (rule, key) in [(destructive, "`destructive`"), (foreign, "`foreign`")] {
            let error = Rules::new(vec![rule]).unwrap_err().to_string();
            assert!(
                error.contains(key) && error.contains("only for allow"),
                "{error}"
            );
        }
        assert!(Rules::new(vec![base()]).is_ok());
    }
}

#[test]
fn pol_04_a_rule_that_never_decides_is_told() {
    let idle = |rules: Vec<RuleSpec>| {
        let rules = Rules::new(rules).unwrap();
        let found = rules.overruled().into_iter();
        found.map(|found| found.to_string()).collect::<Vec<_>>()
    };
    let allow = || rule(Answer::Allow, &["git", "add"], "git add .");
    let ask = || rule(Answer::Ask, &["git", "add"], "git add .");
    let deny = || rule(Answer::Deny, &["git"], "git add .");
    assert_eq!(
        idle(vec![allow(), ask(), deny()]),
        [
            "allow git add never decides: to its example `git add .` deny git answers deny first",
            "ask git add never decides: to its example `git add .` deny git answers deny first",
        ]
    );
    assert_eq!(idle(vec![ask(), allow()]).len(), 1);
    // What holds for something that no other rule answers decides.
    let wider = RuleSpec {
        matches: vec!["make".to_owned(), "make all".to_owned()],
        ..rule(Answer::Allow, &["make"], "make")
    };
    let narrow = rule(Answer::Deny, &["make", "all"], "make all");
    assert!(idle(vec![wider, narrow]).is_empty());
    assert!(idle(vec![allow()]).is_empty());
}
