//! Passwords that a person made: short, memorable, of words.

use super::Setting;
use super::random::{is_random, is_wordless, transitions};
use crate::entropy::Mix;
use crate::sets::{Set, any_in, set};

pub(super) fn is_password(value: &[u8], setting: Setting) -> bool {
    if value.len() > 200 || value.contains(&b' ') {
        return false;
    }
    let mix = Mix::of(value);
    let symbols = value
        .iter()
        .filter(|byte| {
            matches!(
                byte,
                b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'~'
            )
        })
        .count();
    if mix.letters() == 0 {
        let number = mix.digits == value.len() && value.len() >= 6 && !is_one_byte(value);
        return number && setting != Setting::Bare;
    }
    if mix.digits == 0 && symbols == 0 {
        let cased =
            mix.upper >= 2 && mix.lower >= 2 && value.len() >= 10 && is_wordless(value, mix);
        return any_in(&KNOWN, value)
            || (setting == Setting::Quoted && is_phrase(value))
            || (setting != Setting::Bare && mix.other == 0 && cased)
            || is_random(value, 3);
    }
    if any_in(&FIELD_WORDS, value) {
        let joined = value
            .iter()
            .any(|byte| matches!(byte, b'_' | b'-' | b'.' | b'/' | b'=' | b':'));
        let beyond = mix.digits >= 2 && value.len() >= 8 && !joined;
        return beyond
            || (symbols > 0 && mix.digits > 0)
            || any_in(&KNOWN, value)
            || is_random(value, 3);
    }
    match setting {
        Setting::Quoted | Setting::Line | Setting::Pair => !is_identifier_like(value),
        Setting::Bare => {
            value.len() >= 8 && ((symbols > 0 && mix.digits > 0) || is_random(value, 3))
        }
    }
}

/// Words that stand where a password could, in forms and schemas.
static FIELD_WORDS: Set = Set::new(|| {
    set(&[
        "password",
        "passwd",
        "passphrase",
        "pwd",
        "secret",
        "token",
        "username",
        "email",
        "string",
        // Encodings and digests, named beside a password.
        "base64",
        "utf8",
        "utf-8",
        "latin1",
        "sha1",
        "sha256",
        "sha512",
    ])
});

/// All-letter passwords that people really use.
static KNOWN: Set = Set::new(|| {
    set(&[
        "letmein",
        "qwerty",
        "iloveyou",
        "trustno",
        "supersecret",
        "sup3rsecret",
        "topsecret",
        "mysecretpass",
        "mysuper",
        "hunter",
        "swordfish",
        "correcthorse",
        "opensesame",
    ])
});

/// Lower-case words only, and none of the passwords that are: what most values in text and code are.
pub(crate) fn is_plain(value: &[u8]) -> bool {
    let wordy = |byte: &u8| {
        byte.is_ascii_lowercase()
            || matches!(
                byte,
                b'_' | b'.' | b':' | b';' | b',' | b'/' | b'(' | b')' | b'=' | b'"' | b'\''
            )
    };
    value.iter().all(wordy) && !any_in(&KNOWN, value)
}

fn is_one_byte(value: &[u8]) -> bool {
    value.iter().all(|byte| Some(byte) == value.first())
}

/// `user_2`, `field-10`, `v1.2`: words and numbers joined by separators.
fn is_identifier_like(value: &[u8]) -> bool {
    let joint = |byte: &u8| {
        matches!(
            byte,
            b'_' | b'-' | b'.' | b'/' | b':' | b'=' | b',' | b'?' | b'|'
        )
    };
    let plain = |part: &[u8]| transitions(part) == 0 && part.iter().all(u8::is_ascii_alphanumeric);
    value.iter().any(joint) && value.split(joint).all(plain)
}

/// Four or more lower-case words joined by dashes or spaces.
fn is_phrase(value: &[u8]) -> bool {
    let words: Vec<&[u8]> = value.split(|byte| *byte == b'-').collect();
    value.len() >= 20
        && words.len() >= 4
        && words
            .iter()
            .all(|word| word.len() >= 3 && word.iter().all(u8::is_ascii_lowercase))
}

/// Letters alone where nothing but a password is assigned: any word that no setting is made of.
pub(crate) fn is_word_password(value: &[u8]) -> bool {
    let rest = value.get(1..).unwrap_or_default();
    let lower = rest.iter().all(u8::is_ascii_lowercase);
    let one_case = lower || value.iter().all(u8::is_ascii_uppercase);
    let ordinary = || {
        let mut words = ORDINARY.iter().chain(SERVERS);
        words.any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
    };
    value.len() >= 6
        && value.len() <= 40
        && one_case
        && !ordinary()
        && !any_in(&FIELD_WORDS, value)
        && !super::is_soft(value)
}

/// Words that stand for a password, or for how one is kept.
const ORDINARY: &[&str] = &[
    "required",
    "optional",
    "default",
    "disabled",
    "enabled",
    "prompt",
    "hidden",
    "change",
    "random",
    "empty",
    "unset",
    "normal",
    "medium",
    "strong",
    "plaintext",
    "cleartext",
    "encrypted",
    "hashed",
    "bcrypt",
    "scrypt",
    "argon",
    "generate",
    "generated",
    "manual",
    "custom",
    "external",
    "internal",
    "forgot",
    "unknown",
    "anonymous",
    "integer",
    "boolean",
    "object",
    "number",
    "nullable",
    "undef",
    "missing",
    "incorrect",
    "somepass",
    "mypass",
    "userpass",
    "testpass",
    "testing",
    "tester",
    "nopass",
    "abcdef",
    "foobarbaz",
    "keychain",
    "keyring",
    "environment",
    "variable",
    "inherit",
    "always",
    "nothing",
    "interactive",
    "digest",
    "kerberos",
    "bearer",
    "normaluser",
    "superuser",
    "administrator",
    "masked",
    "removed",
    "private",
    "dockerfile",
    "actual",
    "expected",
    "correct",
    "strictly",
    "ignore",
    "ignored",
    "deprecated",
];

/// What servers call themselves and, in examples, their first account.
const SERVERS: &[&str] = &[
    "postgres",
    "postgresql",
    "mariadb",
    "mongodb",
    "mongo",
    "rabbitmq",
    "elastic",
    "keycloak",
    "grafana",
    "wordpress",
    "nextcloud",
    "gitlab",
    "jenkins",
    "minioadmin",
    "drupal",
    "joomla",
    "influxdb",
    "airflow",
    "clickhouse",
    "cassandra",
    "django",
    "laravel",
    "symfony",
    "rootroot",
    "guest",
    "nodejs",
    "python",
    "docker",
    "kubernetes",
];

/// Passwords of letters alone that lists of the most frequent ones begin with.
pub(crate) fn is_common_password(value: &[u8]) -> bool {
    value.len() >= 6
        && COMMON
            .iter()
            .any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

const COMMON: &[&str] = &[
    "sunshine",
    "princess",
    "football",
    "baseball",
    "monkey",
    "dragon",
    "superman",
    "batman",
    "shadow",
    "michael",
    "jordan",
    "jennifer",
    "jessica",
    "ashley",
    "welcome",
    "whatever",
    "charlie",
    "starwars",
    "freedom",
    "ginger",
    "pepper",
    "tigger",
    "cheese",
    "summer",
    "liverpool",
    "chelsea",
    "arsenal",
    "pokemon",
    "computer",
    "internet",
    "mustang",
    "maggie",
    "thomas",
    "robert",
    "hannah",
    "michelle",
    "nicole",
    "daniel",
    "andrew",
    "joshua",
    "matthew",
    "harley",
    "ranger",
    "soccer",
    "hockey",
    "killer",
    "george",
    "asdfgh",
    "asdfghjkl",
    "zxcvbn",
    "zxcvbnm",
    "qazwsx",
    "qazwsxedc",
    "abcdefgh",
    "aaaaaa",
    "loveme",
    "lovely",
    "babygirl",
    "chocolate",
    "butterfly",
    "footballfan",
    "passme",
];

/// Twelve to twenty-four lower-case words: a wallet's.
pub(super) fn is_seed(value: &[u8]) -> bool {
    let words = || value.split(|byte| *byte == b' ');
    let is_word =
        |word: &[u8]| (3..=8).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase);
    let count = words().count();
    (12..=24).contains(&count) && count.is_multiple_of(3) && words().all(is_word)
}
