//! Properties of RED-01: any chunking, any text, twice is once.

use proptest::prelude::*;
use taffrail_redact::{Options, Redactor};

#[allow(dead_code)]
mod corpus;

fn redactor() -> Redactor {
    Redactor::new(Options { pii: true })
}

/// Pieces that meet in texts: secrets, keywords, joints, masks, other letters.
fn piece() -> impl Strategy<Value = String> {
    let glue = prop::sample::select(vec![
        " ",
        "\n",
        "=",
        ": ",
        "\"",
        "'",
        "\\n",
        "\\\"",
        ",",
        ";",
        "&",
        "/",
        "-",
        "_",
        ".",
        "@",
        "://",
        "${",
        "}",
        "<",
        ">",
        "(",
        ")",
        "%22",
        "é",
        "日本",
        "[REDACTED:secret]",
        "[REDACTED:private-key]",
        "token",
        "password",
        "api_key",
        "secret",
        "Authorization: Bearer ",
        "basic ",
        "curl -u ",
        "heroku_api_key",
        "aws",
        "login",
        "kind: Secret\ndata:\n  a: ",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "value",
        "a1B2c3D4",
        "eyJ",
        "AAAAAAAAAA",
        "x",
        "7",
        "hunter2!",
        "\x1b[31m",
        "\x1b[0m",
        "\x1b[",
    ]);
    let secret = any::<u64>().prop_map(|seed| {
        let dice = &mut corpus::Dice(seed);
        let (_, format) = corpus::TOKENS[dice.below(corpus::TOKENS.len())];
        corpus::fill(format, dice)
    });
    prop_oneof![6 => glue.prop_map(str::to_owned), 1 => secret, 1 => "[ -~]{0,12}"]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn red_01_twice_is_once(text in text()) {
        let once = redactor().clean(&text);
        let twice = redactor().clean(once.as_str());
        prop_assert_eq!(twice.as_str(), once.as_str(), "from {:?}", text);
    }

    #[test]
    fn red_01_chunks_do_not_matter(text in text(), cut in any::<prop::sample::Index>(), pad in 0usize..3) {
        let text = format!("{}{text}", "ordinary words \n".repeat(pad * 1100));
        let redactor = redactor();
        let (mut stream, mut out) = (redactor.stream(), Vec::new());
        let (first, rest) = text.as_bytes().split_at(cut.index(text.len() + 1));
        stream.push(first, &mut out);
        stream.push(rest, &mut out);
        stream.finish(&mut out);
        let whole = redactor.clean(&text);
        prop_assert_eq!(String::from_utf8_lossy(&out), whole.as_str());
    }

    #[test]
    fn red_01_findings_are_in_order_and_on_character_borders(text in text()) {
        let mut last = 0;
        for finding in redactor().findings(&text) {
            prop_assert!(last <= finding.start && finding.start < finding.end && finding.end <= text.len());
            prop_assert!(text.is_char_boundary(finding.start) && text.is_char_boundary(finding.end));
            last = finding.end;
        }
    }

    #[test]
    fn red_01_any_text_and_any_bytes_pass(text in any::<String>(), bytes in any::<Vec<u8>>()) {
        redactor().clean(&text);
        redactor().clean_bytes(&bytes);
    }
}
