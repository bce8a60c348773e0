//! The server's own check of a value against the schema.

use serde_json::{Map, Number, Value};

use super::{Field, Form, Kind, is_space};

/// The first thing that does not fit: where, why, and what was given.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Misfit {
    /// The way to it: `anchors.touched[3]`. The caller's own words where a key is unknown.
    pub(crate) path: String,
    /// What is wrong with it.
    pub(crate) why: Why,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Why {
    /// It must be there.
    Missing,
    /// There is no such key; these are known.
    Unknown { known: Vec<&'static str> },
    /// It is of another type.
    Type { wanted: &'static str, given: Value },
    /// It is longer than the limit, in characters.
    Long {
        limit: usize,
        length: usize,
        given: String,
    },
    /// It has nothing in it, or nothing but white space.
    Blank,
    /// It holds a character that is not taken.
    Characters { given: String },
    /// It is none of the words.
    Word {
        words: &'static [&'static str],
        given: String,
    },
    /// It is out of bounds.
    Range { min: u64, max: u64, given: Number },
    /// It has more items than the limit.
    Items { limit: usize, count: usize },
}

/// Whether the object fits, key by key in the order of the schema, then what is not in it. Whole numbers that were
/// written with a fraction (`5.0`), which JSON Schema counts as whole, become whole.
pub(crate) fn check(
    fields: &'static [Field],
    object: &mut Map<String, Value>,
) -> Result<(), Misfit> {
    fit(fields, object, "")
}

fn fit(
    fields: &'static [Field],
    object: &mut Map<String, Value>,
    above: &str,
) -> Result<(), Misfit> {
    for field in fields {
        match object.get_mut(field.name) {
            Some(value) => value_fits(&field.kind, value, &join(above, field.name))?,
            None if field.required => return Err(misfit(&join(above, field.name), Why::Missing)),
            None => {}
        }
    }
    let unknown = object
        .keys()
        .find(|key| fields.iter().all(|field| field.name != key.as_str()));
    match unknown {
        None => Ok(()),
        Some(key) => {
            let known = fields.iter().map(|field| field.name).collect();
            Err(misfit(&join(above, key), Why::Unknown { known }))
        }
    }
}

fn value_fits(kind: &'static Kind, value: &mut Value, path: &str) -> Result<(), Misfit> {
    let why = match (kind, &mut *value) {
        (Kind::Text { min, max, form }, Value::String(text)) => text_fits(text, *min, *max, *form),
        (Kind::Word(words), Value::String(text)) => word_fits(words, text),
        (Kind::Integer { min, max }, Value::Number(number)) => integer_fits(number, *min, *max),
        (Kind::Number, Value::Number(_)) | (Kind::Flag, Value::Bool(_)) => Ok(()),
        (Kind::List { max, of }, Value::Array(items)) => return items_fit(items, *max, of, path),
        (Kind::Object(fields), Value::Object(object)) => return fit(fields, object, path),
        (wanted, given) => Err(Why::Type {
            wanted: type_name(wanted),
            given: given.clone(),
        }),
    };
    why.map_err(|why| misfit(path, why))
}

fn items_fit(items: &mut [Value], max: usize, of: &'static Kind, path: &str) -> Result<(), Misfit> {
    if items.len() > max {
        let count = items.len();
        return Err(misfit(path, Why::Items { limit: max, count }));
    }
    items
        .iter_mut()
        .enumerate()
        .try_for_each(|(at, item)| value_fits(of, item, &format!("{path}[{at}]")))
}

fn text_fits(text: &str, min: usize, max: usize, form: Form) -> Result<(), Why> {
    // A character has at most four bytes, so most texts need no counting.
    let length = if text.len() <= max {
        0
    } else {
        text.chars().count()
    };
    if length > max {
        return Err(Why::Long {
            limit: max,
            length,
            given: text.to_owned(),
        });
    }
    let fits = match form {
        Form::Any => true,
        Form::NotBlank => text.chars().any(|at| !is_space(at)),
        Form::Id => text
            .bytes()
            .all(|at| at.is_ascii_alphanumeric() || matches!(at, b'_' | b'-')),
    };
    let enough = text.chars().take(min).count() == min;
    match (enough, fits, form) {
        (true, true, _) => Ok(()),
        (true, false, Form::Id) => Err(Why::Characters {
            given: text.to_owned(),
        }),
        _ => Err(Why::Blank),
    }
}

fn word_fits(words: &'static [&'static str], text: &str) -> Result<(), Why> {
    if words.contains(&text) {
        return Ok(());
    }
    Err(Why::Word {
        words,
        given: text.to_owned(),
    })
}

fn integer_fits(number: &mut Number, min: u64, max: u64) -> Result<(), Why> {
    match whole(number) {
        Some(value) if (min..=max).contains(&value) => {
            *number = value.into();
            Ok(())
        }
        Some(_) => Err(range(number, min, max)),
        None if is_whole(number) => Err(range(number, min, max)),
        None => Err(Why::Type {
            wanted: "a whole number",
            given: Value::Number(number.clone()),
        }),
    }
}

fn range(number: &Number, min: u64, max: u64) -> Why {
    Why::Range {
        min,
        max,
        given: number.clone(),
    }
}

/// The number as a whole one that is not negative. Above 2^53 a fraction's whole value is no longer exact.
fn whole(number: &Number) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.as_u64().or_else(|| {
        number
            .as_f64()
            .filter(|value| value.fract() == 0.0 && (0.0..=EXACT).contains(value))
            .map(|value| value as u64)
    })
}

fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.as_f64().is_some_and(|value| value.fract() == 0.0)
}

const fn type_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text { .. } | Kind::Word(_) => "a string",
        Kind::Integer { .. } => "a whole number",
        Kind::Number => "a number",
        Kind::Flag => "true or false",
        Kind::List { .. } => "an array",
        Kind::Object(_) => "an object",
    }
}

fn join(above: &str, name: &str) -> String {
    if above.is_empty() {
        name.to_owned()
    } else {
        format!("{above}.{name}")
    }
}

fn misfit(path: &str, why: Why) -> Misfit {
    Misfit {
        path: path.to_owned(),
        why,
    }
}
