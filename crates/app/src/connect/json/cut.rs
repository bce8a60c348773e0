//! One thing taken out of an object or array, with its comma and, where it has lines of its own, its lines.

use jsonc_parser::ast::Value;
use jsonc_parser::common::{Range, Ranged};

use super::append::Tail;

/// What is in an object or array, and its own end.
pub(super) struct Ranges {
    children: Vec<Range>,
    end: usize,
}

impl Ranges {
    pub(super) fn len(&self) -> usize {
        self.children.len()
    }
}

pub(super) fn ranges_of(value: &Value<'_>) -> Ranges {
    let children = match value {
        Value::Object(object) => object.properties.iter().map(Ranged::range).collect(),
        Value::Array(array) => array.elements.iter().map(Ranged::range).collect(),
        Value::StringLit(_)
        | Value::NumberLit(_)
        | Value::BooleanLit(_)
        | Value::NullKeyword(_) => Vec::new(),
    };
    Ranges {
        children,
        end: value.end().saturating_sub(1),
    }
}

pub(super) fn without(text: &str, ranges: &Ranges, place: usize) -> String {
    let children = &ranges.children;
    let Some(child) = children.get(place) else {
        return text.to_owned();
    };
    let next = children
        .get(place + 1)
        .map_or(ranges.end, |next| next.start);
    let tail = Tail::of(text, child.end, next);
    let is_last = place + 1 == children.len();
    let before = place.checked_sub(1).and_then(|place| children.get(place));
    // The comma behind goes; of the last one without such a comma, the one before it.
    let (cut_end, comma) = match (tail.has_comma, before) {
        (true, _) => (tail.comma_end, None),
        (false, Some(before)) if is_last => {
            let tail = Tail::of(text, before.end, child.start);
            (child.end, tail.has_comma.then_some(tail.comma_end))
        }
        (false, _) => (child.end, None),
    };
    let (start, end) = lines(text, child.start, cut_end);
    let mut left = text.to_owned();
    left.replace_range(start..end, "");
    if let Some(comma) = comma {
        left.replace_range(comma - 1..comma, "");
    }
    left
}

/// The range grown to whole lines where nothing else is on them, else by the blanks before it or behind it.
fn lines(text: &str, start: usize, end: usize) -> (usize, usize) {
    let blank = |part: &str| part.chars().all(|at| matches!(at, ' ' | '\t' | '\r'));
    let head = text.get(..start).unwrap_or("");
    let rest = text.get(end..).unwrap_or("");
    let line_start = head.rfind('\n').map(|at| at + 1);
    let line_end = rest.find('\n');
    let head_is_blank = line_start.is_some_and(|at| head.get(at..).is_some_and(blank));
    let rest_is_blank = line_end.is_some_and(|at| rest.get(..at).is_some_and(blank));
    match (line_start, line_end) {
        (Some(line_start), Some(line_end)) if head_is_blank && rest_is_blank => {
            (line_start, end + line_end + 1)
        }
        // The line goes on behind it: what is first on it goes with the line's beginning.
        (Some(line_start), _) if head_is_blank && rest.starts_with(['}', ']']) => {
            let newline = line_start - 1;
            let newline =
                newline - usize::from(text.get(..newline).is_some_and(|head| head.ends_with('\r')));
            (newline, end)
        }
        _ => {
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            (start, end + blanks)
        }
    }
}
