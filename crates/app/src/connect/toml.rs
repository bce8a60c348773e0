//! TOML as text: a table of ours is put at the end or taken out, and every other byte stays where it is.
//!
//! The library reads and names the places; it is not asked to write, because it writes CRLF as LF.

use toml_edit::{Document, Item, Table, TableLike, Value};

use super::node::{Node, Piece};
use super::splice::Splice;
use super::unfit::Unfit;

/// What a document says.
pub(super) fn read(text: &str) -> Result<Node, Unfit> {
    Ok(table(parse(text)?.as_table()))
}

/// The insertions that put a piece into a document, and how many of the tables on its way they make. A piece is an entry
/// of a table of the root: nothing deeper is needed of any program.
pub(super) fn put(text: &str, piece: &Piece) -> Result<(Vec<Splice>, usize), Unfit> {
    let document = parse(text)?;
    let (outer, key) = names(piece)?;
    let Some(item) = document.get(outer) else {
        return Ok((vec![block(text, outer, key, &piece.value)], 1));
    };
    let Some(existing) = item.as_table_like() else {
        let place = item.span().map_or(0, |span| span.start);
        return Err(Unfit::at(text, place, "is no table"));
    };
    if let Some((start, end)) = existing
        .get(key)
        .and_then(|item| place_of(existing, key, item))
    {
        return Err(Unfit::taken(text, key, start, end));
    }
    if existing.contains_key(key) {
        return Err(Unfit::taken(text, key, 0, 0));
    }
    match item {
        Item::Value(Value::InlineTable(inline)) => {
            let Some(span) = inline.span() else {
                return Err(Unfit::whole("has a table whose place is not known"));
            };
            let comma = if inline.is_empty() { " " } else { "," };
            let put = format!(" {key} = {}{comma}", value(&piece.value));
            let at = span.start + 1;
            Ok((vec![Splice { at, put }], 0))
        }
        _ => Ok((vec![block(text, outer, key, &piece.value)], 0)),
    }
}

/// The document without the piece, where it has a table of its own under its own heading; none where it is not there.
pub(super) fn remove(text: &str, piece: &Piece) -> Result<Option<String>, Unfit> {
    let document = parse(text)?;
    let (outer, key) = names(piece)?;
    let Some(existing) = document.get(outer).and_then(Item::as_table_like) else {
        return Ok(None);
    };
    let Some(item) = existing.get(key) else {
        return Ok(None);
    };
    let mut cuts = Vec::new();
    let Item::Table(ours) = item else {
        let (start, _) = place_of(existing, key, item).unwrap_or_default();
        let why = "has the entry in a form that has to be taken out by hand";
        return Err(Unfit::at(text, start, why));
    };
    collect(text, ours, &mut cuts)?;
    cuts.sort_unstable();
    let mut left = text.to_owned();
    for (start, end) in cuts.into_iter().rev() {
        left.replace_range(start..end, "");
    }
    Ok(Some(left))
}

fn parse(text: &str) -> Result<Document<&str>, Unfit> {
    Document::parse(text).map_err(|error| {
        let place = error.span().map_or(0, |span| span.start);
        let why = format!("is no TOML: {}", error.message());
        Unfit::at(text, place, &why)
    })
}

fn names(piece: &Piece) -> Result<(&str, &str), Unfit> {
    match (piece.path.as_slice(), &piece.key) {
        ([outer], Some(key)) => Ok((outer, key)),
        _ => Err(Unfit::whole("takes no piece of this form")),
    }
}

/// A table of its own at the end, an empty line before it. A file without a last line end has none afterwards.
fn block(text: &str, outer: &str, key: &str, node: &Node) -> Splice {
    let newline = match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    };
    let ends_a_line = text.is_empty() || text.ends_with('\n');
    let mut put = String::new();
    if !ends_a_line {
        put.push_str(newline);
    }
    if !text.trim().is_empty() {
        put.push_str(newline);
    }
    let mut lines = vec![format!("[{outer}.{key}]")];
    if let Node::Map(entries) = node {
        lines.extend(
            entries
                .iter()
                .map(|(key, node)| format!("{key} = {}", value(node))),
        );
    }
    put.push_str(&lines.join(newline));
    if ends_a_line {
        put.push_str(newline);
    }
    let at = text.len();
    Splice { at, put }
}

fn value(node: &Node) -> String {
    match node {
        Node::Text(text) => Value::from(text.as_str()).to_string(),
        Node::Flag(flag) => flag.to_string(),
        Node::Plain(plain) => plain.clone(),
        Node::Null => "\"\"".to_owned(),
        Node::List(items) => {
            let items: Vec<String> = items.iter().map(value).collect();
            format!("[{}]", items.join(", "))
        }
        Node::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(key, node)| format!("{key} = {}", value(node)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Where an entry is written.
fn place_of(table: &dyn TableLike, key: &str, item: &Item) -> Option<(usize, usize)> {
    let name = table.get_key_value(key).and_then(|(name, _)| name.span());
    let span = item.span();
    let start = match (&name, &span) {
        (Some(name), Some(span)) => name.start.min(span.start),
        (Some(one), None) | (None, Some(one)) => one.start,
        (None, None) => return None,
    };
    let end = span.or(name).map_or(start, |span| span.end);
    Some((start, end.max(start)))
}

/// The whole lines of a table and of those below it: from a heading to the end of the last value under it.
fn collect(text: &str, table: &Table, cuts: &mut Vec<(usize, usize)>) -> Result<(), Unfit> {
    let mut end = None;
    for (_, item) in table.iter() {
        match item {
            Item::Table(inner) if !inner.is_dotted() => collect(text, inner, cuts)?,
            Item::ArrayOfTables(array) => {
                for inner in array {
                    collect(text, inner, cuts)?;
                }
            }
            other => end = end.max(last(other)),
        }
    }
    if table.is_implicit() {
        return Ok(());
    }
    let Some(heading) = table.span() else {
        return Err(Unfit::whole("has a table whose place is not known"));
    };
    let start = text
        .get(..heading.start)
        .and_then(|head| head.rfind('\n'))
        .map_or(0, |at| at + 1);
    let end = end.unwrap_or(heading.start).max(heading.start);
    let line_end = text
        .get(end..)
        .and_then(|rest| rest.find('\n'))
        .map_or(text.len(), |at| end + at + 1);
    cuts.push((start, line_end));
    Ok(())
}

/// The end of what is written of a value, or of the values of a dotted table.
fn last(item: &Item) -> Option<usize> {
    match item {
        Item::Table(table) => table.iter().filter_map(|(_, item)| last(item)).max(),
        other => other.span().map(|span| span.end),
    }
}

fn table(table: &dyn TableLike) -> Node {
    let entries = table
        .iter()
        .map(|(key, item)| (key.to_owned(), self::item(item)));
    Node::Map(entries.collect())
}

fn item(item: &Item) -> Node {
    match item {
        Item::None => Node::Null,
        Item::Value(value) => node(value),
        Item::Table(inner) => table(inner),
        Item::ArrayOfTables(array) => Node::List(array.iter().map(|inner| table(inner)).collect()),
    }
}

fn node(value: &Value) -> Node {
    match value {
        Value::String(text) => Node::text(text.value()),
        Value::Boolean(flag) => Node::Flag(*flag.value()),
        Value::Array(array) => Node::List(array.iter().map(node).collect()),
        Value::InlineTable(inner) => table(inner),
        Value::Integer(_) | Value::Float(_) | Value::Datetime(_) => {
            // As written, so that nothing is compared by a rounded number; by value where the text is not at hand.
            Node::Plain(match value {
                Value::Integer(number) => number.value().to_string(),
                Value::Float(number) => format!("{:?}", number.value()),
                other => other
                    .as_datetime()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            })
        }
    }
}
