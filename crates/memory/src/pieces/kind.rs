//! What kind of knowledge a piece seems to be, by its words. A person sees it and may say otherwise.

use taffrail_domain::MemoryType;

/// Words of what must hold.
const CONSTRAINT: [&str; 10] = [
    " must ",
    " never ",
    " always ",
    " do not ",
    " don't ",
    " shall ",
    " forbidden ",
    " required ",
    " mandatory ",
    " not allowed ",
];
/// Words of what was decided.
const DECISION: [&str; 7] = [
    " decided ",
    " we chose ",
    " we picked ",
    " we settled ",
    " decision ",
    " we went with ",
    " we agreed ",
];
/// Words of a choice, when a reason stands beside them.
const CHOICE: [&str; 4] = [" we use ", " we are using ", " we're using ", " uses "];
/// Words of a reason.
const REASON: [&str; 4] = [" because ", " instead of ", " rather than ", " over "];

/// `must`, `never`, `always` make a constraint; `decided`, or what we use and why, a decision; the rest is a lesson.
pub(super) fn kind(prose: &str) -> MemoryType {
    let words: Vec<String> = prose
        .split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '\'' | '’'))
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect();
    let text = format!(" {} ", words.join(" "));
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| text.contains(phrase));
    if has(&CONSTRAINT) {
        MemoryType::Constraint
    } else if has(&DECISION) || has(&CHOICE) && has(&REASON) {
        MemoryType::Decision
    } else {
        MemoryType::Lesson
    }
}
