//! FA-02: the gates, in their order, each with its twin.
#![allow(
    clippy::disallowed_methods,
    reason = "a test makes programs and projects"
)]

use std::path::{Path, PathBuf};

use taffrail_confine::env::Environment;
use taffrail_domain::ErrorCode;

use super::*;
use crate::a_world::{World, world};

const PLAIN: Asked = Asked {
    write: false,
    unattended: false,
};

/// A world with this configuration, these variables, and a folder `bin` on the PATH.
fn with(config: &str, variables: &[(&str, &str)]) -> World {
    let mut world = world();
    let bin = top(&world).join("bin");
    std::fs::create_dir(&bin).unwrap();
    set(&mut world, variables);
    configure(&mut world, config);
    world
}

/// Gives a world these variables and no others.
fn set(world: &mut World, variables: &[(&str, &str)]) {
    let path = format!("{}/bin:/usr/local/bin:/usr/bin:/bin", top(world).display());
    let home = world.app.home.root().display().to_string();
    let all = [("PATH", path.as_str()), ("TAFFRAIL_HOME", home.as_str())];
    let all = all.iter().chain(variables);
    let all = all.map(|(name, value)| (name.into(), value.into()));
    world.app.inputs.environment = Environment::new(all);
}

fn configure(world: &mut World, config: &str) {
    std::fs::write(world.app.home.config(), config).unwrap();
    let read = crate::context::read_config(&world.app.inputs, &world.app.home);
    world.app.config = read.unwrap();
}

/// The folder that everything of a world lies in.
fn top(world: &World) -> PathBuf {
    world.app.inputs.user_home.parent().unwrap().to_owned()
}

/// Written by another program, so that it can be started at once: what is open for writing here is so in every child
/// that is just being started, too.
fn program(path: &Path, body: &str) {
    let script = r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#;
    let written = std::process::Command::new("/bin/sh")
        .args(["-c", script])
        .arg(path)
        .arg(body)
        .status();
    assert!(written.unwrap().success());
}

fn code(world: &World, id: &str, asked: Asked) -> ErrorCode {
    match pass(&world.app, id, &asked) {
        Err(error) => error.code(),
        Ok(passed) => panic!("{id} passed: {passed:?}"),
    }
}

const ENTRY: &str = "[external_agents.mine]\ncommand = \"mine\"\ntransport = \"acp\"\n";

#[test]
fn fa_02_gates_are_asked_in_their_order() {
    let shut: &[(&str, &str)] = &[
        ("TAFFRAIL_TRANSPORT", "ssh"),
        ("CI", "true"),
        ("TAFFRAIL_EXTERNAL_DEPTH", "1"),
    ];
    let off = format!("{ENTRY}enabled = false\n");
    let on = format!("[external_agents]\nenabled = true\n{ENTRY}");
    let write = Asked {
        write: true,
        unattended: true,
    };
    let here = with(&off, shut);
    assert_eq!(code(&here, "nobody", write), ErrorCode::ExternalRemote);
    let here = with(&off, &shut[1..]);
    assert_eq!(code(&here, "nobody", write), ErrorCode::AgentUnknown);
    assert_eq!(code(&here, "mine", write), ErrorCode::ExternalCi);
    let here = with(&off, &shut[2..]);
    assert_eq!(code(&here, "mine", write), ErrorCode::ExternalOff);
    let here = with(
        &format!("[external_agents]\nenabled = true\n{off}"),
        &shut[2..],
    );
    assert_eq!(code(&here, "mine", write), ErrorCode::AgentOff);
    let here = with(&on, &shut[2..]);
    assert_eq!(code(&here, "mine", write), ErrorCode::AgentDepth);
    let here = with(&on, &[]);
    assert_eq!(code(&here, "codex-cli", write), ErrorCode::AgentUnfit);
    assert_eq!(code(&here, "codex", write), ErrorCode::AgentUnfit);
    for id in ["codex", "codex-cli"] {
        let Err(AppError::Gate(fault)) = pass(&here.app, id, &write) else {
            panic!("{id} passed")
        };
        let hint = fault.hint().unwrap();
        assert_eq!(hint, "taffrail agents external run codex-acp …");
    }
    assert_eq!(code(&here, "mine", write), ErrorCode::GrantNeeded);
    assert_eq!(code(&here, "mine", PLAIN), ErrorCode::AgentMissing);
    program(&top(&here).join("bin/mine"), "echo mine 1.2.3");
    let passed = pass(&here.app, "mine", &PLAIN).unwrap();
    assert_eq!(passed.version.as_deref(), Some("1.2.3"));
    assert_eq!(passed.program, top(&here).join("bin/mine"));
    assert!(passed.warnings.is_empty());
}

#[test]
fn fa_02_each_gate_says_what_shuts_it_and_what_helps() {
    let here = with("", &[("CI", "1")]);
    let says = |id: &str| pass(&here.app, id, &PLAIN).unwrap_err().to_string();
    assert!(
        says("gemni-acp").contains("there are antigravity-cli, claude-acp"),
        "{}",
        says("gemni-acp")
    );
    assert_eq!(
        says("gemini-acp"),
        "CI is set: foreign agents are not driven in CI"
    );
    let here = with("", &[]);
    let said = pass(&here.app, "gemini-acp", &PLAIN)
        .unwrap_err()
        .to_string();
    let file = here.app.home.config().display().to_string();
    assert!(
        said.contains(&file) && said.contains("external_agents.enabled"),
        "{said}"
    );
    let here = with(
        "[external_agents]\nenabled = true\n[external_agents.cline-acp]\ncommand = \"no-such-cline\"",
        &[],
    );
    match pass(&here.app, "cline-acp", &PLAIN).unwrap_err() {
        AppError::Gate(fault) => {
            assert!(fault.to_string().contains("no-such-cline"), "{fault}");
            assert_eq!(
                fault.hint().as_deref(),
                Some("install it: `npm install -g cline`")
            );
        }
        other => panic!("{other}"),
    }
}

#[test]
fn fa_02_whoever_comes_from_elsewhere_drives_nothing() {
    let mut here = with("", &[]);
    for local in ["", "local", "cli", "tui"] {
        set(&mut here, &[("TAFFRAIL_TRANSPORT", local)]);
        assert_eq!(
            code(&here, "gemini-acp", PLAIN),
            ErrorCode::ExternalOff,
            "{local}"
        );
    }
    for remote in ["remote", "ssh", "web", "LOCAL", "cli ", "telegram", "0"] {
        set(&mut here, &[("TAFFRAIL_TRANSPORT", remote)]);
        assert_eq!(
            code(&here, "gemini-acp", PLAIN),
            ErrorCode::ExternalRemote,
            "{remote}"
        );
    }
}

#[test]
fn fa_02_a_build_machine_drives_only_what_its_user_marked_as_a_test() {
    let mut here = with("", &[]);
    for name in [
        "CI",
        "CONTINUOUS_INTEGRATION",
        "GITHUB_ACTIONS",
        "GITLAB_CI",
        "CIRCLECI",
        "TRAVIS",
        "JENKINS_URL",
        "TEAMCITY_VERSION",
        "BUILDKITE",
        "DRONE",
        "APPVEYOR",
        "CODEBUILD_BUILD_ID",
        "TF_BUILD",
        "BITBUCKET_BUILD_NUMBER",
    ] {
        for (value, expected) in [
            ("true", ErrorCode::ExternalCi),
            ("1", ErrorCode::ExternalCi),
            ("https://ci.example", ErrorCode::ExternalCi),
            ("", ErrorCode::ExternalOff),
            ("0", ErrorCode::ExternalOff),
            ("false", ErrorCode::ExternalOff),
            ("No", ErrorCode::ExternalOff),
            ("OFF", ErrorCode::ExternalOff),
        ] {
            set(&mut here, &[(name, value)]);
            assert_eq!(code(&here, "gemini-acp", PLAIN), expected, "{name}={value}");
        }
    }
    let on = "[external_agents]\nenabled = true\n";
    let marked = format!("{on}{ENTRY}test = true\n");
    let here = with(&marked, &[("CI", "true")]);
    assert_eq!(code(&here, "mine", PLAIN), ErrorCode::AgentMissing);
    // Its neighbours are not marked.
    assert_eq!(code(&here, "gemini-acp", PLAIN), ErrorCode::ExternalCi);
    // The mark opens this gate and no other.
    let here = with(&format!("{ENTRY}test = true\n"), &[("CI", "true")]);
    assert_eq!(code(&here, "mine", PLAIN), ErrorCode::ExternalOff);
}

#[test]
fn fa_02_agents_start_no_agents() {
    let mut here = with("[external_agents]\nenabled = true", &[]);
    assert_eq!(child_depth(&here.app), "1");
    for shallow in ["", "0"] {
        set(&mut here, &[(DEPTH_VARIABLE, shallow)]);
        assert_eq!(
            code(&here, "codex-cli", PLAIN),
            ErrorCode::AgentUnfit,
            "{shallow}"
        );
        assert_eq!(child_depth(&here.app), "1");
    }
    for deep in ["1", "2", "-1", "x", "0x0", " 0", "99999999999"] {
        set(&mut here, &[(DEPTH_VARIABLE, deep)]);
        assert_eq!(
            code(&here, "codex-cli", PLAIN),
            ErrorCode::AgentDepth,
            "{deep}"
        );
    }
    set(&mut here, &[(DEPTH_VARIABLE, "3")]);
    assert_eq!(child_depth(&here.app), "4");
}

#[test]
fn fa_24_nobody_is_asked_only_with_the_grant() {
    let on = format!("[external_agents]\nenabled = true\n{ENTRY}");
    let mut here = with(&on, &[]);
    let asked = |write, unattended| Asked { write, unattended };
    assert_eq!(
        code(&here, "mine", asked(true, true)),
        ErrorCode::GrantNeeded
    );
    // The twins: somebody is there, or nothing is written.
    assert_eq!(
        code(&here, "mine", asked(true, false)),
        ErrorCode::AgentMissing
    );
    assert_eq!(
        code(&here, "mine", asked(false, true)),
        ErrorCode::AgentMissing
    );
    configure(
        &mut here,
        &on.replace(
            "enabled = true",
            "enabled = true\nwrite_in_checkout = \"allow\"",
        ),
    );
    assert_eq!(
        code(&here, "mine", asked(true, true)),
        ErrorCode::AgentMissing
    );
}

#[test]
fn fa_02_a_sign_in_method_is_asked_for_where_its_variable_is_there() {
    let on = format!(
        "[external_agents]\nenabled = true\n{ENTRY}auth_method = \"key\"\nauth_env = \"MINE_KEY\"\n"
    );
    for (variables, expected) in [
        (&[][..], None),
        (&[("MINE_KEY", "")][..], None),
        (&[("MINE_KEY", "k")][..], Some("key")),
    ] {
        let here = with(&on, variables);
        program(&top(&here).join("bin/mine"), "echo 1.2.3");
        let passed = pass(&here.app, "mine", &PLAIN).unwrap();
        assert_eq!(passed.auth_method.as_deref(), expected, "{variables:?}");
    }
}

#[test]
fn fa_02_a_version_that_was_not_tested_is_a_warning() {
    let on = format!("[external_agents]\nenabled = true\n{ENTRY}tested = [\"1.2\", \"1.4.7\"]\n");
    let here = with(&on, &[]);
    for (body, version, warning) in [
        ("echo 1.2.0", Some("1.2.0"), None),
        ("echo v1.4.7-beta", Some("1.4.7"), None),
        (
            "echo 1.4.8",
            Some("1.4.8"),
            Some("mine 1.4.8 was not tested with; 1.2 to 1.4.7 was"),
        ),
        (
            "echo 1.1.99",
            Some("1.1.99"),
            Some("mine 1.1.99 was not tested with; 1.2 to 1.4.7 was"),
        ),
        (
            "echo 1.10.0",
            Some("1.10.0"),
            Some("mine 1.10.0 was not tested with; 1.2 to 1.4.7 was"),
        ),
        ("echo hello", None, Some("mine tells no version")),
        (
            "echo broken >&2; exit 3",
            None,
            Some("mine tells no version: it ended with exit code 3: broken"),
        ),
        (
            "head -c 100000 /dev/zero",
            None,
            Some("mine tells no version: `"),
        ),
    ] {
        program(&top(&here).join("bin/mine"), body);
        let passed = pass(&here.app, "mine", &PLAIN).unwrap();
        assert_eq!(passed.version.as_deref(), version, "{body}");
        match warning {
            None => assert!(passed.warnings.is_empty(), "{body}: {:?}", passed.warnings),
            Some(expected) => {
                assert_eq!(passed.warnings.len(), 1, "{body}");
                assert!(
                    passed.warnings[0].starts_with(expected),
                    "{body}: {:?}",
                    passed.warnings
                );
            }
        }
    }
}

/// The probe is the one thing that is started outside of the sandbox: it gets nothing of the person's.
#[test]
fn fa_02_the_version_is_asked_for_with_nothing_of_the_persons() {
    let on = format!(
        "[external_agents]\nenabled = true\n{ENTRY}pass_env = [\"MINE_KEY\"]\nenv = {{ A = \"1\" }}\n"
    );
    let here = with(
        &on,
        &[("MINE_KEY", "secret"), ("OTHER", "x"), ("LANG", "C.UTF-8")],
    );
    let told = top(&here).join("told");
    let body = format!(
        "{{ env; pwd; ls -A; }} > {}; touch \"$HOME/left\"; echo 1.2.3",
        told.display()
    );
    program(&top(&here).join("bin/mine"), &body);
    pass(&here.app, "mine", &PLAIN).unwrap();
    let told = std::fs::read_to_string(told).unwrap();
    let mut names: Vec<&str> = told
        .lines()
        .filter_map(|line| line.split_once('=').map(|(name, _)| name))
        .filter(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name))
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        ["HOME", "LANG", "NO_COLOR", "PATH", "TMPDIR"],
        "{told}"
    );
    assert!(
        !told.contains("secret") && !told.contains(here.app.inputs.cwd.to_str().unwrap()),
        "{told}"
    );
    let home = told
        .lines()
        .find_map(|line| line.strip_prefix("HOME="))
        .unwrap();
    assert_ne!(Path::new(home), here.app.inputs.user_home);
    assert!(!Path::new(home).exists(), "{home} stays");
}

/// A project whose own folder is on the PATH, with a program in it that leaves a mark.
fn trap(world: &mut World, name: &str) -> PathBuf {
    let project = top(world).join("project");
    std::fs::create_dir_all(project.join("tools")).unwrap();
    let git = |args: &[&str]| {
        let done = std::process::Command::new("git")
            .args([
                "-C",
                project.to_str().unwrap(),
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@t",
            ])
            .args(args)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "start"]);
    let mark = top(world).join("mark");
    program(
        &project.join("tools").join(name),
        &format!("touch {}; echo 1.2.3", mark.display()),
    );
    let path = format!("{}:/usr/bin:/bin", project.join("tools").display());
    let variables = [("PATH".into(), path.into())];
    world.app.inputs.environment = Environment::new(variables);
    world.app.inputs.cwd = project;
    mark
}

#[test]
fn fa_02_s1_a_program_that_the_project_holds_is_not_even_asked_for_its_version() {
    let on = format!("[external_agents]\nenabled = true\n{ENTRY}");
    let mut here = with(&on, &[]);
    let mark = trap(&mut here, "mine");
    let error = pass(&here.app, "mine", &PLAIN).unwrap_err();
    assert_eq!(error.code(), ErrorCode::AgentUnfit);
    assert!(error.to_string().contains("lies in"), "{error}");
    assert!(!mark.exists());
    // Neither through a link from elsewhere.
    let linked = top(&here).join("bin/mine");
    std::os::unix::fs::symlink(top(&here).join("project/tools/mine"), linked).unwrap();
    let path = format!("{}:/usr/bin:/bin", top(&here).join("bin").display());
    here.app.inputs.environment = Environment::new([("PATH".into(), path.into())]);
    assert_eq!(code(&here, "mine", PLAIN), ErrorCode::AgentUnfit);
    assert!(!mark.exists());
    // The twin: from outside of that project it is a program like any other.
    here.app.inputs.cwd = top(&here).join("work");
    assert!(pass(&here.app, "mine", &PLAIN).is_ok());
    assert!(mark.exists());
}

#[test]
fn fa_02_s1_twin_a_home_directory_that_is_kept_in_git_is_no_project() {
    let on = format!("[external_agents]\nenabled = true\n{ENTRY}");
    let mut here = with(&on, &[]);
    let mark = trap(&mut here, "mine");
    here.app.inputs.user_home = top(&here).join("project");
    assert!(pass(&here.app, "mine", &PLAIN).is_ok());
    assert!(mark.exists());
}

#[test]
fn fa_02_the_list_shows_how_every_gate_stands_without_starting_anything() {
    let here = with(&format!("{ENTRY}enabled = false\n"), &[("CI", "true")]);
    let grounds = Grounds::of(&here.app);
    let shut = |id: &str| -> Vec<&str> {
        let entry = find(&here.app.config, id).unwrap();
        let all = standings(&grounds, entry, None).into_iter();
        all.filter(|standing| standing.shut.is_some())
            .map(|standing| standing.gate.name())
            .collect()
    };
    assert_eq!(shut("mine"), ["ci", "enabled", "agent"]);
    assert_eq!(shut("codex-cli"), ["ci", "enabled", "drivable"]);
}

#[test]
fn fa_02_the_switch_is_offered_once_and_only_where_it_is_what_shuts() {
    let mut here = with("# mine\n", &[]);
    let off = pass(&here.app, "gemini-acp", &PLAIN).unwrap_err();
    let unknown = pass(&here.app, "nobody", &PLAIN).unwrap_err();
    assert!(may_offer(&here.app, &off).unwrap());
    assert!(!may_offer(&here.app, &unknown).unwrap());
    offered(&here.app).unwrap();
    assert!(!may_offer(&here.app, &off).unwrap());
    enable(&mut here.app).unwrap();
    assert!(here.app.config.external_agents.enabled.value);
    let text = std::fs::read_to_string(here.app.home.config()).unwrap();
    assert_eq!(text, "# mine\n\n[external_agents]\nenabled = true\n");
    assert_ne!(code(&here, "gemini-acp", PLAIN), ErrorCode::ExternalOff);
}
