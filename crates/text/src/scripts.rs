//! Which characters a writing system needs, and which only hide: ranges of Unicode 16 blocks, written out because the
//! questions here are coarser than any table crate answers.

/// Moves or ends a line, or starts a terminal sequence: C0, DEL, C1.
pub(crate) fn is_control(letter: char) -> bool {
    letter.is_control()
}

/// Reorders text (embeddings, overrides, isolates) or marks a direction.
fn is_bidi(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Takes no ink, or is read as something else than text.
pub(crate) fn is_hidden(letter: char) -> bool {
    is_bidi(letter)
        || is_selector(letter)
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{fffe}' | '\u{ffff}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || u32::from(letter) & 0xfffe == 0xfffe
}

/// Variation selectors: Mongolian, the common sixteen, the supplement.
fn is_selector(letter: char) -> bool {
    matches!(letter, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Letters and marks of scripts whose spelling uses the joiners: Arabic and kin, Mongolian, the Indic family.
fn joins(letter: char) -> bool {
    matches!(letter,
        '\u{600}'..='\u{605}' | '\u{610}'..='\u{61a}' | '\u{620}'..='\u{8ff}' | '\u{900}'..='\u{dff}'
        | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{17b3}' | '\u{17b6}'..='\u{17ff}' | '\u{1820}'..='\u{18af}'
        | '\u{1a20}'..='\u{1aaf}' | '\u{1b00}'..='\u{1c4f}' | '\u{1cd0}'..='\u{1cff}' | '\u{a8e0}'..='\u{a8ff}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}')
}

/// Written from right to left.
fn is_right_to_left(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{61b}' | '\u{61d}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Scripts written without spaces, where U+200B marks a place to break: Thai, Lao, Myanmar, Khmer, Tai.
fn breaks_without_spaces(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{19ff}'
        | '\u{1a20}'..='\u{1aaf}' | '\u{aa60}'..='\u{aadf}')
}

/// Pictographs that take selectors and joiners (the blocks that hold `Extended_Pictographic`).
fn is_pictograph(letter: char) -> bool {
    matches!(letter, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{23ff}' | '\u{2460}'..='\u{24ff}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
        | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn is_han(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// How far a direction mark may be from the right-to-left letter that it serves: over a bracket, a number, a comma.
const MARK_REACH: usize = 8;

/// Whether a hidden character between `before` and `after` is ordinary writing.
///
/// Only one hidden character in a row is ever ordinary (but an emoji's selector before its joiner), so text cannot be
/// smuggled in a run of them.
pub(crate) fn is_ordinary(letter: char, before: &str, after: &str) -> bool {
    let mut back = before.chars().rev();
    let (previous, earlier) = (back.next().unwrap_or(' '), back.next().unwrap_or(' '));
    let next = after.chars().next().unwrap_or(' ');
    match letter {
        '\u{200d}' if is_pictograph(next) => {
            is_pictograph(previous) || (previous == '\u{fe0f}' && is_pictograph(earlier))
        }
        '\u{200c}' | '\u{200d}' => joins(previous),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            !is_hidden(previous) && serves_a_letter(before, after)
        }
        '\u{200b}' => breaks_without_spaces(previous) && breaks_without_spaces(next),
        '\u{fe0e}' | '\u{fe0f}' => {
            is_pictograph(previous) || matches!(previous, '0'..='9' | '#' | '*')
        }
        '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}' => is_han(previous),
        '\u{180b}'..='\u{180f}' => matches!(previous, '\u{1820}'..='\u{18af}'),
        _ => false,
    }
}

fn serves_a_letter(before: &str, after: &str) -> bool {
    let back = before.chars().rev().take(MARK_REACH);
    let ahead = after.chars().take(MARK_REACH);
    back.chain(ahead).any(is_right_to_left)
}

/// The three flags that are spelled with tag characters (England, Scotland, Wales), without the black flag in front.
pub(crate) const TAG_FLAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// The black flag that the tag characters of a regional flag follow.
pub(crate) const BLACK_FLAG: char = '\u{1f3f4}';
