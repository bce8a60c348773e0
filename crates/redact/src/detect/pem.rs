//! Private key blocks: PEM, OpenSSH, PGP, SSH2, PuTTY; in files, in one line with `\n` escapes, in source, and cut short.

use crate::window::Window;

/// The longest label between `BEGIN` and the dashes.
const LABEL: usize = 80;

/// Bytes that one step may look ahead.
pub(crate) const STEP: usize = 320;

/// Whether a private key block begins at `start`; gives the end of its first line.
pub(crate) fn begins(window: &Window<'_>, start: usize) -> Option<usize> {
    let dashes = window.run(start, start + 6, |byte| byte == b'-');
    let space = window.run(dashes, dashes + 1, |byte| byte == b' ');
    if dashes < start + 4 || !window.starts_with_any_case(space, b"BEGIN") {
        return None;
    }
    let from = space + b"BEGIN".len();
    let end = window.run(from, from + LABEL, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_')
    });
    let label = window.slice(from, end).to_ascii_uppercase();
    let holds = |text: &[u8]| memchr::memmem::find(&label, text).is_some();
    let private = holds(b"PRIVATE KEY") || holds(b"STATIC KEY");
    (private && window.starts_with(end, b"----"))
        .then(|| window.run(end, end + 6, |byte| byte == b'-'))
}

/// What the next part of a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Belongs to the key and ends here.
    Body(usize),
    /// The closing line, which ends here.
    Last(usize),
    /// Not part of a key any more.
    Foreign,
}

/// The part of a block at `at`. `found` says that key material was seen before. Looks at most [`STEP`] bytes ahead.
pub(crate) fn part(window: &Window<'_>, at: usize, found: bool) -> Part {
    let filler = filler(window, at);
    if filler > at {
        return Part::Body(filler);
    }
    if window.starts_with(at, b"----") {
        return closing(window, at);
    }
    if let Some(end) = header_line(window, at) {
        return Part::Body(end);
    }
    let end = window.run(at, at + STEP / 2, is_base64);
    let long = end - at >= 16;
    let short = found && end > at && ends_block(window, end);
    if long || short {
        return Part::Body(end);
    }
    prose(window, at, found)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// White space, and what joins the lines of a block in source and diffs: escapes, quotes, `+`, `,`, comment signs.
fn filler(window: &Window<'_>, at: usize) -> usize {
    let end = window.run(at, at + STEP / 4, |byte| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b',' | b'*' | b'|' | b'#' | b'.' | b'>')
    });
    if end > at {
        return end;
    }
    let slashes = window.run(at, at + 4, |byte| byte == b'\\');
    if slashes > at {
        let escape = matches!(window.at(slashes), Some(b'n' | b'r' | b't' | b'"' | b'\''));
        return slashes + usize::from(escape);
    }
    // A line that a difference takes away; in the middle of a line a dash ends the key.
    let removed = window.at(at) == Some(b'-')
        && window.before(at) == Some(b'\n')
        && window.at(at + 1).is_some_and(is_base64);
    let joined = removed
        || window.starts_with(at, b"+ ")
        || window.starts_with(at, b"+\n")
        || window.starts_with(at, b"-\n");
    let entity = window.starts_with(at, b"%0A") || window.starts_with(at, b"&#1");
    match (joined, entity) {
        (true, _) => at + 1,
        (_, true) => at + 3,
        _ => at,
    }
}

fn closing(window: &Window<'_>, at: usize) -> Part {
    let dashes = window.run(at, at + 6, |byte| byte == b'-');
    let space = window.run(dashes, dashes + 1, |byte| byte == b' ');
    if !window.starts_with_any_case(space, b"END") {
        return Part::Foreign;
    }
    let label = window.run(space, space + LABEL, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_')
    });
    Part::Last(window.run(label, label + 6, |byte| byte == b'-'))
}

/// `Proc-Type: 4,ENCRYPTED`, `DEK-Info: …`, `Version: …`, `Comment: …`.
fn header_line(window: &Window<'_>, at: usize) -> Option<usize> {
    const NAMES: [&[u8]; 7] = [
        b"Proc-Type",
        b"DEK-Info",
        b"Version",
        b"Comment",
        b"Charset",
        b"Hash",
        b"Subject",
    ];
    NAMES.iter().find(|name| window.starts_with(at, name))?;
    let colon = window.run(at, at + 20, |byte| byte != b':' && byte != b'\n');
    if window.at(colon) != Some(b':') {
        return None;
    }
    Some(window.run(colon, colon + STEP / 2, |byte| {
        byte != b'\n' && byte != b'\\'
    }))
}

/// Whether only filling stands between `at` and the closing line or the end of the text.
fn ends_block(window: &Window<'_>, at: usize) -> bool {
    let mut at = at;
    for _ in 0..8 {
        let next = filler(window, at);
        if next == at {
            break;
        }
        at = next;
    }
    window.starts_with(at, b"----") || (window.at(at).is_none() && !window.is_cut())
}

/// A block whose body is words (an example, a dummy) still ends with its closing line close by, and holds no code.
fn prose(window: &Window<'_>, at: usize, found: bool) -> Part {
    let end = window.run(at, at + STEP / 2, |byte| {
        !matches!(
            byte,
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b';' | b'<' | b'$' | b'-'
        ) && byte < 0x80
    });
    let closes = end > at && window.starts_with(end, b"-----END") && !found;
    if closes {
        Part::Body(end)
    } else {
        Part::Foreign
    }
}

/// The lines of a PuTTY key behind `Private-Lines:`, which ends at `after`: where the first one starts.
pub(crate) fn putty(window: &Window<'_>, after: usize) -> Option<usize> {
    let end = window.run(after, after + 16, |byte| byte != b'\n' && byte != b'\\');
    let from = filler(window, end);
    (window.run(from, from + 16, is_base64) >= from + 16).then_some(from)
}
