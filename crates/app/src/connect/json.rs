//! JSON and JSONC as text: one thing is put into it or taken out of it, and every other byte stays where it is.
//!
//! The library reads; what is written is found by the places that it names, so that comments, order, indentation, line
//! ends and trailing commas are what they were.

mod append;
mod cut;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::node::{Node, Piece};
use super::splice::Splice;
use super::unfit::Unfit;

/// What a program's own reader takes beyond JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub comments: bool,
    pub trailing_commas: bool,
}

/// What a document says; an empty one is an empty map.
pub(super) fn read(text: &str, dialect: Dialect) -> Result<Node, Unfit> {
    let value = parse(text, dialect)?;
    Ok(value.as_ref().map_or(Node::Map(Vec::new()), node))
}

/// The insertions that put a piece into a document, and how many of the maps and lists on its way they make.
pub(super) fn put(
    text: &str,
    dialect: Dialect,
    piece: &Piece,
) -> Result<(Vec<Splice>, usize), Unfit> {
    let style = append::Style::of(text);
    let Some(root) = parse(text, dialect)? else {
        let splices = vec![append::whole(text, &style, piece)];
        return Ok((splices, piece.path.len()));
    };
    let mut at = &root;
    for (depth, key) in piece.path.iter().enumerate() {
        let object = object(text, at)?;
        match only(text, object, key)? {
            Some(prop) => at = &prop.value,
            None => {
                let missing = piece.path.get(depth..).unwrap_or_default();
                let item = append::wrapped(missing, piece);
                let place = append::Place::of_object(object, &root);
                return Ok((append::splices(text, &style, &place, &item), missing.len()));
            }
        }
    }
    let (place, item) = match &piece.key {
        Some(key) => {
            let object = object(text, at)?;
            if let Some(taken) = only(text, object, key)? {
                return Err(Unfit::taken(text, key, taken.start(), taken.end()));
            }
            let item = append::Item::Entry(key.clone(), piece.value.clone());
            (append::Place::of_object(object, &root), item)
        }
        None => {
            let Some(array) = at.as_array() else {
                return Err(Unfit::at(text, at.start(), "is no list"));
            };
            let item = append::Item::Element(piece.value.clone());
            (append::Place::of_array(array, &root), item)
        }
    };
    Ok((append::splices(text, &style, &place, &item), 0))
}

/// The document without the piece and without what would be left empty of the innermost `made` maps and lists on its way;
/// none where the piece is not there.
pub(super) fn remove(
    text: &str,
    dialect: Dialect,
    piece: &Piece,
    made: usize,
) -> Result<Option<String>, Unfit> {
    let Some(root) = parse(text, dialect)? else {
        return Ok(None);
    };
    let mut way = vec![&root];
    let mut children = Vec::new();
    let mut at = &root;
    for key in piece.path.iter().chain(&piece.key) {
        let Some(object) = at.as_object() else {
            return Ok(None);
        };
        let Some(place) = object
            .properties
            .iter()
            .rposition(|prop| prop.name.as_str() == key)
        else {
            return Ok(None);
        };
        let Some(prop) = object.properties.get(place) else {
            return Ok(None);
        };
        children.push((cut::ranges_of(at), place));
        at = &prop.value;
        way.push(at);
    }
    if piece.key.is_none() {
        let Some(array) = at.as_array() else {
            return Ok(None);
        };
        let Some(place) = array
            .elements
            .iter()
            .rposition(|element| node(element).says(&piece.value))
        else {
            return Ok(None);
        };
        children.push((cut::ranges_of(at), place));
    }
    // What holds nothing but the piece goes with it, if it was made for it.
    let mut left = made;
    while left > 0
        && children.len() > 1
        && children.last().is_some_and(|(ranges, _)| ranges.len() == 1)
    {
        children.pop();
        left -= 1;
    }
    let Some((ranges, place)) = children.last() else {
        return Ok(None);
    };
    Ok(Some(cut::without(text, ranges, *place)))
}

fn parse(text: &str, dialect: Dialect) -> Result<Option<Value<'_>>, Unfit> {
    let options = ParseOptions {
        allow_comments: dialect.comments,
        allow_trailing_commas: dialect.trailing_commas,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    // The error's own words quote no text of the file, but its place is counted in a way of its own.
    let parsed = parsed.map_err(|error| {
        let why = format!("is no JSON that its program reads: {}", error.kind());
        Unfit::at(text, error.range().start, &why)
    })?;
    Ok(parsed.value)
}

fn object<'a, 'b>(text: &str, value: &'b Value<'a>) -> Result<&'b Object<'a>, Unfit> {
    let unfit = || Unfit::at(text, value.start(), "is no object");
    value.as_object().ok_or_else(unfit)
}

/// The property of this name; a name that is there twice says nothing for sure.
fn only<'a, 'b>(
    text: &str,
    object: &'b Object<'a>,
    key: &str,
) -> Result<Option<&'b ObjectProp<'a>>, Unfit> {
    let mut found = object
        .properties
        .iter()
        .filter(|prop| prop.name.as_str() == key);
    match (found.next(), found.next()) {
        (_, Some(second)) => {
            let why = format!("has the key `{key}` a second time");
            Err(Unfit::at(text, second.start(), &why))
        }
        (first, None) => Ok(first),
    }
}

fn node(value: &Value<'_>) -> Node {
    match value {
        Value::NullKeyword(_) => Node::Null,
        Value::BooleanLit(lit) => Node::Flag(lit.value),
        Value::NumberLit(lit) => Node::Plain(lit.value.to_owned()),
        Value::StringLit(lit) => Node::Text(lit.value.to_string()),
        Value::Array(array) => Node::List(array.elements.iter().map(node).collect()),
        Value::Object(object) => {
            let entries = object.properties.iter();
            Node::Map(
                entries
                    .map(|prop| (prop.name.as_str().to_owned(), node(&prop.value)))
                    .collect(),
            )
        }
    }
}
