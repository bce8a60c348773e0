//! The readings of a text: as it is meant to be read once what hides it is taken away.

use taffrail_text::Shown;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::orders::is_hidden;

/// The plain reading: compatibility forms made one, marks and what takes no ink gone, lower case, emphasis gone, blanks
/// folded. The words of the rules go through the same, so they match whatever the form.
pub(crate) fn plain(text: &str) -> String {
    tidy(
        text.nfkd()
            .filter(|it| !is_hidden(*it) && !is_combining_mark(*it)),
    )
}

fn tidy(letters: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    for letter in letters.flat_map(char::to_lowercase) {
        match letter {
            '*' | '`' | '~' | '\\' => {}
            '’' | '‘' | 'ʼ' => out.push('\''),
            '‐' | '‑' | '–' | '—' => out.push('-'),
            // A hook of Turkish and the dotless i read as their plain letters.
            'ı' => out.push('i'),
            'ß' => out.push_str("ss"),
            // A pipe of a shell, which the rules write so because their own bar parts words.
            '|' => out.push_str(if out.ends_with(' ') { "¦ " } else { " ¦ " }),
            _ if letter.is_whitespace()
                || matches!(letter, '_' | '#' | '>' | '"' | '“' | '”' | '«' | '»') =>
            {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            _ => out.push(letter),
        }
    }
    out.trim().to_owned()
}

/// What the text says to somebody who sees through a disguise: look-alike letters, digits for letters, letters set apart,
/// the alphabet turned by 13, the text from back to front. Only readings that differ.
pub(crate) fn disguised(text: &str) -> Vec<String> {
    let plain = plain(text);
    let folded: String = plain
        .chars()
        .map(|it| look_alike(it).unwrap_or(it))
        .collect();
    let mut views = Vec::new();
    if folded != plain {
        views.push(leet(&folded));
        views.push(folded.clone());
    }
    if folded
        .bytes()
        .any(|it| it.is_ascii_digit() || matches!(it, b'@' | b'$' | b'!'))
    {
        views.push(leet(&folded));
    }
    views.extend(set_apart(text));
    if plain.bytes().any(|it| it.is_ascii_alphabetic()) {
        views.push(plain.chars().map(turned).collect());
    }
    views.push(plain.chars().rev().collect());
    views
}

/// Letters that look like Latin ones, of Cyrillic, Greek, Armenian, Cherokee and the phonetic alphabet. Only pairs that
/// print alike in common fonts; µ, λ, π and the like are themselves.
pub(crate) fn look_alike(letter: char) -> Option<char> {
    Some(match letter {
        'а' | 'α' | 'ɑ' | 'ᴀ' => 'a',
        'в' | 'ʙ' => 'b',
        'с' | 'ϲ' | 'ᴄ' => 'c',
        'ԁ' | 'ɗ' | 'ᴅ' => 'd',
        'е' | 'є' | 'ε' | 'ҽ' | 'ᴇ' => 'e',
        'ғ' | 'ꜰ' => 'f',
        'ɡ' | 'ց' | 'ɢ' => 'g',
        'һ' | 'н' | 'ʜ' | 'հ' => 'h',
        'і' | 'ι' | 'ɪ' | 'ӏ' | 'ⅰ' => 'i',
        'ј' | 'ϳ' | 'ᴊ' => 'j',
        'к' | 'κ' | 'ᴋ' => 'k',
        'ʟ' | 'ⅼ' => 'l',
        'м' | 'ᴍ' => 'm',
        'ո' | 'ɴ' | 'η' | 'п' => 'n',
        'о' | 'ο' | 'օ' | 'ᴏ' | 'σ' => 'o',
        'р' | 'ρ' | 'ᴘ' => 'p',
        'ԛ' => 'q',
        'г' | 'ʀ' | 'я' => 'r',
        'ѕ' | 'ꜱ' => 's',
        'т' | 'τ' | 'ᴛ' => 't',
        'υ' | 'ս' | 'ᴜ' | 'ц' => 'u',
        'ν' | 'ѵ' | 'ᴠ' => 'v',
        'ԝ' | 'ѡ' | 'ω' | 'ᴡ' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' | 'ү' | 'ʏ' => 'y',
        'ᴢ' => 'z',
        _ => return None,
    })
}

/// Digits and signs that stand for letters, in words that have letters too.
fn leet(text: &str) -> String {
    let word = |word: &str| -> String {
        if !word.bytes().any(|it| it.is_ascii_alphabetic()) && word.len() > 3 {
            return word.to_owned();
        }
        word.chars().map(letter_for).collect()
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn letter_for(sign: char) -> char {
    match sign {
        '0' => 'o',
        '1' | '!' | '¦' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    }
}

fn turned(letter: char) -> char {
    let turn = |first: u8| {
        u8::try_from(letter).map_or(letter, |it| char::from((it - first + 13) % 26 + first))
    };
    if letter.is_ascii_lowercase() {
        turn(b'a')
    } else {
        letter
    }
}

/// Single letters in a row that make a text set apart.
const APART: usize = 8;

/// Text whose letters are set apart (`i g n o r e`, `i.g.n.o.r.e`), closed up again: words where wider gaps part them, and
/// else the whole without any gap, which the squeezed words of the rules are for.
fn set_apart(text: &str) -> Vec<String> {
    let letters: String = plain_keeping_gaps(text);
    let parts: Vec<&str> = letters
        .split([' ', '.', '-', '_', '/', ',', '\n', '\t'])
        .collect();
    let singles = parts.iter().filter(|it| it.chars().count() == 1).count();
    if singles < APART {
        return Vec::new();
    }
    let words = letters.split("  ").map(|word| {
        word.chars()
            .filter(|it| it.is_alphanumeric())
            .collect::<String>()
    });
    let spaced = words.collect::<Vec<_>>().join(" ");
    let squeezed = letters.chars().filter(|it| it.is_alphanumeric()).collect();
    vec![spaced, squeezed]
}

fn plain_keeping_gaps(text: &str) -> String {
    let letters = text
        .nfkd()
        .filter(|it| !is_hidden(*it) && !is_combining_mark(*it));
    letters
        .flat_map(char::to_lowercase)
        .map(|it| look_alike(it).unwrap_or(it))
        .map(|it| if it.is_whitespace() { ' ' } else { it })
        .collect()
}

/// Whether the text holds characters that nobody sees and no script needs there. A soft hyphen and a byte order mark in
/// front are what copying leaves behind.
pub(crate) fn has_hidden(text: &str) -> bool {
    if text.is_ascii() {
        return false;
    }
    let text: String = text.trim_start_matches('\u{feff}').replace('\u{ad}', "");
    let spelled = |text: &str| text.matches("⟨U+").count();
    spelled(Shown::block(&text).as_str()) > spelled(&text)
}

/// Shortest word that is looked at for look-alikes: `Δt` and `kΩ` are units.
const SHORTEST_WORD: usize = 4;

/// Whether a word mixes Latin letters with look-alikes of theirs.
pub(crate) fn has_look_alikes(text: &str) -> bool {
    !text.is_ascii()
        && text
            .split(|it: char| !it.is_alphabetic())
            .filter(|word| word.chars().count() >= SHORTEST_WORD)
            .any(|word| {
                let lower = || word.chars().flat_map(char::to_lowercase);
                let is_foreign = |it: char| !it.is_ascii() && look_alike(it).is_some();
                lower().any(|it| it.is_ascii_alphabetic())
                    && lower().any(is_foreign)
                    && lower().all(|it| it.is_ascii_alphabetic() || is_foreign(it))
            })
}
