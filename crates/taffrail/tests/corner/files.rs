//! Files through the client, what is not served at all, and folders with odd names (FA-20, FA-21, CNF-01, CNF-02).

use std::path::Path;

use taffrail_testkit::{FakeAgent, Hermetic};

use crate::external::{DONE, case, case_in};

#[test]
fn fa_21_reads_that_are_served() {
    let over = case(
        "open\nread README.md -> a\nmust ${a.result.content} \"# Project\\n\"\n\
         read lines.txt 2 2 -> b\nmust ${b.result.content} \"2\\n3\\n\"\n\
         read lines.txt 99 -> c\nmust ${c.result.content} \"\"\nread lines.txt 3 99 -> d\nmust ${d.result.content} \"3\\n4\"\n\
         read crlf.txt -> e\nmust ${e.result.content} \"\u{feff}a\\r\\nb\\r\\n\"\ndone",
    )
    .file("lines.txt", "1\n2\n3\n4")
    .file("crlf.txt", "\u{feff}a\r\nb\r\n")
    .ends(DONE);
    assert_eq!(over.events_of("fs_request").len(), 5);
}

#[test]
fn fa_21_s6_s39_reads_that_are_refused() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.txt");
    std::fs::write(&secret, "outside-canary\n").unwrap();
    let mut script =
        "open\ndo pipe queue\ndo symlink out ${outside}\ndo symlink self self\ndo mkdir src/deep\n"
            .to_owned();
    for path in [
        "missing.txt",
        "missing/deep.txt",
        "src",
        ".",
        "binary.bin",
        "queue",
        "out",
        "self",
        "/etc/passwd",
        "/proc/self/environ",
        "../../../../etc/passwd",
        "src/../../x",
        ".env",
        "README.md/x",
        "${outside}",
        "",
    ] {
        script.push_str(&format!(
            "read \"{path}\" -> r\nmust ${{r.outcome}} error\n"
        ));
    }
    script.push_str("call fs/read_text_file {\"sessionId\":\"s1\",\"path\":\"${cwd}/a\\u0000b\"} -> r\nmust ${r.outcome} error\n");
    script.push_str("call fs/read_text_file {\"sessionId\":\"other\",\"path\":\"${cwd}/README.md\"} -> r\nmust ${r.outcome} error\ndone");
    let over = case(&script)
        .file("binary.bin", b"\xff\xfe\x00\x01")
        .file(".env", "KEY=inside-canary\n")
        .set("outside", &secret.display().to_string())
        .ends(DONE);
    let record = over.record("frames.jsonl");
    assert!(!record.contains("outside-canary") && !record.contains("inside-canary"));
}

#[test]
fn fa_20_writes_are_refused_where_they_were_not_advertised() {
    let over =
        case("open\nwrite a.txt x -> w\nmust ${w.outcome} error\nsay \"${w.error.message}\"\ndone")
            .ends(DONE);
    assert!(over.said().contains("write"), "{}", over.said());
    assert!(over.result()["patch"].is_null());
}

#[test]
fn fa_21_writes_with_a_grant_keep_their_bytes() {
    let over = case(
        "open\nwrite new/deep/a.txt \"\\xef\\xbb\\xbfa\\r\\nb\" -> w\nmust ${w.outcome} served\n\
         read new/deep/a.txt -> r\nmust ${r.result.content} \"\\xef\\xbb\\xbfa\\r\\nb\"\n\
         write README.md \"# Changed\\n\" -> v\nmust ${v.outcome} served\ndone",
    )
    .sandboxed()
    .write()
    .ends(DONE);
    let patch = over.patch();
    assert!(
        patch.contains("+# Changed") && patch.contains("new/deep/a.txt"),
        "{patch}"
    );
}

#[test]
fn fa_21_writes_that_no_grant_covers() {
    let outside = tempfile::tempdir().unwrap();
    let mut script = "open\ndo symlink out ${outside}\n".to_owned();
    for path in [
        "out/x",
        "${outside}/x",
        "../x",
        ".env",
        ".git/hooks/pre-commit",
        ".git/config",
        "CLAUDE.md",
        ".github/workflows/ci.yml",
        "src",
        "",
    ] {
        script.push_str(&format!(
            "write \"{path}\" planted -> w\nmust ${{w.outcome}} error\n"
        ));
    }
    script.push_str("done");
    let over = case(&script)
        .sandboxed()
        .write()
        .set("outside", &outside.path().display().to_string())
        .run();
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    over.ends(DONE);
}

#[test]
fn fa_24_a_grant_holds_only_while_the_sandbox_is_enforced() {
    let script =
        |outcome: &str| format!("open\nwrite a.txt x -> w\nmust ${{w.outcome}} {outcome}\ndone");
    let over = case(&script("error")).write().ends(DONE);
    assert_eq!(over.events_of("decision")[0]["ground"], "unattended");
    let asked = &over.events_of("fs_request")[0];
    assert_eq!(
        (&asked["outcome"], &asked["bytes"]),
        (&"refused".into(), &0.into())
    );
    assert_eq!(asked["reason"], "not approved (unattended)");
    let show = over.show();
    assert_eq!(show["decisions"][0]["outcome"], "refused");
    assert_eq!(show["grant"], "none");
    let over = over.noted("write_in_checkout does not count without the sandbox");
    assert_eq!(over.ran.code, 0);
    // The twin: the same write in the sandbox.
    let over = case(&script("served")).sandboxed().write().ends(DONE);
    assert_eq!(over.events_of("decision")[0]["ground"], "grant");
    let show = over.show();
    assert_eq!(
        (&show["decisions"][0]["outcome"], &show["grant"]),
        (&"served".into(), &"config".into())
    );
}

#[test]
fn fa_20_what_is_not_advertised_is_not_served() {
    let over = case(
        "open\ncall terminal/create {\"sessionId\":\"s1\",\"command\":\"touch\",\"args\":[\"made-by-terminal\"]} -> t\nmust ${t.outcome} error\n\
         call terminal/output {\"sessionId\":\"s1\",\"terminalId\":\"x\"} -> t\nmust ${t.outcome} error\n\
         call terminal/kill {\"sessionId\":\"s1\",\"terminalId\":\"x\"} -> t\nmust ${t.outcome} error\n\
         call elicitation/create {\"sessionId\":\"s1\",\"mode\":\"url\",\"url\":\"https://example.invalid\",\"message\":\"sign in\"} -> e\n\
         must ${e.outcome} error\nsay \"${e.error.message}\"\ndo shell \"test ! -e made-by-terminal\" -> x\nmust ${x.code} 0\ndone",
    )
    .ends(DONE);
    let show = over.show().to_string();
    for method in ["terminal/create", "elicitation/create"] {
        assert!(show.contains(method), "{method}: {show}");
    }
}

#[test]
fn fa_10_a_home_with_a_blank_and_a_quote() {
    let parent = tempfile::Builder::new()
        .prefix("a b'c\"")
        .tempdir()
        .unwrap();
    let world = Hermetic::below(parent.path(), Path::new(env!("CARGO_BIN_EXE_taffrail")));
    let script = "open\nread README.md -> r\nmust ${r.outcome} served\n\
                  ask q {\"toolCall\":{\"toolCallId\":\"t\",\"kind\":\"read\",\"locations\":[{\"path\":\"${cwd}/README.md\"}]}}\n\
                  must ${q.outcome} allow\ndo shell \"pwd\" -> p\nmust ${p.stdout} \"${cwd}\\n\"\ndone";
    case_in(world, FakeAgent::script(script)).ends(DONE);
}
