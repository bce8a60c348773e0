//! Text that reads as orders to an agent (MEM-06).
//!
//! A sieve for the queue and no proof: what it misses still waits for a person, and what it catches is still there to read.
//! Rules of the house in plain words ("always run the formatter before a commit") are not orders to an agent.

mod compiled;
mod decode;
mod markers;
mod rules;
#[cfg(test)]
pub(crate) mod tests;
mod views;

/// Why a text reads as orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// It tells the reader to forget what it was told.
    Override,
    /// It speaks to an agent and tells it what to do.
    Address,
    /// It plays a part of the conversation: `system:`, role markers, section ends.
    Role,
    /// It is written as a call of a tool.
    ToolCall,
    /// It tells the reader to hide something from the person.
    Secrecy,
    /// It tells the reader to send something away, or to fetch something and run it.
    Exfiltration,
    /// It claims that the person already agreed.
    Authority,
    /// It holds characters that nobody sees.
    Hidden,
    /// It mixes look-alike letters of several scripts in one word.
    LookAlike,
    /// It is orders in an encoding.
    Encoded,
}

impl Reason {
    /// One word for rows and the journal.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::Address => "address",
            Self::Role => "role",
            Self::ToolCall => "tool_call",
            Self::Secrecy => "secrecy",
            Self::Exfiltration => "exfiltration",
            Self::Authority => "authority",
            Self::Hidden => "hidden",
            Self::LookAlike => "look_alike",
            Self::Encoded => "encoded",
        }
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.pad(match self {
            Self::Override => "tells its reader to forget what it was told",
            Self::Address => "tells an agent what to do",
            Self::Role => "plays a part of the conversation",
            Self::ToolCall => "is written as a call of a tool",
            Self::Secrecy => "tells its reader to hide something from you",
            Self::Exfiltration => {
                "tells its reader to send something away or to run what it fetches"
            }
            Self::Authority => "claims that you agreed already",
            Self::Hidden => "holds characters that nobody sees",
            Self::LookAlike => "mixes look-alike letters of several scripts",
            Self::Encoded => "holds orders in an encoding",
        })
    }
}

/// Longest text that is looked at, in bytes: four times the longest content.
const LONGEST: usize = 32_768;

/// Why this text reads as orders to an agent, if it does.
///
/// The plain reading comes first, so that the reason says what is ordered and not how it was hidden.
pub fn reads_as_orders(text: &str) -> Option<Reason> {
    let text = text
        .get(..text.floor_char_boundary(LONGEST))
        .unwrap_or(text);
    let read = |view: &str| compiled::first_match(view);
    markers::found(text)
        .or_else(|| read(&views::plain(text)))
        .or_else(|| views::disguised(text).iter().find_map(|view| read(view)))
        .or_else(|| encoded(text))
        .or_else(|| views::has_hidden(text).then_some(Reason::Hidden))
        .or_else(|| views::has_look_alikes(text).then_some(Reason::LookAlike))
}

/// Orders in an encoding, at most two deep.
fn encoded(text: &str) -> Option<Reason> {
    let orders_in = |text: &str| {
        let direct = markers::found(text).or_else(|| compiled::first_match(&views::plain(text)));
        direct.is_some()
    };
    let once = decode::readings(text);
    let twice = once.iter().flat_map(|text| decode::blobs(text));
    let found = once.iter().any(|it| orders_in(it)) || twice.into_iter().any(|it| orders_in(&it));
    found.then_some(Reason::Encoded)
}

/// Takes no ink: joiners, marks of direction, selectors, tags, fillers.
pub(crate) fn is_hidden(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
