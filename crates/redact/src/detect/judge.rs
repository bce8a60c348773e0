//! Is this value a secret? Randomness, placeholders, words.

use crate::entropy::{Mix, entropy};
use crate::rules::Strength;

/// The longest value that an assignment may have: longer ones are data (images, bundles), not secrets.
pub(crate) const LONGEST: usize = 1024;

/// What the place of a value says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// In quotes.
    Quoted,
    /// Bare, alone behind its name on the line, as in configuration files.
    Line,
    /// Bare, one of several pairs: `;name=value;`, `?name=value&`, `name=value name=value`.
    Pair,
    /// Bare, inside other text.
    Bare,
}

/// Nothing but filling: `xxxx`, `****`, `...`, one byte again and again, or words that ask for a value.
pub(crate) fn is_blank(value: &[u8]) -> bool {
    const FILL: &[u8] = b"xX*.-_#? ";
    let filled = value.iter().all(|byte| FILL.contains(byte));
    let asks = [
        &b"xxxxxx"[..],
        b"XXXXXX",
        b"******",
        b"......",
        b"your",
        b"YOUR",
        b"Your",
    ];
    value.is_empty()
        || filled
        || asks.iter().any(|text| holds(value, text))
        || value.contains(&b'<')
}

/// A place where something else puts the value: `${NAME}`, `{{ name }}`, `%s`, `$NAME`, `<name>`, `{name}`.
pub(crate) fn is_template(value: &[u8]) -> bool {
    let starts = [
        &b"${"[..],
        b"$(",
        b"{{",
        b"<",
        b"%(",
        b"#{",
        b"%{",
        b"@{",
        b"!{",
        b"[REDACTED",
        b"$$",
        b"&{",
    ];
    let inside = [
        &b"${"[..],
        b"{{",
        b"$(",
        b"#{",
        b"<%",
        b"%{",
        b"[REDACTED:",
        b"}}",
    ];
    starts.iter().any(|text| value.starts_with(text))
        || inside.iter().any(|text| holds(value, text))
        || is_reference(value)
}

fn is_reference(value: &[u8]) -> bool {
    let name = |part: &[u8]| {
        !part.is_empty()
            && part.iter().all(|byte| {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'.' | b'-' | b':' | b' ' | b'?')
            })
    };
    match value {
        [b'$', rest @ ..] => {
            name(rest) && !rest.first().is_some_and(u8::is_ascii_digit) || rest.len() <= 1
        }
        [b'%', letter] => letter.is_ascii_alphabetic(),
        [b'%', rest @ .., b'%'] | [b'{', rest @ .., b'}'] | [b'[', rest @ .., b']'] => {
            name(rest) || rest.is_empty()
        }
        [b'_', b'_', rest @ .., b'_', b'_'] | [b'@', rest @ .., b'@'] => name(rest),
        _ => false,
    }
}

/// Whether the value of a name of this strength is a secret.
pub(crate) fn is_secret(value: &[u8], strength: Strength, setting: Setting) -> bool {
    if value.len() > LONGEST || is_blank(value) || is_template(value) || is_code(value, setting) {
        return false;
    }
    match strength {
        Strength::Password => is_password(value, setting),
        Strength::Secret => {
            let least = if setting == Setting::Bare { 12 } else { 8 };
            value.len() >= least && !is_soft(value) && is_random(value, 3)
        }
        Strength::Weak => is_key(value, setting),
    }
}

/// Words in a value that say that it is none. In any case.
const SOFT: &[&[u8]] = &[
    b"example",
    b"sample",
    b"placeholder",
    b"changeme",
    b"change_me",
    b"change-me",
    b"dummy",
    b"fake",
    b"redacted",
    b"xxxx",
    b"insert",
    b"replace",
    b"todo",
    b"fixme",
    b"mock",
    b"lorem",
    b"undefined",
    b"notasecret",
    b"not-a-",
    b"not_a_",
    b"****",
    b"....",
    b"testtoken",
    b"test-",
    b"test_",
    b"-test",
    b"_test",
    b"foobar",
    b"unused",
    b"invalid",
    b"deadbeef",
    b"cafebabe",
];

fn is_soft(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    SOFT.iter().any(|text| holds(&lower, text))
}

/// Calls, paths, references and addresses: what stands in code and configuration where a secret could.
fn is_code(value: &[u8], setting: Setting) -> bool {
    let has = |text: &[u8]| holds(value, text);
    if value.iter().any(|byte| *byte < b' ' || *byte == 0x7f)
        || has(b"://")
        || has(b"::")
        || has(b"->")
        || has(b"\\n")
    {
        return true;
    }
    let bracket = value
        .iter()
        .any(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}'));
    if setting != Setting::Quoted && (bracket && is_call(value) || is_path_of_names(value)) {
        return true;
    }
    is_integrity(value) || is_file(value)
}

fn is_call(value: &[u8]) -> bool {
    let open = value
        .iter()
        .position(|byte| matches!(byte, b'(' | b'[' | b'{'));
    open.is_none_or(|at| {
        value.get(..at).unwrap_or_default().iter().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'!' | b'&' | b'*')
        })
    })
}

/// `settings.auth.password1`, `self.token`.
fn is_path_of_names(value: &[u8]) -> bool {
    let names = value.split(|byte| *byte == b'.');
    let named = |part: &[u8]| {
        part.first().is_some_and(|byte| {
            byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'&' | b'*' | b'!' | b'@')
        }) && part
            .iter()
            .skip(1)
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && transitions(part) < 3
    };
    value.contains(&b'.') && names.into_iter().all(named)
}

fn is_integrity(value: &[u8]) -> bool {
    [
        &b"sha1-"[..],
        b"sha256-",
        b"sha384-",
        b"sha512-",
        b"sha256:",
        b"sha512:",
        b"sha1:",
        b"md5:",
        b"data:",
    ]
    .iter()
    .any(|text| value.starts_with(text))
}

fn is_file(value: &[u8]) -> bool {
    let rooted = [
        &b"./"[..],
        b"../",
        b"~/",
        b"/etc/",
        b"/var/",
        b"/usr/",
        b"/home/",
        b"/opt/",
        b"/run/",
        b"/tmp/",
        b"/dev/",
        b"/api/",
    ];
    let endings = [
        &b".json"[..],
        b".yaml",
        b".yml",
        b".pem",
        b".key",
        b".txt",
        b".crt",
        b".toml",
        b".js",
        b".ts",
        b".rs",
        b".py",
        b".go",
        b".html",
        b".css",
        b".com",
        b".org",
        b".md",
    ];
    rooted.iter().any(|text| value.starts_with(text))
        || endings.iter().any(|text| value.ends_with(text))
}

/// Words that stand where a password could, in forms and schemas.
const FIELD_WORDS: &[&[u8]] = &[
    b"password",
    b"passwd",
    b"passphrase",
    b"pwd",
    b"secret",
    b"token",
    b"username",
    b"email",
    b"string",
];

/// All-letter passwords that people really use.
const KNOWN: &[&[u8]] = &[
    b"letmein",
    b"qwerty",
    b"iloveyou",
    b"trustno",
    b"supersecret",
    b"sup3rsecret",
    b"topsecret",
    b"mysecretpass",
    b"mysuper",
    b"hunter",
    b"swordfish",
    b"correcthorse",
    b"opensesame",
];

fn is_password(value: &[u8], setting: Setting) -> bool {
    let least = if setting == Setting::Quoted { 4 } else { 6 };
    if value.len() < least || value.len() > 200 || value.contains(&b' ') || is_soft(value) {
        return false;
    }
    let mix = Mix::of(value);
    let symbols = value
        .iter()
        .filter(|byte| b"!@#$%^&*+~?=|".contains(byte))
        .count();
    let lower = value.to_ascii_lowercase();
    if let Some(word) = FIELD_WORDS.iter().find(|word| holds(&lower, word)) {
        let known = KNOWN.iter().any(|known| holds(&lower, known));
        let beyond = mix.digits >= 2
            && value.len() >= word.len() + 3
            && !value.contains(&b'_')
            && !value.contains(&b'-');
        return known || beyond || (symbols > 0 && mix.digits > 0) || is_random(value, 3);
    }
    if mix.letters() == 0 && mix.digits == value.len() {
        return value.len() >= 6 && setting != Setting::Bare && !is_sequence_of_one(value);
    }
    let mixed = mix.letters() > 0 && (mix.digits > 0 || symbols > 0);
    match setting {
        Setting::Quoted | Setting::Line | Setting::Pair if mixed => !is_identifier_like(value),
        Setting::Bare if mixed => {
            value.len() >= 8 && (symbols > 0 && mix.digits > 0 || is_random(value, 3))
        }
        Setting::Quoted => {
            is_phrase(value)
                || KNOWN.iter().any(|known| lower.starts_with(known))
                || is_random(value, 3)
        }
        Setting::Line | Setting::Pair | Setting::Bare => {
            KNOWN.iter().any(|known| lower.starts_with(known)) || is_random(value, 3)
        }
    }
}

fn is_sequence_of_one(value: &[u8]) -> bool {
    value.iter().all(|byte| Some(byte) == value.first())
}

/// `user_2`, `field-10`, `v1.2`: words and numbers joined by separators.
fn is_identifier_like(value: &[u8]) -> bool {
    let joined = value
        .iter()
        .any(|byte| matches!(byte, b'_' | b'-' | b'.' | b'/' | b':'));
    joined
        && value
            .split(|byte| matches!(byte, b'_' | b'-' | b'.' | b'/' | b':'))
            .all(|part| transitions(part) == 0 && part.iter().all(u8::is_ascii_alphanumeric))
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

/// Random enough to be made by a machine: hex, a UUID, letters and digits interleaved at least `least` times, letters in
/// pieces too short for words, or letters, digits and symbols together.
pub(crate) fn is_random(value: &[u8], least: usize) -> bool {
    let mix = Mix::of(value);
    let bits = entropy(value);
    if is_hex(value) || is_uuid(value) {
        return mix.digits > 0 && (mix.letters() > 0) && bits >= 2.8 && value.len() >= 16
            || (value.len() >= 10 && transitions(value) >= 3);
    }
    let most = value
        .split(|byte| !byte.is_ascii_alphanumeric())
        .map(transitions)
        .max()
        .unwrap_or(0);
    let symbols = value.iter().any(|byte| b"!@#$^&*+~?".contains(byte));
    let interleaved = most >= least && bits >= 2.7;
    let short_pieces = value.len() >= 12
        && bits >= 3.2
        && average_piece(value) <= 2.6
        && mix.letters() * 2 >= value.len();
    let human =
        symbols && mix.digits > 0 && mix.letters() > 2 && !value.contains(&b' ') && bits >= 2.5;
    let cased = mix.upper >= 2
        && mix.lower >= 2
        && value.len() >= 16
        && bits >= 3.3
        && is_wordless(value, mix);
    !value.contains(&b' ') && (interleaved || short_pieces || human || cased)
}

/// Whether less than a third of the letters stand in pieces that could be words: four letters or more between digits,
/// separators and changes of case, a quarter to two thirds of them vowels.
fn is_wordless(value: &[u8], mix: Mix) -> bool {
    let mut wordy = 0;
    let mut start = 0;
    for at in 0..=value.len() {
        if !splits(value, at) {
            continue;
        }
        let piece = value.get(start..at).unwrap_or_default();
        let vowels = piece
            .iter()
            .filter(|byte| b"aeiouyAEIOUY".contains(byte))
            .count();
        if piece.len() >= 4 && vowels * 4 >= piece.len() && vowels * 3 <= piece.len() * 2 {
            wordy += piece.len();
        }
        start = at;
    }
    wordy * 3 < mix.letters()
}

/// Whether a piece of letters may end before `at`: `user|Name`, `HTTP|Server`, `abc|12`.
fn splits(value: &[u8], at: usize) -> bool {
    let near = |at: Option<usize>| at.and_then(|at| value.get(at)).copied().unwrap_or(b' ');
    let (before, here, after) = (near(at.checked_sub(1)), near(Some(at)), near(Some(at + 1)));
    let letters = before.is_ascii_alphabetic() && here.is_ascii_alphabetic();
    let hump =
        here.is_ascii_uppercase() && (before.is_ascii_lowercase() || after.is_ascii_lowercase());
    !letters || hump
}

fn is_key(value: &[u8], setting: Setting) -> bool {
    let mix = Mix::of(value);
    setting != Setting::Bare
        && value.len() >= 20
        && value.len() <= 200
        && mix.digits >= 2
        && mix.letters() >= 4
        && !is_hex(value)
        && !is_uuid(value)
        && !is_soft(value)
        && !value
            .iter()
            .any(|byte| matches!(byte, b' ' | b',' | b';' | b'(' | b':' | b'.' | b'@'))
        && entropy(value) >= 3.7
        && is_random(value, 4)
        && average_piece(value) <= 3.0
}

pub(crate) fn is_hex(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"0x").unwrap_or(value);
    digits.iter().all(u8::is_ascii_hexdigit)
}

fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// How often letters and digits change places.
pub(crate) fn transitions(part: &[u8]) -> usize {
    part.windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() && b.is_ascii_alphabetic() || a.is_ascii_alphabetic() && b.is_ascii_digit()))
        .count()
}

/// Average length of the pieces that letters fall into at digits, separators and changes to upper case: words are four
/// or more, random text of 62 letters and digits is below two.
fn average_piece(value: &[u8]) -> f32 {
    let (mut letters, mut pieces) = (0u16, 0u16);
    let mut previous = b' ';
    for byte in value {
        if byte.is_ascii_alphabetic() {
            letters = letters.saturating_add(1);
            let starts = !previous.is_ascii_alphabetic()
                || (previous.is_ascii_lowercase() && byte.is_ascii_uppercase());
            pieces = pieces.saturating_add(u16::from(starts));
        }
        previous = *byte;
    }
    f32::from(letters) / f32::from(pieces.max(1))
}

fn holds(value: &[u8], text: &[u8]) -> bool {
    memchr::memmem::find(value, text).is_some()
}
