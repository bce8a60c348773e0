//! More bytes than anybody wants, written without ever holding them.

use super::Stop;
use super::play::Player;
use super::scope::bytes_of;

/// Bytes of one write.
const PIECE: usize = 64 << 10;

/// `flood KIND SIZE`; `SIZE` is a size, or `forever`:
/// - `stderr`: lines of `y`
/// - `line`: one line on standard output that never ends
/// - `array`: a legal update of that size: a list of empty lists
/// - `nested`: a legal update of that size: lists within lists
/// - `string`: a legal update of that size: one piece of the agent's message
/// - `noise`: lines on standard output that are no JSON
///
/// # Errors
/// A kind that nobody knows, no size, a pipe that is closed.
pub(super) fn flood(player: &mut Player, kind: &str, size: &str) -> Result<(), Stop> {
    let size = match size {
        "forever" => usize::MAX,
        size => bytes_of(size)?,
    };
    let session = player.scope.get("sessionId").unwrap_or_default();
    let (head, filler, tail) = parts(kind, &session.to_string())?;
    let room = size.saturating_sub(head.len() + tail.len());
    write(player, kind, head.as_bytes())?;
    match kind {
        "nested" => {
            fill(player, kind, "[", room / 2)?;
            fill(player, kind, "]", room / 2)?;
        }
        _ => fill(player, kind, filler, room / filler.len() * filler.len())?,
    }
    write(player, kind, tail.as_bytes())
}

fn parts(kind: &str, session: &str) -> Result<(String, &'static str, &'static str), String> {
    let update = |rest: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{{\"sessionId\":{session},\"update\":{{{rest}"
        )
    };
    let raw_output =
        update("\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"big\",\"rawOutput\":[");
    match kind {
        "stderr" => Ok((String::new(), "y\n", "")),
        "noise" => Ok((String::new(), "no frame at all\n", "")),
        "line" => Ok((String::new(), "x", "")),
        "array" => Ok((raw_output, "[],", "0]}}}\n")),
        "nested" => Ok((raw_output, "[", "]}}}\n")),
        "string" => Ok((
            update(
                "\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"",
            ),
            "x",
            "\"}}}}\n",
        )),
        other => Err(format!("no flood: {other}")),
    }
}

fn fill(player: &mut Player, kind: &str, filler: &str, bytes: usize) -> Result<(), Stop> {
    let piece = filler.repeat(PIECE / filler.len());
    let mut left = bytes;
    while left > 0 {
        let part = piece.get(..left.min(piece.len())).unwrap_or_default();
        write(player, kind, part.as_bytes())?;
        left -= part.len();
    }
    Ok(())
}

fn write(player: &mut Player, kind: &str, bytes: &[u8]) -> Result<(), Stop> {
    match kind {
        "stderr" => player.port.stderr(bytes),
        _ => player.port.raw(bytes),
    }
}
