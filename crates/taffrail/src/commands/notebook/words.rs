//! The sentences of a notebook. All text of others is escaped here.

use taffrail_app::notebook::{Shown as Notebook, Standing};
use taffrail_domain::Source;
use taffrail_text::Shown;
use taffrail_text::words::{Piece, diff};

use crate::output::{Colour, Paint};

/// How a notebook stands against what a turn is given of it.
pub fn state(project: &str, shown: &Notebook) -> String {
    let name = Shown::line(project);
    if shown.row.version == 0 {
        return format!("the notebook of {name} is empty");
    }
    let given = shown.view.text.chars().count();
    let mut text = format!(
        "{name}, version {}: a turn is given {given} of {} characters",
        shown.row.version, shown.injected
    );
    if shown.view.left_out_characters > 0 {
        text.push_str(&format!(
            "; {} and {} characters are left out, the budget is {}",
            entries(shown.view.left_out),
            shown.view.left_out_characters,
            shown.budget
        ));
        text.push_str("\nhint: taffrail notebook tidy");
    }
    text
}

/// What is to be said of a text that nothing vouches for; nothing of another.
pub fn standing(standing: &Standing) -> Option<String> {
    match standing {
        Standing::Vouched => None,
        Standing::Unprotected => Some(
            "no place of secrets was chosen and no keychain answers: whoever can write the database can change the notebook\n\
             hint: taffrail secret backend file --key-file PATH"
                .to_owned(),
        ),
        Standing::Withheld { why } => Some(format!(
            "the notebook is given to no turn: {}\nhint: taffrail notebook edit shows it whole; saved as it is, it counts again",
            Shown::line(why)
        )),
    }
}

/// `1 entry`, `3 entries`.
pub fn entries(count: usize) -> String {
    match count {
        1 => "1 entry".to_owned(),
        many => format!("{many} entries"),
    }
}

/// Two documents in one: what only the first has is in `[- -]`, what only the second has in `{+ +}`.
pub fn both(paint: &Paint, in_force: &str, yours: &str) -> String {
    let mut text = "[-in force-] {+yours+}\n".to_owned();
    for piece in diff(in_force, yours) {
        match piece {
            Piece::Same(same) => text.push_str(Shown::block(same).as_str()),
            Piece::Removed(only) => {
                let only = format!("[-{}-]", Shown::block(only));
                text.push_str(&paint.with(Colour::Removed, &only).to_string());
            }
            Piece::Added(only) => {
                let only = format!("{{+{}+}}", Shown::block(only));
                text.push_str(&paint.with(Colour::Added, &only).to_string());
            }
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Who wrote something: `mcp · claude-code · session s1 step 4`.
pub fn source(source: &Source) -> String {
    let mut parts = vec![source.runtime.clone()];
    parts.extend(source.client.clone());
    parts.extend(source.model.clone());
    parts.extend(source.task.as_ref().map(|task| format!("task {task}")));
    if let Some(session) = &source.session {
        let step = source.step.map(|step| format!(" step {step}"));
        parts.push(format!("session {session}{}", step.unwrap_or_default()));
    }
    Shown::line(&parts.join(" · ")).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nb_03_both_texts_are_in_what_is_shown() {
        let text = both(&Paint::new(false), "one two\n", "one three \u{1b}[2J\n");
        assert_eq!(
            text,
            "[-in force-] {+yours+}\none [-two-]{+three \\x1b[2J+}\n"
        );
    }

    #[test]
    fn a_source_reads_well() {
        let from = Source {
            runtime: "mcp".into(),
            client: Some("claude\ncode".into()),
            session: Some("s1".into()),
            step: Some(4),
            ..Source::default()
        };
        assert_eq!(source(&from), "mcp · claude\\ncode · session s1 step 4");
    }
}
