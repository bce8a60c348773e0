//! Calls, paths, references and addresses: what stands in code and configuration where a secret could.

use super::Setting;
use super::random::transitions;

/// Calls, paths, references and addresses: what stands in code and configuration where a secret could.
pub(super) fn is_code(value: &[u8], setting: Setting) -> bool {
    let odd = |byte: &u8| *byte < b' ' || *byte == 0x7f;
    let joined = |pair: &[u8]| matches!(pair, b"::" | b"->" | b"\\n");
    let address = |part: &[u8]| part == b"://";
    if value.iter().any(odd) || value.windows(2).any(joined) || value.windows(3).any(address) {
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
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'!' | b'&' | b'*' | b'$')
        })
    })
}

/// `settings.auth.password1`, `self.token`.
fn is_path_of_names(value: &[u8]) -> bool {
    let mut names = value.split(|byte| *byte == b'.').map(without_number);
    let named = |part: &[u8]| {
        part.first().is_some_and(|byte| {
            byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'&' | b'*' | b'!' | b'@')
        }) && part
            .iter()
            .skip(1)
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && transitions(part) < 3
    };
    value.contains(&b'.') && names.all(named)
}

/// `constants$3`: bundlers number names that are taken.
fn without_number(name: &[u8]) -> &[u8] {
    match memchr::memrchr(b'$', name) {
        Some(at) if at > 0 && name.iter().skip(at + 1).all(u8::is_ascii_digit) => {
            name.get(..at).unwrap_or_default()
        }
        _ => name,
    }
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
