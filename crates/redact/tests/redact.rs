//! RED-01..03 on the project's own corpus: recall, ordinary text, chunk borders, idempotence, masks.
#![allow(clippy::disallowed_methods)] // reads the workspace's own sources as ordinary text

use std::collections::BTreeMap;
use std::path::Path;

use taffrail_redact::{Clean, Options, Redactor};

mod corpus;

use corpus::{Dice, fill, positives};

fn redactor() -> Redactor {
    Redactor::new(Options::default())
}

fn streamed(redactor: &Redactor, text: &[u8], sizes: impl Iterator<Item = usize>) -> Vec<u8> {
    let (mut stream, mut out, mut at) = (redactor.stream(), Vec::new(), 0);
    for size in sizes {
        let end = (at + size).min(text.len());
        stream.push(&text[at..end], &mut out);
        at = end;
    }
    stream.push(&text[at..], &mut out);
    stream.finish(&mut out);
    out
}

/// One text with a secret of every kind, each on lines of its own.
fn medley(seed: u64) -> String {
    let cases = positives(&mut Dice(seed), 1);
    cases
        .iter()
        .map(|case| format!("step: ok, no secret here\n{}\n\n", case.text))
        .collect()
}

#[test]
fn red_02_finds_the_families_it_claims() {
    let redactor = redactor();
    let mut figures: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for case in positives(&mut Dice(11), 8) {
        let clean = redactor.clean(&case.text);
        let found = clean.as_str().contains("[REDACTED:") && !clean.as_str().contains(&case.secret);
        let (hits, total) = figures.entry(case.family).or_default();
        *hits += usize::from(found);
        *total += 1;
    }
    let (hits, total) = figures
        .values()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(hits * 1000 >= total * 995, "{hits} of {total}: {figures:?}");
    for (family, (hits, total)) in &figures {
        assert!(hits * 100 >= total * 98, "{family}: {hits} of {total}");
    }
}

#[test]
fn red_02_s32_twin_shows_the_secrets_without_redaction() {
    for case in positives(&mut Dice(11), 1) {
        assert!(
            case.text.contains(&case.secret),
            "{}: {}",
            case.family,
            case.text
        );
    }
}

#[test]
fn red_02_findings_point_at_the_secret() {
    let redactor = redactor();
    for case in positives(&mut Dice(5), 2) {
        for finding in redactor.findings(&case.text) {
            let start = case.text.find(&case.secret).expect("is in its text");
            assert!(
                finding.start < start + case.secret.len() && finding.end > start,
                "{finding:?} in {}",
                case.text
            );
            assert!(
                case.text.is_char_boundary(finding.start)
                    && case.text.is_char_boundary(finding.end)
            );
        }
    }
}

#[test]
fn red_02_only_the_value_goes() {
    let dice = &mut Dice(3);
    for (before, secret, after) in [
        ("password: \"", "Tr0ub4dor&3", "\" # rotate"),
        ("export DB_PASSWORD=", "kX9#mQ2vLp", "\n"),
        ("postgres://app:", "kX9mQ2vLp7", "@db:5432/app"),
        (
            "Authorization: Bearer ",
            &fill("{w:40}", dice),
            "\r\nHost: x",
        ),
        (
            "Authorization: Basic ",
            &corpus::base64(b"me:opensesame1"),
            "\r\n",
        ),
        ("curl -u me:", "kX9mQ2vLp7", " https://h.invalid"),
        (
            "{\"client_secret\": \"",
            &fill("{w:32}", dice),
            "\", \"id\": 7}",
        ),
        ("Server=x;Pwd=", "kX9mQ2vLp7", ";Encrypt=True"),
        (
            "https://hooks.slack.com/services/",
            &fill("T{u:8}/B{u:8}/{w:24}", dice),
            " posts",
        ),
        ("token ", &fill("ghp_{w:36}", dice), ", please rotate it"),
        ("secret=", &fill("é{w:30}", dice), " é"),
        ("the password is ", "kX9#mQ2vLp", ", said he"),
        ("密码：", "kX9mQ2vLp7", "\n"),
        ("{\"url\":\"postgres:\\/\\/app:", "kX9mQ2vLp7", "@db\"}"),
        ("NEXTAUTH_SECRET=", &fill("{w:40}", dice), "\n"),
        ("::add-mask::", "kX9mQ2vLp7", "\n"),
        (
            "Cookie: a=b; PHPSESSID=",
            &fill("{l:12}4d7f{l:12}", dice),
            "; c=d",
        ),
        ("docker login -u me -p ", "kX9mQ2vLp7", " registry"),
        ("db.invalid:5432:", "app:me:kX9mQ2vLp7", "\n"),
    ] {
        let text = format!("{before}{secret}{after}");
        assert_eq!(
            redactor().clean(&text).as_str(),
            format!("{before}[REDACTED:secret]{after}")
        );
    }
}

#[test]
fn red_01_a_mask_does_not_tell_the_length() {
    let dice = &mut Dice(9);
    let short = redactor().clean(&fill("api_key = \"{w:20}\"", dice));
    let long = redactor().clean(&fill("api_key = \"{w:200}\"", dice));
    assert_eq!(short, long);
}

#[test]
fn red_02_key_blocks_go_whole() {
    let dashes = "-".repeat(5);
    let line = fill("{b:64}", &mut Dice(1));
    let block = format!(
        "{dashes}BEGIN RSA PRIVATE KEY{dashes}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{line}\n{line}\nabc=\n{dashes}END RSA PRIVATE KEY{dashes}"
    );
    assert_eq!(
        redactor().clean(&format!("a\n{block}\nb")).as_str(),
        "a\n[REDACTED:private-key]\nb"
    );
    let putty = format!("Private-Lines: 2\n{line}\n{line}\nPrivate-MAC: 00");
    assert_eq!(
        redactor().clean(&putty).as_str(),
        "Private-Lines: 2\n[REDACTED:private-key]\nPrivate-MAC: 00"
    );
    let code =
        format!("if text.contains(\"{dashes}BEGIN PRIVATE KEY{dashes}\") {{ return true; }}");
    assert_eq!(redactor().clean(&code).as_str(), code);
    let public =
        format!("{dashes}BEGIN CERTIFICATE{dashes}\n{line}\n{dashes}END CERTIFICATE{dashes}");
    assert_eq!(redactor().clean(&public).as_str(), public);
}

#[test]
fn red_02_manifests_lose_their_data() {
    let value = corpus::base64(b"correct horse 7");
    let after = format!(
        "apiVersion: v1\nkind: Secret\ndata:\n  user: {value}\n  other: \"{value}\"\ntype: Opaque\n"
    );
    let before = format!("data:\n  user: {value}\nkind: Secret\n");
    let other = format!("kind: ConfigMap\ndata:\n  user: {value}\n");
    for text in [&after, &before] {
        assert!(!redactor().clean(text).as_str().contains(&value), "{text}");
    }
    assert_eq!(redactor().clean(&other).as_str(), other);
}

#[test]
fn red_03_ordinary_text_is_left_alone() {
    for text in [
        "let token = self.next_token()?;",
        "token_type: \"bearer\", expires_in: 3600, max_tokens: 4096",
        "const PASSWORD_FIELD: &str = \"password\";",
        "password: <your-password>\npassword: ${DB_PASSWORD}\npassword: changeme\npassword = os.environ['PASSWORD']",
        "password = get_password(user)\nsecret = config.get(\"secret\")\napi_key = settings.API_KEY",
        "API_KEY=your-api-key-here\nTOKEN=xxxxxxxxxxxxxxxxxxxx\nSECRET=****************\nKEY={{ vault.key }}",
        "commit 1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
        "session_id: 6f1e2a34-5b6c-4d7e-8f90-1a2b3c4d5e6f\n::add-mask::$TOKEN\n密码：请输入\nmysql x && mkdir -p v2/a1b2c3d4\n\"AWS::IAM::AccessKey\": \"72c2d9dd90025459\",\n-p 127.0.0.1:5432:5432",
        "integrity sha512-u5jb3hPPgqV8V7Z6rK3XUcDqZRXkGdYPMzIX0eQpYOUtCaRh2PCrUJfnbNf5cCDzD1eBdEt1V+2pqHKFmCGKWQ==",
        "id: 6f1e2a34-5b6c-4d7e-8f90-1a2b3c4d5e6f",
        "checksum = \"9d5f0c3c0f7b7c2f0d3a6a1a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c\"",
        "src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==\"",
        "https://example.org/path?page=2#section and http://localhost:8080/@scope/name",
        "git clone https://user:${TOKEN}@github.com/o/r and postgres://user:password@localhost/db",
        "Authorization: Bearer <token>\nAuthorization: Bearer ${TOKEN}\nBasic authentication is disabled; bearer tokens are used",
        "curl -u user:password https://h.invalid; curl -u \"$USER:$PASS\" https://h.invalid",
        "the secret to a good soup is patience; the key is to wait, and the password reset page is here",
        "fn tokenize(input: &str) -> Vec<Token> { Tokenizer::new(input).collect() }",
        "monkey=banana; keyboard=qwertz; author=Jane; passenger=\"Tom\"; compass: \"north\"",
        "AWS regions: us-east-1, eu-central-1; arn:aws:iam::123456789012:role/Admin",
        "sk-learn, task-runner, disk-usage, ghp_, xoxb-, AKIA, hf_hub, glpat-",
        "public_key = \"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA7\"",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 user@host",
        "csrf_token, next_page_token = page.token, sort_key: \"created_at\"",
    ] {
        assert_eq!(redactor().clean(text).as_str(), text);
    }
}

#[test]
fn red_03_the_sources_of_the_project_have_no_findings() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let redactor = redactor();
    let mut bytes = 0;
    for folder in [
        "src",
        "src/rules",
        "src/detect",
        "../text/src",
        "../domain/src",
    ] {
        for entry in std::fs::read_dir(here.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).expect("text");
                bytes += text.len();
                assert_eq!(redactor.findings(&text), [], "{}", path.display());
            }
        }
    }
    assert!(bytes > 100_000, "{bytes}");
}

/// Sentences and code made of ordinary words, numbers, hashes and names that hold secret-like words.
#[test]
fn red_03_generated_ordinary_text_has_no_findings() {
    const WORDS: &[&str] = &[
        "token",
        "password",
        "the",
        "key",
        "secret",
        "value",
        "of",
        "user",
        "is",
        "set",
        "config",
        "auth",
        "return",
        "if",
        "let",
        "api",
        "access",
        "page",
        "a",
        "file",
        "session",
        "hash",
        "credential",
        "index",
        "public",
        "reset",
        "login",
        "curl",
        "kind",
        "data",
    ];
    const JOINTS: &[&str] = &[
        " ", " ", " ", "_", ".", " = ", ": ", ", ", "(", ") ", "; ", "\n", "::", " -> ", "=",
        "\" ", " \"", "/", "-",
    ];
    let dice = &mut Dice(23);
    let mut text = String::new();
    while text.len() < 2 << 20 {
        match dice.below(40) {
            0 => text.push_str(&fill("\ncommit {h:40}\n", dice)),
            1 => text.push_str(&fill("{d:1-6}", dice)),
            _ => text.push_str(WORDS[dice.below(WORDS.len())]),
        }
        text.push_str(JOINTS[dice.below(JOINTS.len())]);
    }
    let findings = redactor().findings(&text);
    let shown = |one: &taffrail_redact::Finding| {
        text[one.start.saturating_sub(40)..one.end + 10].to_owned()
    };
    assert_eq!(
        findings.iter().map(shown).collect::<Vec<_>>(),
        Vec::<String>::new()
    );
}

#[test]
fn red_01_s32_the_same_result_when_split_at_every_offset() {
    let redactor = redactor();
    let text = medley(1);
    let whole = redactor.clean(&text);
    assert_eq!(
        streamed(&redactor, text.as_bytes(), std::iter::empty()),
        whole.as_str().as_bytes()
    );
    let mut long = 0;
    for case in positives(&mut Dice(2), 1) {
        let text = format!("é {}\npassword = x", case.text);
        long += usize::from(text.len() > 600);
        if text.len() > 600 && long > 4 {
            continue;
        }
        let whole = redactor.clean(&text);
        for at in 0..=text.len() {
            let pieces = streamed(&redactor, text.as_bytes(), std::iter::once(at));
            assert_eq!(
                String::from_utf8_lossy(&pieces),
                whole.as_str(),
                "split at {at}"
            );
        }
    }
}

/// Long enough that the stream works in several steps, whose places depend on the chunks.
#[test]
fn red_01_the_same_result_for_every_chunking_of_a_long_text() {
    let redactor = redactor();
    let text: String = (0..4).map(medley).collect();
    let whole = redactor.clean(&text);
    assert!(text.len() > 100_000);
    let dice = &mut Dice(4);
    for size in [1, 7, 100, 4095, 4096, 4097, 16_384, 20_000] {
        let pieces = streamed(
            &redactor,
            text.as_bytes(),
            std::iter::repeat_n(size, text.len() / size),
        );
        assert!(pieces == whole.as_str().as_bytes(), "chunks of {size}");
    }
    for _ in 0..6 {
        let sizes: Vec<usize> = (0..40).map(|_| dice.below(9000)).collect();
        let pieces = streamed(&redactor, text.as_bytes(), sizes.into_iter());
        assert!(pieces == whole.as_str().as_bytes());
    }
}

#[test]
fn red_01_what_is_longer_than_any_window_is_followed() {
    let redactor = redactor();
    let dice = &mut Dice(6);
    let dashes = "-".repeat(5);
    let token = fill("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI{s:60000}.{s:43}", dice);
    let lines: String = (0..2_000).map(|_| fill("{b:64}\n", dice)).collect();
    let block =
        format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{lines}{dashes}END PRIVATE KEY{dashes}");
    for (secret, mask) in [
        (token, "[REDACTED:secret]"),
        (fill("glpat-{s:50000}", dice), "[REDACTED:secret]"),
        (block, "[REDACTED:private-key]"),
    ] {
        let text = format!("before {secret} after");
        let expected = format!("before {mask} after");
        assert_eq!(redactor.clean(&text).as_str(), expected);
        for size in [1000, 70_000] {
            let pieces = streamed(
                &redactor,
                text.as_bytes(),
                std::iter::repeat_n(size, text.len() / size),
            );
            assert_eq!(
                String::from_utf8_lossy(&pieces),
                expected,
                "chunks of {size}"
            );
        }
    }
}

#[test]
fn red_01_a_stream_holds_back_little() {
    let redactor = redactor();
    for unit in ["a", "token=", "line of text\n", "eyJ."] {
        let (mut stream, mut out) = (redactor.stream(), Vec::new());
        let chunk = unit.repeat(4096 / unit.len());
        let mut pushed = 0;
        for _ in 0..500 {
            stream.push(chunk.as_bytes(), &mut out);
            pushed += chunk.len();
            assert!(
                pushed - out.len() < 40 << 10,
                "{unit}: {} held back",
                pushed - out.len()
            );
        }
    }
}

#[test]
fn red_01_clean_text_has_doors_for_literals_only() {
    let parts = [Clean::ours("a"), Clean::ours("é")];
    assert_eq!(Clean::joined(&parts, ", ").as_str(), "a, é");
    assert_eq!(Clean::joined(&parts, "").cut(2).as_str(), "a");
    assert_eq!(redactor().clean_bytes(b"a\xffb").as_str(), "a\u{fffd}b");
}

#[test]
fn red_02_personal_data_is_a_set_of_its_own() {
    let pii = Redactor::new(Options { pii: true });
    for (text, family) in [
        ("write to jane.doe+x@mail.example.co.uk now", "email"),
        ("call +49 30 901820 or", "phone"),
        ("call (212) 555-0147 today", "phone"),
        ("IBAN DE89 3704 0044 0532 0130 00 please", "iban"),
        ("GB82WEST12345698765432", "iban"),
        ("card 4111 1111 1111 1111.", "card"),
        ("card 378282246310005", "card"),
        ("ssn 536-22-8726", "national-id"),
        ("NINO AB123456C", "national-id"),
        ("CPF 529.982.247-25", "national-id"),
        ("DNI 12345678Z", "national-id"),
    ] {
        let found = pii.findings(text);
        assert_eq!(
            found
                .iter()
                .map(|one| one.family.as_str())
                .collect::<Vec<_>>(),
            [family],
            "{text}"
        );
        assert!(found[0].family.is_pii());
        assert!(pii.clean(text).as_str().contains("[REDACTED:pii]"));
        assert_eq!(redactor().findings(text), [], "{text} without the set");
    }
    for text in [
        "git@github.com:o/r.git",
        "4111 1111 1111 1112",
        "DE89 3704 0044 0532 0130 01",
        "1.2.3.4 2024-01-31 12:30:00",
        "000-12-3456",
        "12345678A",
        "v1.2.3-4567890123",
        "0xdeadbeef 1234567890",
        "user @ host",
        "a@b",
    ] {
        assert_eq!(pii.clean(text).as_str(), text);
    }
}

/// One line of this length that begins a secret everywhere and ends none.
fn worst(part: &str, length: usize) -> Vec<u8> {
    part.bytes().cycle().take(length).collect()
}

/// S33: a mebibyte that makes a pattern begin at every byte. Quadratic work would be 10^12 steps, which take hours.
#[test]
fn red_03_s33_the_worst_lines_take_linear_time() {
    let redactor = redactor();
    for part in [
        "a",
        "A1",
        "key=",
        "password: ",
        "AKIA",
        "eyJ",
        "-----BEGIN ",
        "http://a:",
        "Bearer ",
        "\"",
        "=\\\"",
        "sk-",
        "\u{e4}",
    ] {
        let text = worst(part, 1 << 20);
        let begun = std::time::Instant::now();
        streamed(&redactor, &text, std::iter::repeat_n(64 << 10, 16));
        let took = begun.elapsed();
        assert!(took.as_secs() < 30, "{part:?}: {took:?}");
    }
}

/// The twin: who tries a pattern anew from every byte does four times the work on twice the line.
#[test]
fn red_03_s33_twin_trying_from_every_byte_is_quadratic() {
    let steps = |length: usize| -> usize {
        let line = worst("a", length);
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric();
        let from = |start: usize| line[start..].iter().take_while(is_word).count();
        (0..line.len()).map(from).sum()
    };
    assert!(steps(4_000) > 39 * steps(2_000) / 10);
    assert!(steps(4_000) > 4_000 * 2_000);
}
