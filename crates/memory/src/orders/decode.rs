//! Encodings that a text may be hidden in: base64, hexadecimal, percent signs, escapes of programs, entities of pages.

/// Shortest run that is decoded: 12 characters of text.
const SHORTEST: usize = 16;
/// Runs of one text that are decoded.
const RUNS: usize = 64;

/// What the text says once decoded: every run that decodes to text, and the text with its escapes resolved.
pub(crate) fn readings(text: &str) -> Vec<String> {
    let mut readings = blobs(text);
    for resolved in [percent(text), entities(text), escapes(text)] {
        if resolved != text {
            readings.push(resolved);
        }
    }
    readings
}

/// Runs of base64 and hexadecimal that decode to text; lines of a body are put together first.
pub(crate) fn blobs(text: &str) -> Vec<String> {
    let joined = text.replace(['\n', '\r'], "");
    let in_runs = |text: &str, is_part: fn(char) -> bool, read: fn(&str) -> Option<Vec<u8>>| {
        text.split(|it: char| !is_part(it))
            .filter(|run| run.len() >= SHORTEST)
            .take(RUNS)
            .filter_map(read)
            .filter_map(readable)
            .collect::<Vec<_>>()
    };
    let spaced = joined.replace(' ', "");
    [text, joined.as_str(), spaced.as_str()]
        .into_iter()
        .flat_map(|text| {
            let mut found = in_runs(text, is_base64, base64);
            found.extend(in_runs(text, |it| it.is_ascii_hexdigit(), hexadecimal));
            found
        })
        .collect()
}

fn is_base64(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '-' | '_' | '=')
}

/// Text, and not bytes that happen to decode: valid, and nearly all of it ink or blanks.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let wide = utf16(&bytes);
    let text = wide.or_else(|| String::from_utf8(bytes).ok())?;
    let controls = text
        .chars()
        .filter(|it| it.is_control() && !it.is_whitespace())
        .count();
    (controls * 20 <= text.chars().count()).then_some(text)
}

/// Two bytes a character, as shells of Windows encode commands.
fn utf16(bytes: &[u8]) -> Option<String> {
    let pairs = bytes.chunks_exact(2);
    let zeros = pairs.clone().filter(|pair| pair.last() == Some(&0)).count();
    if bytes.len() < 8 || zeros * 2 < bytes.len() / 2 {
        return None;
    }
    let units: Vec<u16> = pairs
        .filter_map(|pair| Some(u16::from_le_bytes(pair.try_into().ok()?)))
        .collect();
    String::from_utf16(&units).ok()
}

fn base64(run: &str) -> Option<Vec<u8>> {
    let run = run.trim_end_matches('=');
    let mut out = Vec::with_capacity(run.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in run.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 0xff) as u8);
        }
    }
    Some(out)
}

fn hexadecimal(run: &str) -> Option<Vec<u8>> {
    let even = run.len() / 2 * 2;
    (0..even)
        .step_by(2)
        .map(|at| u8::from_str_radix(run.get(at..at + 2)?, 16).ok())
        .collect()
}

fn percent(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, from) = rest.split_at(at);
        out.extend_from_slice(before.as_bytes());
        let byte = from
            .get(1..3)
            .and_then(|it| u8::from_str_radix(it, 16).ok());
        let taken = if byte.is_some() { 3 } else { 1 };
        out.push(byte.unwrap_or(b'%'));
        rest = from.get(taken..).unwrap_or_default();
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&out).replace('+', " ")
}

/// `&#105;` and `&#x69;`.
fn entities(text: &str) -> String {
    resolved(text, "&#", |from| {
        let end = from.find(';').filter(|end| *end <= 8)?;
        let digits = from.get(..end)?;
        let code = match digits.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => digits.parse().ok()?,
        };
        Some((char::from_u32(code)?, end + 1))
    })
}

/// `\u0069`, `\u{69}` and `\x69`.
fn escapes(text: &str) -> String {
    let braced = resolved(text, "\\u{", |from| {
        let end = from.find('}').filter(|end| *end <= 6)?;
        let code = u32::from_str_radix(from.get(..end)?, 16).ok()?;
        Some((char::from_u32(code)?, end + 1))
    });
    let fixed = |digits: usize| {
        move |from: &str| {
            let code = u32::from_str_radix(from.get(..digits)?, 16).ok()?;
            Some((char::from_u32(code)?, digits))
        }
    };
    resolved(&resolved(&braced, "\\u", fixed(4)), "\\x", fixed(2))
}

/// The text with each place that begins with `mark` resolved by `read`, which says the letter and how many bytes it took.
fn resolved(text: &str, mark: &str, read: impl Fn(&str) -> Option<(char, usize)>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once(mark) {
        out.push_str(before);
        match read(from) {
            Some((letter, taken)) => {
                out.push(letter);
                rest = from.get(taken..).unwrap_or_default();
            }
            None => {
                out.push_str(mark);
                rest = from;
            }
        }
    }
    out.push_str(rest);
    out
}
