//! The tables of POL-02, POL-03 and FA-22, row by row.

use taffrail_domain::{Action, Actor, Answer, Held, Mode, Risk, ToolKind};

use super::{context, line};
use crate::{Context, Decision, Question, Rules, Why, decide, foreign_action};

fn files(paths: &[&str]) -> Vec<Vec<u8>> {
    paths.iter().map(|path| path.as_bytes().to_vec()).collect()
}

fn write(paths: &[&str], removes: &[&str]) -> Action {
    Action::Write {
        paths: files(paths),
        removes: files(removes),
    }
}

fn by(action: &Action, mode: Mode, held: Held) -> Decision {
    decide(action, mode, &Rules::default(), &context(held))
}

fn foreign(action: &Action, mode: Mode, grant: bool, held: Held) -> Decision {
    let context = Context {
        actor: Actor::Foreign,
        grant,
        ..context(held)
    };
    decide(action, mode, &Rules::default(), &context)
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn pol_02_the_table_of_modes() {
    use Answer::{Allow, Ask};
    let read = Action::Read {
        paths: files(&["a"]),
    };
    let shell = |command: &str| Action::Shell {
        command: command.as_bytes().to_vec(),
        paths: Vec::new(),
    };
    let host = Action::Network {
        host: "x.example".to_owned(),
    };
    let agent = Action::Delegate {
        agent: "claude".to_owned(),
    };
    let rows = [
        (read, [Allow, Allow, Allow]),
        (write(&["a"], &[]), [Ask, Allow, Allow]),
        (shell("make"), [Ask, Allow, Allow]),
        (host, [Ask, Ask, Allow]),
        (shell("curl x"), [Ask, Ask, Allow]),
        (agent, [Ask, Ask, Allow]),
        (shell("claude -p x"), [Ask, Ask, Allow]),
        (write(&[], &["a"]), [Ask, Ask, Allow]),
        (shell("rm -rf a"), [Ask, Ask, Allow]),
        (
            Action::Read {
                paths: files(&[".env"]),
            },
            [Ask, Ask, Ask],
        ),
        (shell("cat .env"), [Ask, Ask, Ask]),
        (write(&["AGENTS.md"], &[]), [Ask, Ask, Ask]),
        (write(&[".git/hooks/x"], &[]), [Ask, Ask, Ask]),
        (write(&["/home/u/.bashrc"], &[]), [Ask, Ask, Ask]),
        (write(&[".taffrail/config.toml"], &[]), [Ask, Ask, Ask]),
        (
            Action::Read {
                paths: files(&["/home/u/.taffrail/x"]),
            },
            [Ask, Ask, Ask],
        ),
        (
            Action::Read {
                paths: files(&["/etc/hosts"]),
            },
            [Ask, Ask, Ask],
        ),
        (
            Action::Read {
                paths: files(&["../x"]),
            },
            [Ask, Ask, Ask],
        ),
        (
            Action::Read {
                paths: files(&["link-out"]),
            },
            [Ask, Ask, Ask],
        ),
        (
            Action::Read {
                paths: files(&["link-key"]),
            },
            [Ask, Ask, Ask],
        ),
        (write(&["../x"], &[]), [Ask, Ask, Ask]),
    ];
    for (action, expected) in rows {
        let found = Mode::ALL
            .iter()
            .map(|mode| by(&action, *mode, Held::Sandboxed).answer);
        assert_eq!(found.collect::<Vec<_>>(), expected, "{action:?}");
    }
}

#[test]
fn pol_02_auto_needs_a_sandbox_or_a_waiver() {
    let action = write(&["a"], &[]);
    let open = by(&action, Mode::Auto, Held::Open);
    assert_eq!((open.answer, open.effective), (Answer::Ask, Mode::Ask));
    assert!(
        open.is_clamped()
            && open
                .reasons
                .iter()
                .any(|reason| reason.why == Why::NoSandbox)
    );
    for held in [Held::Sandboxed, Held::Waived] {
        let found = by(&action, Mode::Auto, held);
        assert_eq!((found.answer, found.effective), (Answer::Allow, Mode::Auto));
    }
}

#[test]
fn pol_06_patches_that_remove_touch_git_or_many_files_destroy() {
    let many: Vec<String> = (0..9).map(|at| format!("f{at}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for action in [
        write(&["a"], &["b"]),
        write(&[".git/config"], &[]),
        write(&many, &[]),
    ] {
        let found = by(&action, Mode::Trust, Held::Sandboxed);
        assert!(
            found.destructive && found.answer == Answer::Ask,
            "{action:?}"
        );
    }
    assert!(!by(&write(&many[..8], &[]), Mode::Trust, Held::Sandboxed).destructive);
}

#[test]
fn pol_03_a_foreign_agent_asks_whatever_mode_was_wanted() {
    for mode in [Mode::Trust, Mode::Auto] {
        let found = foreign(&write(&["a"], &[]), mode, false, Held::Sandboxed);
        assert_eq!(
            (found.answer, found.requested, found.effective),
            (Answer::Ask, mode, Mode::Ask)
        );
        assert!(found.is_clamped());
        assert_eq!(found.reasons[0].why, Why::Clamped);
    }
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn fa_22_s24_the_table_of_permission_questions() {
    use Answer::{Allow, Ask, Deny};
    let question = |kind, command: Option<&str>, paths: &[&str]| Question {
        kind,
        title: "a title".to_owned(),
        command: command.map(|text| text.as_bytes().to_vec()),
        paths: files(paths),
        host: None,
    };
    let rows = [
        (
            question(Some(ToolKind::Read), None, &["a"]),
            Risk::Read,
            Allow,
        ),
        // What it reads is not said.
        (
            question(Some(ToolKind::Read), None, &[]),
            Risk::Destructive,
            Ask,
        ),
        (
            question(Some(ToolKind::Search), None, &[]),
            Risk::Read,
            Allow,
        ),
        (
            question(Some(ToolKind::Think), None, &[]),
            Risk::Read,
            Allow,
        ),
        (
            question(Some(ToolKind::Read), None, &["/etc/passwd"]),
            Risk::Read,
            Ask,
        ),
        (
            question(Some(ToolKind::Read), None, &["a", ".env"]),
            Risk::Credential,
            Ask,
        ),
        (
            question(Some(ToolKind::Edit), None, &["a"]),
            Risk::Write,
            Ask,
        ),
        (
            question(Some(ToolKind::Move), None, &["a", "b"]),
            Risk::Write,
            Ask,
        ),
        (
            question(Some(ToolKind::Delete), None, &["a"]),
            Risk::Destructive,
            Ask,
        ),
        (
            question(Some(ToolKind::Execute), Some("ls"), &[]),
            Risk::Shell,
            Ask,
        ),
        (
            question(Some(ToolKind::Execute), Some("rm -rf a"), &[]),
            Risk::Destructive,
            Ask,
        ),
        (
            question(Some(ToolKind::Execute), None, &[]),
            Risk::Destructive,
            Ask,
        ),
        // A command that reaches another machine is a command; what only fetches is refused.
        (
            question(Some(ToolKind::Execute), Some("npm install"), &[]),
            Risk::Network,
            Ask,
        ),
        (
            question(Some(ToolKind::Fetch), None, &[]),
            Risk::Network,
            Deny,
        ),
        (
            question(Some(ToolKind::Other), None, &[]),
            Risk::Destructive,
            Ask,
        ),
        (
            question(Some(ToolKind::SwitchMode), None, &[]),
            Risk::Destructive,
            Ask,
        ),
        (question(None, None, &["a"]), Risk::Destructive, Ask),
        // A kind never makes it milder than what else the question holds.
        (
            question(Some(ToolKind::Read), Some("rm -rf a"), &["a"]),
            Risk::Destructive,
            Ask,
        ),
        (
            question(Some(ToolKind::Think), Some("cat .env"), &[]),
            Risk::Credential,
            Ask,
        ),
        (
            question(Some(ToolKind::Edit), None, &[]),
            Risk::Destructive,
            Ask,
        ),
        // Managed state is refused.
        (
            question(
                Some(ToolKind::Read),
                None,
                &["/home/u/.taffrail/taffrail.db"],
            ),
            Risk::Read,
            Deny,
        ),
        (
            question(Some(ToolKind::Edit), None, &[".taffrail/config.toml"]),
            Risk::Write,
            Deny,
        ),
        (
            question(Some(ToolKind::Execute), Some("taffrail memory review"), &[]),
            Risk::Shell,
            Deny,
        ),
        (
            question(Some(ToolKind::Execute), Some("ls"), &[".taffrail/x"]),
            Risk::Shell,
            Deny,
        ),
        (
            question(Some(ToolKind::Other), None, &[".taffrail/x"]),
            Risk::Destructive,
            Deny,
        ),
    ];
    for (question, risk, answer) in rows {
        let action = foreign_action(question.clone());
        let found = foreign(&action, Mode::Ask, false, Held::Sandboxed);
        assert_eq!(
            (found.risk, found.answer),
            (risk, answer),
            "{question:?} {:?}",
            found.reasons
        );
    }
}

#[test]
fn fa_24_a_grant_is_for_edits_inside_while_the_sandbox_holds() {
    let granted = |action: &Action, held| foreign(action, Mode::Ask, true, held);
    let edit = granted(&write(&["src/a"], &[]), Held::Sandboxed);
    assert_eq!(edit.answer, Answer::Allow);
    assert_eq!(edit.reasons[0].why, Why::Grant);
    for held in [Held::Open, Held::Waived] {
        assert_eq!(granted(&write(&["src/a"], &[]), held).answer, Answer::Ask);
    }
    let shell = Action::Shell {
        command: b"touch a".to_vec(),
        paths: Vec::new(),
    };
    for action in [
        write(&["../a"], &[]),
        write(&["link-out"], &[]),
        write(&[".env"], &[]),
        write(&["link-key"], &[]),
        write(&["AGENTS.md"], &[]),
        write(&[".git/config"], &[]),
        write(&["a"], &["b"]),
        shell,
    ] {
        assert_eq!(
            granted(&action, Held::Sandboxed).answer,
            Answer::Ask,
            "{action:?}"
        );
    }
}

/// The run's own checkout lies beneath the home, and is no managed state.
#[test]
fn cnf_02_the_checkout_beneath_the_home_is_the_tree() {
    let context = Context {
        root: b"/home/u/.taffrail/checkouts/x/box",
        cwd: b"/home/u/.taffrail/checkouts/x/box",
        ..context(Held::Sandboxed)
    };
    let answer = |path: &str| {
        let action = Action::Read {
            paths: files(&[path]),
        };
        decide(&action, Mode::Auto, &Rules::default(), &context)
    };
    assert_eq!(answer("src/a").answer, Answer::Allow);
    assert_eq!(
        answer("/home/u/.taffrail/checkouts/x/box/a").answer,
        Answer::Allow
    );
    for path in [
        "../base",
        "/home/u/.taffrail/taffrail.db",
        ".taffrail/x",
        "../../y/box/a",
    ] {
        let found = answer(path);
        assert!(found.answer == Answer::Ask && found.is_floor(), "{path}");
    }
}

#[test]
fn pol_05_a_folder_with_credentials_is_not_read_whole_unasked() {
    for command in [
        "grep -r x with-keys",
        "rg x with-keys",
        "diff with-keys b",
        "cd with-keys && rg x",
    ] {
        let found = line(command.as_bytes(), Mode::Ask, Held::Open);
        assert_eq!(found.answer, Answer::Ask, "{command}");
    }
    assert_eq!(
        line(b"grep x with-keys/a", Mode::Ask, Held::Open).answer,
        Answer::Allow
    );
    assert_eq!(
        line(b"cat link-out", Mode::Ask, Held::Open).answer,
        Answer::Ask
    );
    assert!(line(b"cat link-key", Mode::Ask, Held::Open).is_floor());
}

/// Our own server answers the call: it is let through as a reading, and what it names is looked at as of one.
#[test]
fn fa_25_a_call_of_a_tool_of_ours_is_a_reading_of_what_it_names() {
    let own = |paths: &[&str]| Action::OwnTool {
        tool: "read_file".to_owned(),
        paths: files(paths),
    };
    for (paths, answer) in [
        (&[][..], Answer::Allow),
        (&["src/a.rs"], Answer::Allow),
        (&[".env"], Answer::Ask),
        (&["/etc/hosts"], Answer::Ask),
        (&["/home/u/.taffrail/x"], Answer::Deny),
    ] {
        let decision = foreign(&own(paths), Mode::Ask, false, Held::Sandboxed);
        assert_eq!(decision.answer, answer, "{paths:?}");
        assert!(!decision.destructive);
    }
    let decision = foreign(&own(&[]), Mode::Ask, false, Held::Sandboxed);
    assert_eq!(
        (decision.risk, decision.reasons[0].why),
        (Risk::Read, Why::OwnTool)
    );
    // The twin: under any other name it is something that nobody can look into.
    let unknown = Action::Unknown {
        what: "mcp__other__read_file".to_owned(),
        paths: Vec::new(),
    };
    let decision = foreign(&unknown, Mode::Ask, false, Held::Sandboxed);
    assert_eq!((decision.answer, decision.destructive), (Answer::Ask, true));
}
