use super::*;

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn of(text: &str) -> Vec<&'static str> {
    let path = path(text);
    let facts = Facts {
        path: &path,
        aliases: &[],
        old: None,
        new: Some(FileMode::File),
        binary: false,
        secret: false,
        collides: false,
    };
    flags(&facts).into_iter().map(Flag::name).collect()
}

#[test]
fn fa_30_names_that_flag() {
    let table: &[(&str, &[&str])] = &[
        (".github/workflows/ci.yml", &["ci"]),
        (".GitHub/Workflows/CI.yml", &["ci"]),
        ("sub/dir/.gitlab-ci.yml", &["ci"]),
        (".circleci/config.yml", &["ci"]),
        ("Jenkinsfile", &["ci"]),
        ("ci/Jenkinsfile.release", &["ci"]),
        ("azure-pipelines-nightly.yml", &["ci"]),
        (".travis.yml", &["ci"]),
        (".buildkite/pipeline.yml", &["ci"]),
        (".drone.yml", &["ci"]),
        (".woodpecker/a.yml", &["ci"]),
        ("bitbucket-pipelines.yml", &["ci"]),
        (".forgejo/workflows/a.yml", &["ci"]),
        (".gitea/workflows/a.yml", &["ci"]),
        (".husky/pre-commit", &["hook"]),
        (".githooks/x", &["hook"]),
        ("tools/hooks/post-checkout", &["hook"]),
        ("lefthook.yml", &["hook"]),
        (".pre-commit-config.yaml", &["hook"]),
        (".lintstagedrc.json", &["hook"]),
        ("CLAUDE.md", &["agent-rules"]),
        ("a/b/claude.MD", &["agent-rules"]),
        ("AGENTS.override.md", &["agent-rules"]),
        (".claude/settings.json", &["agent-rules"]),
        (".claude", &["agent-rules"]),
        (".cursor/rules/x.mdc", &["agent-rules"]),
        (".aider.conf.yml", &["agent-rules"]),
        ("opencode.json", &["agent-rules"]),
        (".mcp.json", &["agent-rules"]),
        (".github/copilot-instructions.md", &["ci", "agent-rules"]),
        ("skills/x/SKILL.md", &["agent-rules"]),
        (".vscode/tasks.json", &["editor-task"]),
        (".envrc", &["editor-task"]),
        (".devcontainer/devcontainer.json", &["editor-task"]),
        ("mise.toml", &["editor-task"]),
        (".gitattributes", &["git-config"]),
        ("deep/.gitmodules", &["git-config"]),
        (".taffrail/workflows/x.toml", &["managed-state"]),
        ("a\u{202e}b", &["odd-name"]),
        ("src/main.rs", &[]),
        ("hooks/useState.ts", &[]),
        ("Makefile", &[]),
        (".editorconfig", &[]),
        (".tool-versions", &[]),
        (".gitignore", &[]),
        ("docs/github/workflows.md", &[]),
    ];
    for (name, expected) in table {
        assert_eq!(of(name), *expected, "{name}");
    }
}

#[test]
fn fa_30_flags_of_modes_and_content() {
    let path = path("x");
    let facts = Facts {
        path: &path,
        aliases: &[],
        old: Some(FileMode::File),
        new: Some(FileMode::Executable),
        binary: true,
        secret: true,
        collides: true,
    };
    assert_eq!(
        flags(&facts),
        [
            Flag::Executable,
            Flag::Binary,
            Flag::Secret,
            Flag::CaseCollision
        ]
    );
    let kept = Facts {
        old: Some(FileMode::Executable),
        binary: false,
        secret: false,
        collides: false,
        ..facts
    };
    assert_eq!(flags(&kept), []);
}

#[test]
fn fa_30_links_that_leave() {
    let table: &[(&str, &str, Option<Refusal>)] = &[
        ("a", "b", None),
        ("a/b", "../c", None),
        ("a/b/c", "../../d/e", None),
        ("a", "./b", None),
        ("a", "", Some(Refusal::SymlinkLeaves)),
        ("a", "/etc/passwd", Some(Refusal::SymlinkLeaves)),
        ("a", "..", Some(Refusal::SymlinkLeaves)),
        ("a/b", "../../c", Some(Refusal::SymlinkLeaves)),
        ("a", "b/../../c", Some(Refusal::SymlinkLeaves)),
        // `d -> .` is inside, and `d/..` is not.
        ("e", "d/..", Some(Refusal::SymlinkLeaves)),
        ("a", "C:\\Windows", Some(Refusal::SymlinkLeaves)),
        ("a", "\\\\host\\share", Some(Refusal::SymlinkLeaves)),
        ("a", "..\\b", Some(Refusal::SymlinkLeaves)),
        ("a", ".git/config", Some(Refusal::GitFolder)),
        ("a/b", "../.GIT/hooks", Some(Refusal::GitFolder)),
        (".gitmodules", "x", Some(Refusal::GitFolder)),
    ];
    for (link, target, expected) in table {
        let found = refusal_of_link(&path(link), target.as_bytes());
        assert_eq!(found, *expected, "{link} -> {target}");
    }
}

#[test]
fn fa_30_paths_that_never_land() {
    for name in [
        ".git/config",
        "a/.git",
        "a/.GIT/x",
        "git~1/hooks/x",
        "a/.git /x",
    ] {
        assert_eq!(
            refusal_of_path(&path(name)),
            Some(Refusal::GitFolder),
            "{name}"
        );
    }
    assert_eq!(refusal_of_path(&path("src/git.rs")), None);
}
