//! Is this value a secret? Randomness, placeholders, words.

use crate::entropy::{Mix, entropy};
use crate::rules::Strength;
use crate::sets::{Set, any_in, set};

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

static ASKS: Set = Set::new(|| set(&["xxxxxx", "******", "......", "your", "<"]));

/// Nothing but filling: `xxxx`, `****`, `...`, one byte again and again, or words that ask for a value.
pub(crate) fn is_blank(value: &[u8]) -> bool {
    let fill = |byte: &u8| {
        matches!(
            byte,
            b'x' | b'X' | b'*' | b'.' | b'-' | b'_' | b'#' | b'?' | b' '
        )
    };
    value.iter().all(fill) || any_in(&ASKS, value)
}

/// What opens and closes a place that something else fills.
const PLACES: &[(&[u8], u8)] = &[
    (b"${", b'}'),
    (b"{{", b'}'),
    (b"$(", b')'),
    (b"#{", b'}'),
    (b"%{", b'}'),
    (b"%(", b')'),
    (b"@{", b'}'),
    (b"!{", b'}'),
    (b"&{", b'}'),
    (b"<%", b'>'),
    (b"[REDACTED", b']'),
];

/// A place where something else puts the value: `${NAME}`, `{{ name }}`, `%s`, `$NAME`, `{name}`.
pub(crate) fn is_template(value: &[u8]) -> bool {
    let marks = |byte: &u8| matches!(byte, b'$' | b'{' | b'%' | b'[' | b'_' | b'@' | b'#' | b'<');
    value.iter().any(marks)
        && (holds_place(value)
            || value.starts_with(b"$$")
            || is_format(value)
            || is_reference(value))
}

fn holds_place(value: &[u8]) -> bool {
    PLACES.iter().any(|(open, close)| {
        memchr::memmem::find_iter(value, open).any(|at| {
            closes(
                value.get(at + open.len()..).unwrap_or_default(),
                open,
                *close,
            )
        })
    })
}

/// Whether what opened closes again, around a name or an expression; or the value ends inside it.
fn closes(rest: &[u8], open: &[u8], close: u8) -> bool {
    let inner = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b' '
                    | b'.'
                    | b':'
                    | b'|'
                    | b'"'
                    | b'\''
                    | b'('
                    | b')'
                    | b'/'
                    | b'='
                    | b'?'
                    | b','
                    | b'+'
                    | b'-'
            )
            || !byte.is_ascii()
    };
    let end = rest
        .iter()
        .take_while(|byte| inner(**byte) && **byte != close)
        .count();
    let doubled = open != b"{{" || rest.get(end + 1) == Some(&close);
    rest.get(end).is_none_or(|byte| *byte == close && doubled)
}

/// `%s:%s`
fn is_format(value: &[u8]) -> bool {
    memchr::memmem::find(value, b"%s").is_some() && !value.iter().any(u8::is_ascii_digit)
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

/// Whether the value of a name of this strength is a secret. The cheap tests come first: almost every value fails them.
pub(crate) fn is_secret(value: &[u8], strength: Strength, setting: Setting) -> bool {
    let least = match (strength, setting) {
        (Strength::Password, Setting::Quoted) => 4,
        (Strength::Password, Setting::Line | Setting::Pair | Setting::Bare) => 6,
        (Strength::Secret, Setting::Bare | Setting::Pair) => 12,
        (Strength::Secret, Setting::Quoted | Setting::Line) => 8,
        (Strength::Weak, _) => 20,
    };
    if value.len() < least || value.len() > LONGEST {
        return false;
    }
    let fits = match strength {
        Strength::Password => is_password(value, setting),
        Strength::Secret => is_random(value, 3),
        Strength::Weak => is_key(value, setting),
    };
    fits && !any_in(&SOFT, value)
        && !is_blank(value)
        && !is_template(value)
        && !is_code(value, setting)
}

/// Words in a value that say that it is none.
static SOFT: Set = Set::new(|| {
    set(&[
        "example",
        "sample",
        "placeholder",
        "changeme",
        "change_me",
        "change-me",
        "dummy",
        "fake",
        "redacted",
        "xxxx",
        "insert",
        "replace",
        "todo",
        "fixme",
        "mock",
        "lorem",
        "undefined",
        "notasecret",
        "not-a-",
        "not_a_",
        "****",
        "....",
        "testtoken",
        "test-",
        "test_",
        "-test",
        "_test",
        "foobar",
        "unused",
        "invalid",
        "deadbeef",
        "cafebabe",
    ])
});

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

fn is_password(value: &[u8], setting: Setting) -> bool {
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
        let written = matches!(setting, Setting::Quoted | Setting::Line);
        let cased =
            mix.upper >= 2 && mix.lower >= 2 && value.len() >= 10 && is_wordless(value, mix);
        return any_in(&KNOWN, value)
            || (setting == Setting::Quoted && is_phrase(value))
            || (written && mix.other == 0 && cased)
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

/// Random enough to be made by a machine: hex, a UUID, letters and digits interleaved at least `least` times, letters in
/// pieces too short for words, or letters, digits and symbols together.
pub(crate) fn is_random(value: &[u8], least: usize) -> bool {
    let mix = Mix::of(value);
    let symbols = value.iter().any(|byte| {
        matches!(
            byte,
            b'!' | b'@' | b'#' | b'$' | b'^' | b'&' | b'*' | b'+' | b'~' | b'?'
        )
    });
    if mix.digits == 0 && !symbols && (mix.upper < 2 || mix.lower < 2) {
        return false;
    }
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
    let interleaved = most >= least && bits >= 2.7;
    // Names joined by dashes (`setct-AuthReqTBS`) have short pieces too; without a digit only unbroken letters count.
    let unbroken = (mix.digits > 0 || mix.other == 0) && is_wordless(value, mix);
    let short_pieces = value.len() >= 12
        && bits >= 3.2
        && average_piece(value) <= 2.6
        && mix.letters() * 2 >= value.len();
    let human =
        symbols && mix.digits > 0 && mix.letters() > 2 && !value.contains(&b' ') && bits >= 2.5;
    let single = mix.digits > 0 && mix.other == 0 && value.len() >= 20 && bits >= 3.5;
    let cased = mix.upper >= 2 && mix.lower >= 2 && value.len() >= 16 && bits >= 3.3;
    let scattered = (short_pieces || single || cased) && unbroken;
    !value.contains(&b' ') && (interleaved || human || scattered)
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
            .filter(|byte| {
                matches!(
                    byte,
                    b'a' | b'e'
                        | b'i'
                        | b'o'
                        | b'u'
                        | b'y'
                        | b'A'
                        | b'E'
                        | b'I'
                        | b'O'
                        | b'U'
                        | b'Y'
                )
            })
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

pub(crate) fn is_uuid(value: &[u8]) -> bool {
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
