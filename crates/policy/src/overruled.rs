//! Rules that never decide, as another one answers all of their examples first (POL-04).

use std::fmt;

use taffrail_domain::Answer;

use crate::assess::assess;
use crate::checks::{action_of, short};
use crate::rules::{RuleSpec, Rules, in_no_tree};

/// A rule of which no example is answered as it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overruled {
    /// The rule.
    pub rule: String,
    /// Its first example.
    pub example: String,
    /// What is answered to that.
    pub answer: Answer,
    /// The rule that answers so.
    pub by: String,
}

impl fmt::Display for Overruled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            example,
            answer,
            by,
        } = self;
        let example = short(example);
        write!(
            out,
            "{rule} never decides: to its example `{example}` {by} answers {answer} first"
        )
    }
}

impl Rules {
    /// The rules that never decide, in the order of the file.
    pub fn overruled(&self) -> Vec<Overruled> {
        let found = |rule| self.overruling(rule);
        self.iter().filter_map(found).collect()
    }

    fn overruling(&self, rule: &RuleSpec) -> Option<Overruled> {
        let answers = rule.matches.iter().map(|example| {
            let (action, context) = (action_of(rule, example), in_no_tree());
            let found = assess(&action, &context);
            let stricter = [Answer::Deny, Answer::Ask].into_iter();
            stricter
                .filter(|answer| *answer > rule.answer)
                .find_map(|answer| {
                    let by = self.forbids(answer, &action, &found, &context)?;
                    Some((answer, by.to_owned()))
                })
        });
        let answers: Option<Vec<_>> = answers.collect();
        let (answer, by) = answers?.into_iter().next()?;
        Some(Overruled {
            rule: rule.name.clone(),
            example: rule.matches.first()?.clone(),
            answer,
            by,
        })
    }
}
