//! What `echo` and `printf` put out, where their words are certain.

use super::judge::Part;

/// The texts that could come out of it; none where that is not certain.
pub fn texts(part: &Part) -> Option<Vec<Vec<u8>>> {
    let (_, arguments) = part.argv.split_first()?;
    if !part.is_certain {
        return None;
    }
    let raw = match part.base().as_str() {
        "echo" => echoed(arguments),
        "printf" => formatted(arguments)?,
        _ => return None,
    };
    let meant = unescape(&raw);
    Some(if meant == raw {
        vec![raw]
    } else {
        vec![raw, meant]
    })
}

fn echoed(arguments: &[Vec<u8>]) -> Vec<u8> {
    let is_flag = |word: &&Vec<u8>| matches!(word.as_slice(), [b'-', rest @ ..] if !rest.is_empty() && rest.iter().all(|byte| b"neE".contains(byte)));
    let words: Vec<&[u8]> = arguments
        .iter()
        .skip_while(is_flag)
        .map(Vec::as_slice)
        .collect();
    words.join(&b' ')
}

/// The format again and again, until no argument is left. Only `%s` and `%b` are followed.
fn formatted(arguments: &[Vec<u8>]) -> Option<Vec<u8>> {
    let (format, values) = match arguments.split_first()? {
        (dashes, rest) if dashes == b"--" => rest.split_first()?,
        (format, rest) => (format, rest),
    };
    let mut values = values.iter();
    let mut text = Vec::new();
    loop {
        let left = values.len();
        let mut bytes = format.iter();
        while let Some(byte) = bytes.next() {
            match (byte, byte == &b'%') {
                (byte, false) => text.push(*byte),
                (_, true) => match bytes.next()? {
                    b'%' => text.push(b'%'),
                    b's' | b'b' => text.extend(values.next().into_iter().flatten()),
                    _ => return None,
                },
            }
        }
        if values.len() == 0 || values.len() == left {
            return Some(text);
        }
    }
}

/// `\n`, `\x72`, `\162`, `\0162`: what `echo -e`, `printf` and the `echo` of some shells make of it.
fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(byte) = raw.get(at) {
        let rest = raw.get(at + 1..).unwrap_or_default();
        let (meant, length) = match (byte, rest.first()) {
            (b'\\', Some(b'n' | b'r')) => (b'\n', 2),
            (b'\\', Some(b't')) => (b'\t', 2),
            (b'\\', Some(b'\\')) => (b'\\', 2),
            (b'\\', Some(b'x')) => number(rest.get(1..).unwrap_or_default(), 16, 2, 2),
            (b'\\', Some(b'0')) => number(rest.get(1..).unwrap_or_default(), 8, 3, 2),
            (b'\\', Some(b'1'..=b'7')) => number(rest, 8, 3, 1),
            (byte, _) => (*byte, 1),
        };
        text.push(meant);
        at += length;
    }
    text
}

/// A number of at most so many digits, and how long it stands there with what is before it.
fn number(digits: &[u8], base: u32, most: usize, before: usize) -> (u8, usize) {
    let values = digits.iter().take(most);
    let values = values.map_while(|byte| char::from(*byte).to_digit(base));
    let (mut value, mut length) = (0, before);
    for digit in values {
        value = value * base + digit;
        length += 1;
    }
    (u8::try_from(value & 0xff).unwrap_or_default(), length)
}
