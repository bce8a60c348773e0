//! What a person reads before answering, row by row: our words at the left edge, everything of others behind a margin.

use taffrail_app::external::questions::{Form, Part, Question, View};
use taffrail_text::Shown;

use super::layout::{own, rows};
use crate::output::{Colour, Paint};

/// Where a question is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// At the terminal of its run, with its secrets.
    Run,
    /// In the inbox, without them; the name of the run.
    Inbox(&'a str),
}

/// What a yes to all edits grants.
const GRANTS: &str = "[e] would allow this and every further edit inside the checkout of this run, as long as the sandbox \
                      holds: never flagged files, credentials, removals or commands";
/// Nobody can look into what an agent does after a yes.
const ITS_OWN_WORDS: &str =
    "the agent describes this itself: after a yes nobody checks that it does just this";
/// It is known, or cannot be ruled out, that it destroys something.
const DESTROYS: &str = "DESTRUCTIVE: it may take away what cannot easily be brought back";
/// The strictest kind, because nothing is known of it.
const UNCLEAR: &str =
    "UNCLEAR: it gives its own words and not what it will do, so that nothing can be ruled out";
/// What stands for a masked part.
const MASKED: &str = "part of this is masked here, because it looks like a secret: it can be refused here, and allowed only at \
                      the terminal of its run";

/// All rows of a question for a screen of this width.
pub fn lines(question: &Question, place: Place<'_>, paint: Paint, columns: usize) -> Vec<String> {
    let mut panel = Panel {
        rows: Vec::new(),
        paint,
        columns,
    };
    panel.head(question, place);
    panel.action(&question.view);
    panel.reasons(&question.view);
    panel.marks(question);
    panel.rows
}

/// Whether it counts as destructive only because nobody can look into it.
fn is_only_unclear(view: &View) -> bool {
    let begins = |words: &[&str]| {
        let mut reasons = view.reasons.iter();
        reasons.any(|reason| words.iter().any(|word| reason.starts_with(word)))
    };
    begins(&["unclear"]) && !begins(&["destroys", "may-destroy", "downloaded"])
}

struct Panel {
    rows: Vec<String>,
    paint: Paint,
    columns: usize,
}

impl Panel {
    fn head(&mut self, question: &Question, place: Place<'_>) {
        let view = &question.view;
        let (agent, wants) = (Shown::line(&view.agent), Shown::line(&view.wants));
        self.own(Some(Colour::Strong), &format!("{agent} wants to {wants}"));
        let id = question.id;
        match place {
            Place::Run => self.own(
                None,
                &format!("question {id}, risk {}", question.risk.name()),
            ),
            Place::Inbox(run) => {
                let (risk, run) = (question.risk.name(), Shown::line(run));
                self.own(
                    None,
                    &format!("question {id} of the run {run}, risk {risk}"),
                );
            }
        }
        if question.destructive {
            let why = if is_only_unclear(view) {
                UNCLEAR
            } else {
                DESTROYS
            };
            self.own(Some(Colour::Warn), why);
        }
    }

    fn action(&mut self, view: &View) {
        view.parts.iter().for_each(|part| self.part(part));
        if !view.cwd.is_empty() {
            self.labelled("in the folder", &view.cwd);
        }
    }

    fn part(&mut self, part: &Part) {
        match part.form {
            Form::Line | Form::Block => self.labelled(&part.label, &part.text),
            Form::Diff => {
                self.label(&part.label);
                self.diff(&part.text);
            }
        }
    }

    /// A line's colour goes on where the line goes on in the next row.
    fn diff(&mut self, text: &str) {
        for line in text.trim_end_matches('\n').split('\n') {
            let colour = match line.as_bytes().first() {
                Some(b'+') => Some(Colour::Added),
                Some(b'-') => Some(Colour::Removed),
                Some(b'@') => Some(Colour::Place),
                _ => None,
            };
            for row in rows(line, self.columns) {
                self.push(colour, row);
            }
        }
    }

    fn reasons(&mut self, view: &View) {
        if !view.reasons.is_empty() {
            self.labelled("asked because", &view.reasons.join("\n"));
        }
        let kind = view.kind.as_deref().map(|kind| format!("kind: {kind}"));
        // A title that is all there is of the action stands above already.
        let told = |title: &&str| view.parts.iter().any(|part| part.text == *title);
        let title = view.title.as_deref().filter(|title| !told(title));
        let words: Vec<&str> = title.into_iter().chain(kind.as_deref()).collect();
        if !words.is_empty() {
            self.labelled("in the agent's own words", &words.join("\n"));
        }
    }

    fn marks(&mut self, question: &Question) {
        self.own(None, ITS_OWN_WORDS);
        if question.may_grant {
            self.own(None, GRANTS);
        }
        if question.view.masked {
            self.own(Some(Colour::Warn), MASKED);
        }
    }

    fn labelled(&mut self, label: &str, text: &str) {
        self.label(label);
        self.rows.extend(rows(text, self.columns));
    }

    fn label(&mut self, label: &str) {
        let label = Shown::line(label);
        self.own(Some(Colour::Place), &format!("{label}:"));
    }

    fn own(&mut self, colour: Option<Colour>, text: &str) {
        for row in own(text, self.columns) {
            self.push(colour, row);
        }
    }

    fn push(&mut self, colour: Option<Colour>, row: String) {
        self.rows.push(match colour {
            Some(colour) => self.paint.with(colour, &row),
            None => row,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{part, question};
    use super::*;

    /// What only nobody can look into is not called by the name of what is known to destroy.
    #[test]
    fn pol_07_what_is_unclear_says_so() {
        let head = |reasons: &[&str]| {
            let mut question = question(vec![part(Form::Line, "Tidy up")]);
            question.view.reasons = reasons.iter().map(|&reason| reason.to_owned()).collect();
            let rows = lines(&question, Place::Run, Paint::new(false), 200);
            rows[2].split(':').next().unwrap().to_owned()
        };
        assert_eq!(head(&["unclear: Tidy up"]), "UNCLEAR");
        assert_eq!(head(&["unclear: Tidy up", "obeyed-file: .git"]), "UNCLEAR");
        for known in ["destroys: rm -rf", "may-destroy: x", "downloaded: x"] {
            assert_eq!(head(&["unclear: Tidy up", known]), "DESTRUCTIVE");
            assert_eq!(head(&[known]), "DESTRUCTIVE");
        }
        // A removal is destructive without a reason of this kind.
        assert_eq!(head(&["writes"]), "DESTRUCTIVE");
    }
}
