//! Words that are in every text and tell none apart.

/// English, with what an apostrophe leaves of a word; sorted.
const ENGLISH: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "being", "but", "by", "can", "could", "d", "did", "didn",
    "do", "does", "doesn", "doing", "don", "down", "during", "each", "few", "for", "from",
    "further", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his", "how",
    "i", "if", "in", "into", "is", "isn", "it", "its", "just", "ll", "m", "me", "more", "most",
    "my", "no", "nor", "not", "now", "of", "off", "on", "once", "only", "or", "other", "our",
    "ours", "out", "over", "own", "re", "s", "same", "she", "should", "so", "some", "such", "t",
    "than", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "under", "until", "up", "ve", "very", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with", "would",
    "you", "your", "yours",
];

/// Russian, sorted by code point; `ё` is folded.
const RUSSIAN: &[&str] = &[
    "а",
    "без",
    "бы",
    "был",
    "была",
    "были",
    "было",
    "быть",
    "в",
    "во",
    "вот",
    "где",
    "для",
    "до",
    "если",
    "же",
    "за",
    "и",
    "из",
    "или",
    "их",
    "к",
    "как",
    "какая",
    "какие",
    "какой",
    "когда",
    "который",
    "ли",
    "мы",
    "на",
    "над",
    "не",
    "но",
    "о",
    "об",
    "он",
    "она",
    "они",
    "от",
    "по",
    "под",
    "почему",
    "при",
    "с",
    "со",
    "так",
    "то",
    "у",
    "что",
    "чтобы",
    "это",
];

/// Whether a folded word is dropped from rows and questions.
pub(super) fn is_stop(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok() || RUSSIAN.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{ENGLISH, RUSSIAN};

    #[test]
    fn rec_03_the_lists_are_sorted_so_that_they_can_be_searched() {
        assert!(ENGLISH.is_sorted() && RUSSIAN.is_sorted());
    }
}
