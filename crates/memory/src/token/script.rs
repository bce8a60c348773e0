//! What a character is to the tokenizer, and its form without case and accents.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Scripts written without spaces between words, and Hangul, whose words carry their particles.
pub(super) fn is_paired(letter: char) -> bool {
    matches!(letter,
        '\u{0E01}'..='\u{0E4E}'   // Thai
        | '\u{0E81}'..='\u{0ECD}' // Lao
        | '\u{1000}'..='\u{109D}' // Myanmar
        | '\u{1100}'..='\u{11FF}' // Hangul letters
        | '\u{1780}'..='\u{17D3}' // Khmer
        | '\u{3005}'..='\u{3007}' // repetition and closing marks, zero
        | '\u{3041}'..='\u{309F}' // Hiragana
        | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' // Katakana
        | '\u{3105}'..='\u{318E}' // Bopomofo, Hangul compatibility
        | '\u{31A0}'..='\u{31BF}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' // Han
        | '\u{A960}'..='\u{A97C}' | '\u{AC00}'..='\u{D7FB}' // Hangul
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

/// A letter or a digit, or a mark that belongs to one.
pub(super) fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || (!letter.is_ascii() && is_combining_mark(letter))
}

/// What joins the parts of an identifier or a path.
pub(super) fn joins(letter: char) -> bool {
    matches!(letter, '_' | '.' | '/' | '-')
}

/// Without case, and for Latin and Greek without accents; marks of other scripts are letters of theirs.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars().flat_map(char::to_lowercase) {
        fold_letter(letter, &mut folded);
    }
    folded
}

fn fold_letter(letter: char, folded: &mut String) {
    match letter {
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'ø' => folded.push('o'),
        'ł' => folded.push('l'),
        'đ' | 'ð' => folded.push('d'),
        'þ' => folded.push_str("th"),
        'ı' => folded.push('i'),
        'ς' => folded.push('σ'),
        'ё' => folded.push('е'),
        '\u{00C0}'..='\u{024F}' | '\u{0370}'..='\u{03FF}' | '\u{1E00}'..='\u{1FFF}' => {
            folded.extend(
                std::iter::once(letter)
                    .nfd()
                    .filter(|part| !is_accent(*part)),
            );
        }
        // What is left of an accent that no single letter holds, and Arabic vowel signs.
        '\u{0300}'..='\u{036F}' | '\u{064B}'..='\u{0652}' | '\u{0640}' => {}
        _ => folded.push(letter),
    }
}

fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{0300}'..='\u{036F}')
}
