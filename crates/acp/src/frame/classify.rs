//! What one line is.

use serde_json::Value;

use super::scan::Scan;
use super::{Dropped, DroppedFor, Frame, Incoming, JunkKind, Limits};
use crate::wire::{Message, Unfit, parse};

/// The frame of a line that is short enough to be parsed; none for a blank one.
pub(super) fn line_frame(line: Vec<u8>, limits: &Limits) -> Option<Frame> {
    let bytes = line.len() as u64;
    let text = trimmed(&line);
    if text.is_empty() {
        return None;
    }
    let incoming = match parse(text, limits.memory) {
        Ok(value) => of_value(value, bytes),
        Err(why) if text.starts_with(b"{") => of_unfit(text, why, limits.memory, bytes),
        Err(Unfit::Heavy) => junk(JunkKind::NotObject, bytes),
        Err(Unfit::Syntax) => junk(JunkKind::NotJson, bytes),
    };
    Some(kept(incoming, line, bytes, limits.head))
}

/// The frame of a line of which only the scan is left.
pub(super) fn envelope_only(scan: Scan, head: Vec<u8>, bytes: u64) -> Frame {
    let object = trimmed(&head).starts_with(b"{");
    let incoming = match scan.end() {
        Some(envelope) => Incoming::Dropped(Dropped {
            envelope,
            why: DroppedFor::TooLong,
            bytes,
        }),
        None if object => junk(JunkKind::NotMessage, bytes),
        None => junk(JunkKind::NotObject, bytes),
    };
    Frame {
        incoming,
        line: head,
        bytes,
    }
}

fn kept(incoming: Incoming, mut line: Vec<u8>, bytes: u64, head: usize) -> Frame {
    match &incoming {
        Incoming::Message(_) | Incoming::Mended(_) => {}
        Incoming::Dropped(_) | Incoming::Junk { .. } | Incoming::LineTooLong { .. } => {
            line.truncate(head);
            line.shrink_to_fit();
        }
    }
    Frame {
        incoming,
        line,
        bytes,
    }
}

fn of_value(value: Value, bytes: u64) -> Incoming {
    if !value.is_object() {
        return junk(JunkKind::NotObject, bytes);
    }
    Message::read(value).map_or_else(|| junk(JunkKind::NotMessage, bytes), Incoming::Message)
}

fn of_unfit(text: &[u8], why: Unfit, memory: usize, bytes: u64) -> Incoming {
    let mut scan = Scan::default();
    scan.feed(text);
    let Some(envelope) = scan.end() else {
        return junk(
            match why {
                Unfit::Heavy => JunkKind::NotMessage,
                Unfit::Syntax => JunkKind::NotJson,
            },
            bytes,
        );
    };
    let asks = envelope.method.is_some() && envelope.id.is_some();
    let mended = match why {
        Unfit::Syntax if !asks => mend(text, memory),
        Unfit::Syntax | Unfit::Heavy => None,
    };
    match mended {
        Some(message) => Incoming::Mended(message),
        None => Incoming::Dropped(Dropped {
            envelope,
            why: match why {
                Unfit::Heavy => DroppedFor::TooHeavy,
                Unfit::Syntax => DroppedFor::Unreadable,
            },
            bytes,
        }),
    }
}

fn junk(kind: JunkKind, bytes: u64) -> Incoming {
    Incoming::Junk { kind, bytes }
}

fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line)
}

/// The message with replacement characters for what is not UTF-8 and for halves of surrogate pairs, which agents in
/// JavaScript send where they cut a text. Never a request.
fn mend(text: &[u8], memory: usize) -> Option<Message> {
    let text = String::from_utf8_lossy(text);
    let value = parse(whole_pairs(&text).as_bytes(), memory).ok()?;
    Message::read(value).filter(|message| !matches!(message, Message::Request { .. }))
}

/// The JSON text with `\ufffd` in place of every escaped surrogate that has no partner.
fn whole_pairs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let width = match (unit(escape), unit(escape.get(6..).unwrap_or_default())) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            // The backslash and the character after it, which may be a backslash.
            _ => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (whole, after) = escape.split_at(width);
        out.push_str(whole);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The number of an escape `\uXXXX` at the beginning.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}
