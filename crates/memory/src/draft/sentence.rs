//! Sentences: where the first one ends, and cuts that say that they are cuts.

/// What stands at the end of a text that was cut.
pub const CUT_MARK: &str = " […]";

/// The first sentence of a text, blanks folded, at most `limit` characters; a longer one is cut with the mark.
pub fn first_sentence(content: &str, limit: usize) -> String {
    let text = content.trim();
    let line = folded(text.split("\n\n").next().unwrap_or(text));
    let end = sentence_end(&line);
    let sentence = line.get(..end).unwrap_or(&line).trim_end();
    cut_with_mark(sentence, limit)
}

/// A workflow's content within the limit: what is over it is cut, with the mark inside the limit (MEM-03). Whether it was
/// cut comes with it.
pub fn cut_for_workflow(content: &str, limit: usize) -> (String, bool) {
    let cut = cut_with_mark(content, limit);
    let was_cut = cut.len() != content.len();
    (cut, was_cut)
}

fn cut_with_mark(text: &str, limit: usize) -> String {
    if text.char_indices().nth(limit).is_none() {
        return text.to_owned();
    }
    let room = limit.saturating_sub(CUT_MARK.chars().count());
    let kept: String = text.chars().take(room).collect();
    format!("{}{CUT_MARK}", kept.trim_end())
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Byte offset just past the end of the first sentence; the whole text where it has none.
fn sentence_end(text: &str) -> usize {
    for (at, letter) in text.char_indices() {
        let end = at + letter.len_utf8();
        match letter {
            // Full stops of the scripts that put no blank after them.
            '。' | '！' | '？' | '｡' | '．' => return past_closers(text, end),
            // Danda, Arabic question mark and full stop, Armenian, Ethiopic, Burmese.
            '।' | '॥' | '؟' | '۔' | '։' | '።' | '။' => return past_closers(text, end),
            '.' | '!' | '?' | '…' | '‼' | '⁇' | '⁈' | '⁉' => {
                let after = past_closers(text, end);
                if ends_here(text, at, after) {
                    return after;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// A Latin stop ends a sentence at the end of the text, or before a blank and something that no word goes on with. Words
/// that end in a stop of their own, initials and numbers of a list do not.
fn ends_here(text: &str, stop: usize, after: usize) -> bool {
    let rest = text.get(after..).unwrap_or_default();
    if rest.is_empty() {
        return true;
    }
    if !rest.starts_with(' ') {
        return false;
    }
    let goes_on = rest
        .trim_start()
        .chars()
        .next()
        .is_some_and(char::is_lowercase);
    let before = text.get(..stop).unwrap_or_default();
    let is_stop = text.get(stop..).is_some_and(|it| it.starts_with('.'));
    !(goes_on || is_stop && ends_in_abbreviation(before))
}

/// Abbreviations before a capital letter or number, in the languages of the tests.
const ABBREVIATIONS: [&str; 24] = [
    "e.g", "i.e", "etc", "vs", "cf", "mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "fig",
    "z.b", "d.h", "bzw", "ca", "vgl", "usw", "p.ex", "p.ej", "sr", "т.е",
];

fn ends_in_abbreviation(before: &str) -> bool {
    let word = before.rsplit([' ', '(', '[', '"']).next().unwrap_or(before);
    let lower = word.to_lowercase();
    let is_initial = word.chars().count() == 1;
    let is_number = !word.is_empty() && word.chars().all(|it| it.is_ascii_digit());
    let opens_text = before.len() == word.len();
    ABBREVIATIONS.contains(&lower.as_str()) || is_initial || (is_number && opens_text)
}

fn past_closers(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    let closers = rest.chars().take_while(|it| {
        matches!(
            it,
            '"' | '\''
                | ')'
                | ']'
                | '”'
                | '’'
                | '»'
                | '」'
                | '』'
                | '）'
                | '】'
                | '`'
                | '.'
                | '!'
                | '?'
                | '。'
                | '！'
                | '？'
        )
    });
    end + closers.map(char::len_utf8).sum::<usize>()
}
