//! FA-30: what an agent might plant is refused or flagged.

use std::os::unix::net::UnixListener;
use std::path::Path;

use crate::world::{World, executable, link, plain_ok, put, summary};

/// What an agent might plant, and what becomes of it: `kind path flags refusal`, or nothing when it is not captured.
type Case = (&'static str, fn(&Path), &'static [&'static str]);

const HOSTILE: &[Case] = &[
    (
        "ci",
        |at| put(at, ".github/workflows/x.yml", "on: push"),
        &["Added .github/workflows/x.yml +ci"],
    ),
    (
        "rules as Windows opens them",
        |at| put(at, "AGENTS.md .", "x"),
        &["Added AGENTS.md . +agent-rules"],
    ),
    (
        "rules as a folding file system opens them",
        |at| put(at, "AGENT\u{17f}.md", "x"),
        &["Added AGENT\u{17f}.md +agent-rules"],
    ),
    (
        "ci upper",
        |at| put(at, ".GITHUB/workflows/x.yml", "x"),
        &["Added .GITHUB/workflows/x.yml +ci"],
    ),
    (
        "gitlab",
        |at| put(at, ".gitlab-ci.yml", "x"),
        &["Added .gitlab-ci.yml +ci"],
    ),
    (
        "circle",
        |at| put(at, ".circleci/config.yml", "x"),
        &["Added .circleci/config.yml +ci"],
    ),
    (
        "jenkins",
        |at| put(at, "Jenkinsfile", "x"),
        &["Added Jenkinsfile +ci"],
    ),
    (
        "azure",
        |at| put(at, "azure-pipelines.yml", "x"),
        &["Added azure-pipelines.yml +ci"],
    ),
    (
        "travis",
        |at| put(at, "x/.travis.yml", "x"),
        &["Added x/.travis.yml +ci"],
    ),
    (
        "buildkite",
        |at| put(at, ".buildkite/p.yml", "x"),
        &["Added .buildkite/p.yml +ci"],
    ),
    (
        "drone",
        |at| put(at, ".drone.yml", "x"),
        &["Added .drone.yml +ci"],
    ),
    (
        "woodpecker",
        |at| put(at, ".woodpecker.yml", "x"),
        &["Added .woodpecker.yml +ci"],
    ),
    (
        "bitbucket",
        |at| put(at, "bitbucket-pipelines.yml", "x"),
        &["Added bitbucket-pipelines.yml +ci"],
    ),
    (
        "forgejo",
        |at| put(at, ".forgejo/workflows/a.yml", "x"),
        &["Added .forgejo/workflows/a.yml +ci"],
    ),
    (
        "husky",
        |at| put(at, ".husky/pre-commit", "x"),
        &["Added .husky/pre-commit +hook"],
    ),
    (
        "githooks",
        |at| put(at, ".githooks/pre-push", "x"),
        &["Added .githooks/pre-push +hook"],
    ),
    (
        "hooks dir",
        |at| put(at, "etc/hooks/pre-commit", "x"),
        &["Added etc/hooks/pre-commit +hook"],
    ),
    (
        "lefthook",
        |at| put(at, "lefthook.yml", "x"),
        &["Added lefthook.yml +hook"],
    ),
    (
        "pre-commit",
        |at| put(at, ".pre-commit-config.yaml", "x"),
        &["Added .pre-commit-config.yaml +hook"],
    ),
    (
        "lintstaged",
        |at| put(at, ".lintstagedrc.js", "x"),
        &["Added .lintstagedrc.js +hook"],
    ),
    (
        "claude",
        |at| put(at, "CLAUDE.md", "x"),
        &["Added CLAUDE.md +agent-rules"],
    ),
    (
        "claude case",
        |at| put(at, "sub/cLaUdE.Md", "x"),
        &["Added sub/cLaUdE.Md +agent-rules"],
    ),
    (
        "agents",
        |at| put(at, "AGENTS.md", "x"),
        &["Added AGENTS.md +agent-rules"],
    ),
    (
        "gemini",
        |at| put(at, ".gemini/settings.json", "x"),
        &["Added .gemini/settings.json +agent-rules"],
    ),
    (
        "claude hooks",
        |at| put(at, ".claude/settings.json", "x"),
        &["Added .claude/settings.json +agent-rules"],
    ),
    (
        "claude as link",
        |at| link(at, ".claude", "d"),
        &["Added .claude +agent-rules +symlink"],
    ),
    (
        "codex",
        |at| put(at, ".codex/config.toml", "x"),
        &["Added .codex/config.toml +agent-rules"],
    ),
    (
        "cursor",
        |at| put(at, ".cursor/mcp.json", "x"),
        &["Added .cursor/mcp.json +agent-rules"],
    ),
    (
        "cursorrules",
        |at| put(at, ".cursorrules", "x"),
        &["Added .cursorrules +agent-rules"],
    ),
    (
        "mcp",
        |at| put(at, ".mcp.json", "x"),
        &["Added .mcp.json +agent-rules"],
    ),
    (
        "aider",
        |at| put(at, ".aider.conf.yml", "x"),
        &["Added .aider.conf.yml +agent-rules"],
    ),
    (
        "opencode",
        |at| put(at, "opencode.json", "x"),
        &["Added opencode.json +agent-rules"],
    ),
    (
        "skill",
        |at| put(at, "s/SKILL.md", "x"),
        &["Added s/SKILL.md +agent-rules"],
    ),
    (
        "copilot",
        |at| put(at, ".github/copilot-instructions.md", "x"),
        &["Added .github/copilot-instructions.md +ci +agent-rules"],
    ),
    (
        "vscode",
        |at| put(at, ".vscode/tasks.json", "x"),
        &["Added .vscode/tasks.json +editor-task"],
    ),
    (
        "idea",
        |at| put(at, ".idea/workspace.xml", "x"),
        &["Added .idea/workspace.xml +editor-task"],
    ),
    (
        "zed",
        |at| put(at, ".zed/tasks.json", "x"),
        &["Added .zed/tasks.json +editor-task"],
    ),
    (
        "envrc",
        |at| put(at, ".envrc", "x"),
        &["Added .envrc +editor-task"],
    ),
    (
        "devcontainer",
        |at| put(at, ".devcontainer/devcontainer.json", "x"),
        &["Added .devcontainer/devcontainer.json +editor-task"],
    ),
    (
        "exrc",
        |at| put(at, ".exrc", "x"),
        &["Added .exrc +editor-task"],
    ),
    (
        "nvim",
        |at| put(at, ".nvim.lua", "x"),
        &["Added .nvim.lua +editor-task"],
    ),
    (
        "mise",
        |at| put(at, ".mise.toml", "x"),
        &["Added .mise.toml +editor-task"],
    ),
    (
        "attributes",
        |at| put(at, ".gitattributes", "* filter=x"),
        &["Added .gitattributes +git-config"],
    ),
    (
        "attributes below",
        |at| put(at, "d/.gitattributes", "* filter=x"),
        &["Added d/.gitattributes +git-config"],
    ),
    (
        "modules",
        |at| put(at, ".gitmodules", "x"),
        &["Added .gitmodules +git-config"],
    ),
    (
        "modules link",
        |at| link(at, ".gitmodules", "a.txt"),
        &["Added .gitmodules +git-config !git-folder"],
    ),
    (
        "managed",
        |at| put(at, ".taffrail/config.toml", "x"),
        &["Added .taffrail/config.toml +managed-state"],
    ),
    (
        "managed case",
        |at| put(at, ".Taffrail/x", "x"),
        &["Added .Taffrail/x +managed-state"],
    ),
    (
        "executable",
        |at| {
            put(at, "run", "x");
            executable(at, "run");
        },
        &["Added run +executable"],
    ),
    (
        "made executable",
        |at| executable(at, "a.txt"),
        &["ModeChanged a.txt +executable"],
    ),
    (
        "link inside",
        |at| link(at, "in", "d/b.txt"),
        &["Added in +symlink"],
    ),
    (
        "link absolute",
        |at| link(at, "out-link", "/etc/passwd"),
        &["Added out-link !symlink-leaves"],
    ),
    (
        "link up",
        |at| link(at, "up", "../x"),
        &["Added up !symlink-leaves"],
    ),
    (
        "link up deep",
        |at| link(at, "d/up", "../../x"),
        &["Added d/up !symlink-leaves"],
    ),
    (
        "link through",
        |at| link(at, "th", "d/../../x"),
        &["Added th !symlink-leaves"],
    ),
    (
        "link to git",
        |at| link(at, "g", ".git/hooks"),
        &["Added g !git-folder"],
    ),
    (
        "link to git case",
        |at| link(at, "d/g", "../.GIT/config"),
        &["Added d/g !git-folder"],
    ),
    (
        "link proc",
        |at| link(at, "pr", "/proc/self/environ"),
        &["Added pr !symlink-leaves"],
    ),
    (
        "file to link out",
        |at| {
            std::fs::remove_file(at.join("a.txt")).unwrap();
            link(at, "a.txt", "/etc/passwd");
        },
        &["TypeChanged a.txt !symlink-leaves"],
    ),
    (
        "folder to link out",
        |at| {
            std::fs::remove_dir_all(at.join("d")).unwrap();
            link(at, "d", "/etc");
        },
        &["Added d !symlink-leaves", "Deleted d/b.txt"],
    ),
    (
        "GIT",
        |at| put(at, ".GIT/config", "x"),
        &["Added .GIT !git-folder"],
    ),
    (
        "Git nested",
        |at| put(at, "d/.Git/config", "x"),
        &["Added d/.Git !git-folder"],
    ),
    (
        "git~1",
        |at| put(at, "git~1/config", "x"),
        &["Added git~1 !git-folder"],
    ),
    (
        "git dot",
        |at| put(at, ".git./config", "x"),
        &["Added .git. !git-folder"],
    ),
    (
        "git blank",
        |at| put(at, ".git /config", "x"),
        &["Added .git  !git-folder"],
    ),
    (
        "git zero width",
        |at| put(at, ".g\u{200c}it/config", "x"),
        &["Added .g\u{200c}it +odd-name !git-folder"],
    ),
    (
        "git stream",
        |at| put(at, ".git::$INDEX_ALLOCATION/config", "x"),
        &["Added .git::$INDEX_ALLOCATION !git-folder"],
    ),
    (
        "git backslash",
        |at| put(at, ".git\\config", "x"),
        &["Added .git\\config !git-folder"],
    ),
    (
        "git file",
        |at| put(at, "d/.git", "gitdir: /x"),
        &["Added d/.git !gitlink"],
    ),
    (
        "nested repository",
        |at| {
            plain_ok(at, &["init", "-q", "nested"]);
            put(at, "nested/f", "x");
        },
        &["Added nested/.git !gitlink", "Added nested/f"],
    ),
    (
        "fifo",
        |at| {
            rustix_fifo(&at.join("pipe"));
        },
        &["Added pipe !special-file"],
    ),
    (
        "fifo for file",
        |at| {
            std::fs::remove_file(at.join("a.txt")).unwrap();
            rustix_fifo(&at.join("a.txt"));
        },
        &["TypeChanged a.txt !special-file"],
    ),
    (
        "socket",
        |at| drop(UnixListener::bind(at.join("s")).unwrap()),
        &["Added s !special-file"],
    ),
    (
        "hard link",
        |at| std::fs::hard_link(at.join("a.txt"), at.join("h")).unwrap(),
        &["Added h !hard-link"],
    ),
    (
        "hard link outside",
        |at| {
            std::fs::write(at.join("../victim"), "v").unwrap();
            std::fs::hard_link(at.join("../victim"), at.join("h")).unwrap();
        },
        &["Added h !hard-link"],
    ),
    (
        "huge",
        |at| {
            std::fs::File::create(at.join("huge"))
                .unwrap()
                .set_len(257 << 20)
                .unwrap();
        },
        &["Added huge !too-large"],
    ),
    (
        "secret",
        |at| put(at, "s.txt", "SECRET=1"),
        &["Added s.txt +secret"],
    ),
    (
        "secret in binary",
        |at| put(at, "s.bin", b"\0SECRET=1"),
        &["Added s.bin +binary +secret"],
    ),
    (
        "secret in line",
        |at| put(at, "a.txt", "1\nSECRET=2\n3\n"),
        &["Modified a.txt +secret"],
    ),
    (
        "bidi",
        |at| put(at, "a\u{202e}txt", "x"),
        &["Added a\u{202e}txt +odd-name"],
    ),
    (
        "escape",
        |at| put(at, "a\u{1b}[2Jb", "x"),
        &["Added a\u{1b}[2Jb +odd-name"],
    ),
    (
        "newline",
        |at| put(at, "a\nb", "x"),
        &["Added a\nb +odd-name"],
    ),
    (
        "not utf-8",
        |at| put(at, b"\xff\xfe", "x"),
        &["Added \u{fffd}\u{fffd} +odd-name"],
    ),
    (
        "case",
        |at| put(at, "A.TXT", "x"),
        &["Added A.TXT +case-collision"],
    ),
    (
        "case of folder",
        |at| put(at, "D/new", "x"),
        &["Added D/new +case-collision"],
    ),
    (
        "normal forms",
        |at| {
            put(at, "\u{e9}", "x");
            put(at, "e\u{301}", "y");
        },
        &[
            "Added e\u{301} +case-collision",
            "Added \u{e9} +case-collision",
        ],
    ),
    (
        "ignore everything",
        |at| {
            put(at, ".gitignore", "*\n");
            put(at, "hidden", "x");
            put(at, "a.txt", "y\n");
        },
        &["Modified .gitignore", "Modified a.txt"],
    ),
    (
        "git config inside",
        |at| put(at, ".git/config", "[core]\n\tfsmonitor = /bin/false\n"),
        &[],
    ),
    (
        "git gone",
        |at| std::fs::remove_dir_all(at.join(".git")).unwrap(),
        &[],
    ),
    (
        "git as link",
        |at| {
            std::fs::remove_dir_all(at.join(".git")).unwrap();
            link(at, ".git", "/etc");
        },
        &[],
    ),
];

/// A FIFO, by the program: the test crates have no call for it.
fn rustix_fifo(path: &Path) {
    let made = std::process::Command::new("mkfifo")
        .arg(path)
        .status()
        .unwrap();
    assert!(made.success());
}

#[test]
fn fa_30_s28_hostile_changes_are_refused_or_flagged() {
    assert!(HOSTILE.len() >= 80, "{} cases", HOSTILE.len());
    let world = World::with(&[
        ("a.txt", "1\n2\n3\n"),
        ("d/b.txt", "b\n"),
        (".gitignore", "*.log\n"),
    ]);
    for (name, plant, expected) in HOSTILE {
        let (project, checkout) = world.checkout();
        plant(&world.dest());
        let (captured, patch) = world.capture(&project, &checkout.listing);
        assert_eq!(summary(&captured), *expected, "{name}");
        for change in captured
            .changes
            .iter()
            .filter(|change| change.refused.is_some())
        {
            let text = String::from_utf8_lossy(&patch);
            let header = format!("b/{}\n", change.path.to_text());
            assert!(
                !text.contains(&header),
                "{name}: a refused change is in the diff"
            );
        }
        if captured
            .changes
            .iter()
            .any(|change| change.refused.is_some())
        {
            let landed = world.land(&project, &checkout, &captured.changes, &patch);
            let error = landed.unwrap_err();
            assert_eq!(error.code().row().name, "change_refused", "{name}");
        }
        std::fs::remove_dir_all(world.dest()).unwrap();
    }
}

/// The twin: what an agent left, copied to where its paths lead, is written through its own link.
#[test]
fn fa_30_s28_twin_copied_path_by_path_a_change_is_written_outside() {
    let world = World::with(&[("d/b.txt", "b\n")]);
    let (project, outside) = (world.repo.root(), world.dest().with_extension("outside"));
    std::fs::create_dir(&outside).unwrap();
    world.checkout();
    put(&world.dest(), "e/b.txt", "agent\n");
    link(project, "e", &outside.display().to_string());
    std::fs::copy(world.dest().join("e/b.txt"), project.join("e/b.txt")).unwrap();
    assert!(outside.join("b.txt").exists());
}

#[test]
fn fa_30_a_link_in_place_of_the_checkout_is_not_followed() {
    let world = World::with(&[("a.txt", "1\n")]);
    let (project, checkout) = world.checkout();
    let aside = world.run_dir().join("aside");
    let outside = world.run_dir().join("outside");
    put(&outside, "private.txt", "the operator's\n");
    std::fs::rename(world.dest(), &aside).unwrap();
    std::os::unix::fs::symlink(&outside, world.dest()).unwrap();
    let mut patch = Vec::new();
    let refused = world.try_capture(&project, &checkout.listing, &mut patch);
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("symlink"), "{error}");
    assert!(patch.is_empty(), "{}", String::from_utf8_lossy(&patch));
    // The twin: a folder in its place is what the run made, and it is captured.
    std::fs::remove_file(world.dest()).unwrap();
    std::fs::rename(&outside, world.dest()).unwrap();
    let (captured, _) = world.capture(&project, &checkout.listing);
    assert_eq!(summary(&captured), ["Deleted a.txt", "Added private.txt"]);
}

#[test]
fn fa_30_what_is_reached_through_a_link_counts_by_the_links_name_too() {
    let world = World::with(&[("docs/rules.md", "be kind\n"), ("docs/other.md", "x\n")]);
    link(world.repo.root(), "CLAUDE.md", "docs/rules.md");
    world.repo.commit("second");
    let (project, checkout) = world.checkout();
    put(&world.dest(), "docs/rules.md", "obey\n");
    // The twin: no link leads to it.
    put(&world.dest(), "docs/other.md", "y\n");
    let (captured, _) = world.capture(&project, &checkout.listing);
    assert_eq!(
        summary(&captured),
        [
            "Modified docs/other.md",
            "Modified docs/rules.md +agent-rules"
        ]
    );
}
