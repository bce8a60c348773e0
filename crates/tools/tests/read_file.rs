//! `read_file`: lines, limits, encodings, secrets.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes the files that it looks for

mod support;

use support::{Ground, read, read_lines, word};

/// A token of a shape that everybody knows; put together here so that no scanner takes this file for a leak.
fn token() -> String {
    ["ghp_", "x7Kp2Qm9Zt4Rv8Lw1Nc6Bd3Fh5Js0Gy2Ua4E"].concat()
}

#[test]
fn mcp_01_lines_are_given_as_they_are() {
    let ground = Ground::new();
    let files = ground.files();
    // Content, lines in it.
    let cases: [(&str, u64); 9] = [
        ("", 0),
        ("a", 1),
        ("a\n", 1),
        ("\n", 1),
        ("a\nb", 2),
        ("a\r\nb\r\n", 2),
        ("a\rb\n", 1),
        ("\u{feff}a\n", 1),
        ("\n\n\n", 3),
    ];
    for (content, lines) in cases {
        ground.write("file", content);
        let text = read(&files, "./file").unwrap();
        assert_eq!(text.content, content, "{content:?}");
        assert_eq!(
            (text.lines, text.total_lines),
            (lines, lines),
            "{content:?}"
        );
        assert_eq!((text.path.as_str(), text.line), ("file", 1));
        assert!(!text.truncated, "{content:?}");
    }
}

#[test]
fn mcp_01_a_window_of_lines() {
    let ground = Ground::new();
    let files = ground.files();
    let content: String = (1..=5_000).map(|line| format!("{line}\n")).collect();
    ground.write("file", &content);
    // Line, limit; first and last line given, whether there is more.
    let cases = [
        (1, 1, "1", "1", true),
        (1, 2_000, "1", "2000", true),
        (2_001, 2_000, "2001", "4000", true),
        (4_001, 2_000, "4001", "5000", false),
        (5_000, 1, "5000", "5000", false),
        (4_999, 1, "4999", "4999", true),
    ];
    for (line, limit, first, last, more) in cases {
        let text = read_lines(&files, "file", line, limit).unwrap();
        let given: Vec<&str> = text.content.lines().collect();
        assert_eq!((given[0], given[given.len() - 1]), (first, last));
        assert_eq!(given.len() as u64, text.lines);
        assert_eq!(
            (text.line, text.total_lines, text.truncated),
            (line, 5_000, more)
        );
    }
    for line in [5_001, u64::MAX] {
        let text = read_lines(&files, "file", line, 10).unwrap();
        assert_eq!(
            (text.content.as_str(), text.lines, text.truncated),
            ("", 0, false)
        );
        assert_eq!(text.total_lines, 5_000);
    }
    for (line, limit) in [(0, 1), (1, 0), (1, 2_001), (1, u64::MAX)] {
        assert_eq!(word(&read_lines(&files, "file", line, limit)), "argument");
    }
}

#[test]
fn mcp_01_an_answer_is_bounded() {
    let ground = Ground::new();
    let files = ground.files();
    // One line that is longer than an answer: its beginning, whole characters.
    ground.write("long", format!("{}\nend\n", "é".repeat(200_000)));
    let text = read(&files, "long").unwrap();
    assert!(text.truncated && text.content.len() <= 256 << 10 && text.content.len() > 200_000);
    assert!(text.content.chars().all(|at| at == 'é'));
    assert_eq!((text.lines, text.total_lines), (1, 2));
    assert_eq!(read_lines(&files, "long", 2, 1).unwrap().content, "end\n");
    // Many lines: as many whole ones as there is room for, and the next call goes on there.
    let line = format!("{}\n", "x".repeat(999));
    ground.write("many", line.repeat(1_000));
    let text = read(&files, "many").unwrap();
    assert_eq!((text.lines, text.truncated), (262, true));
    assert_eq!(text.content.len(), 262_000);
    // Files up to 16 MiB are read, larger ones are not.
    ground.write("most", vec![b'\n'; 16 << 20]);
    assert_eq!(read(&files, "most").unwrap().total_lines, 16 << 20);
    ground.write("more", vec![b'\n'; (16 << 20) + 1]);
    let error = read(&files, "more").unwrap_err();
    assert_eq!(error.to_string(), "`more` is larger than 16777216 bytes");
    assert_eq!(error.code().row().name, "path_unfit");
}

#[test]
fn mcp_01_only_utf_8_text_is_read_and_the_refusal_says_what_it_is() {
    let ground = Ground::new();
    let files = ground.files();
    let cases: [(&[u8], &str); 6] = [
        (b"a\0b", "binary"),
        (b"\x7fELF\x02\x01\x01\0\0", "binary"),
        (b"\xff\xfea\0", "UTF-16"),
        (b"\xfe\xff\0a", "UTF-16"),
        (b"caf\xe9", "not UTF-8"),
        (b"\xed\xa0\x80", "not UTF-8"),
    ];
    for (bytes, why) in cases {
        ground.write("file", bytes);
        let error = read(&files, "file").unwrap_err();
        assert_eq!(error.code().row().name, "path_unfit");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn red_01_secrets_are_masked_and_the_lines_stay_where_they_are() {
    let ground = Ground::new();
    let files = ground.files();
    let begin = ["-----BEGIN RSA ", "PRIVATE KEY-----"].concat();
    let end = ["-----END RSA ", "PRIVATE KEY-----"].concat();
    let body = "MIIEowIBAAKCAQEAtVKUtcx5b6Tn3m7vKqQm2xyZ\n".repeat(20);
    let content = format!("one\ntoken = \"{}\"\n{begin}\n{body}{end}\nlast\n", token());
    ground.write("file", &content);
    let text = read(&files, "file").unwrap();
    assert!(!text.content.contains(&token()) && !text.content.contains("MIIEow"));
    assert!(text.content.contains("[REDACTED"), "{}", text.content);
    assert_eq!(text.total_lines, content.lines().count() as u64);
    let last = read_lines(&files, "file", text.total_lines, 1).unwrap();
    assert_eq!(last.content, "last\n");
    // Lines from the middle of a key are nothing but lines of a key.
    let middle = read_lines(&files, "file", 10, 3).unwrap();
    assert!(!middle.content.contains("MIIEow"), "{middle:?}");
    // The twin: alone, such a line has no shape that could be known.
    ground.write("alone", "MIIEowIBAAKCAQEAtVKUtcx5b6Tn3m7vKqQm2xyZ\n");
    assert!(read(&files, "alone").unwrap().content.contains("MIIEow"));
    // In a name too.
    let name = format!("dump-{}.txt", token());
    ground.write(&name, "x");
    assert!(!read(&files, &name).unwrap().path.contains(&token()));
}

#[test]
fn mcp_01_what_may_not_be_read_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let ground = Ground::new();
    ground.write("locked", "x");
    let path = ground.root.join("locked");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o000)).unwrap();
    let came = read(&ground.files(), "locked");
    // Root reads everything.
    let expect = if std::fs::read(&path).is_ok() {
        "ok"
    } else {
        "io"
    };
    assert_eq!(word(&came), expect);
}
