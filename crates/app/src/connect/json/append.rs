//! Where the last thing of an object or array goes, and how it is written there.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::{Range, Ranged};

use super::{Node, Piece, Splice};

/// How a document is written.
pub(super) struct Style {
    newline: &'static str,
    unit: String,
}

/// What is put in.
pub(super) enum Item {
    /// A property.
    Entry(String, Node),
    /// An element.
    Element(Node),
}

/// An object or array, with what is in it.
pub(super) struct Place {
    range: Range,
    children: Vec<Range>,
    root: Range,
    root_is_empty: bool,
}

impl Style {
    pub(super) fn of(text: &str) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
            _ => "\n",
        };
        // The first line that is indented at all shows one step; comments in a block begin with a star.
        let steps = text.lines().map(|line| {
            let rest = line.trim_start_matches([' ', '\t']);
            (line.len() - rest.len(), rest, line)
        });
        let unit = steps
            .filter(|(step, rest, _)| *step > 0 && rest.starts_with(['"', '}', ']', '{', '[']))
            .find_map(|(step, _, line)| line.get(..step))
            .unwrap_or("  ");
        Self {
            newline,
            unit: unit.to_owned(),
        }
    }
}

impl Place {
    pub(super) fn of_object(object: &Object<'_>, root: &Value<'_>) -> Self {
        let children = object.properties.iter().map(Ranged::range).collect();
        Self::new(object.range, children, root)
    }

    pub(super) fn of_array(array: &Array<'_>, root: &Value<'_>) -> Self {
        let children = array.elements.iter().map(Ranged::range).collect();
        Self::new(array.range, children, root)
    }

    fn new(range: Range, children: Vec<Range>, root: &Value<'_>) -> Self {
        let root_is_empty = root
            .as_object()
            .is_some_and(|root| root.properties.is_empty());
        Self {
            range,
            children,
            root: root.range(),
            root_is_empty,
        }
    }
}

/// A piece with those of its maps and lists that are missing around it.
pub(super) fn wrapped(missing: &[String], piece: &Piece) -> Item {
    let mut inner = match &piece.key {
        Some(key) => Node::Map(vec![(key.clone(), piece.value.clone())]),
        None => Node::List(vec![piece.value.clone()]),
    };
    for key in missing.iter().skip(1).rev() {
        inner = Node::Map(vec![(key.clone(), inner)]);
    }
    match missing.first() {
        Some(key) => Item::Entry(key.clone(), inner),
        None => Item::Element(inner),
    }
}

/// A whole document, behind what a file without a value holds: nothing, blanks, comments.
pub(super) fn whole(text: &str, style: &Style, piece: &Piece) -> Splice {
    let document = match wrapped(&piece.path, piece) {
        Item::Entry(key, value) => Node::Map(vec![(key, value)]),
        Item::Element(value) => value,
    };
    let mut put = String::new();
    let begins_a_line = text.is_empty() || text.ends_with('\n');
    if !begins_a_line {
        put.push_str(style.newline);
    }
    write(&mut put, &document, style, "");
    if begins_a_line {
        put.push_str(style.newline);
    }
    Splice {
        at: text.len(),
        put,
    }
}

/// The insertions that put the item behind everything in its place.
pub(super) fn splices(text: &str, style: &Style, place: &Place, item: &Item) -> Vec<Splice> {
    let inside_end = place.range.end.saturating_sub(1);
    let all = slice(text, place.range.start, place.range.end);
    match place.children.last() {
        Some(last) => {
            let tail = Tail::of(text, last.end, inside_end);
            let mut splices = Vec::new();
            if !tail.has_comma {
                splices.push(Splice {
                    at: last.end,
                    put: ",".to_owned(),
                });
            }
            let mut put = String::new();
            if all.contains('\n') {
                let indent = own_indent(text, last.start).unwrap_or_else(|| {
                    format!("{}{}", line_indent(text, place.range.start), style.unit)
                });
                put.push_str(style.newline);
                put.push_str(&indent);
                item.write(&mut put, style, &indent);
            } else {
                let gap = if is_spaced(all) { " " } else { "" };
                put.push_str(gap);
                item.write_flat(&mut put, gap);
            }
            if tail.has_comma {
                put.push(',');
            }
            let comma = usize::from(!tail.has_comma);
            splices.push(Splice {
                at: tail.end + comma,
                put,
            });
            splices
        }
        None => vec![first(text, style, place, item)],
    }
}

/// The insertion into a place that holds nothing but blanks and comments.
fn first(text: &str, style: &Style, place: &Place, item: &Item) -> Splice {
    let inside_end = place.range.end.saturating_sub(1);
    let tail = Tail::of(text, place.range.start + 1, inside_end);
    let mut put = String::new();
    let root = slice(text, place.root.start, place.root.end);
    if !place.root_is_empty && !root.contains('\n') {
        item.write_flat(&mut put, if is_spaced(root) { " " } else { "" });
        return Splice { at: tail.end, put };
    }
    let outer = line_indent(text, place.range.start);
    let indent = format!("{outer}{}", style.unit);
    put.push_str(style.newline);
    put.push_str(&indent);
    item.write(&mut put, style, &indent);
    if !slice(text, tail.end, inside_end).contains('\n') {
        put.push_str(style.newline);
        put.push_str(outer);
    }
    Splice { at: tail.end, put }
}

impl Item {
    fn write(&self, out: &mut String, style: &Style, indent: &str) {
        match self {
            Self::Entry(key, value) => {
                quote(out, key);
                out.push_str(": ");
                write(out, value, style, indent);
            }
            Self::Element(value) => write(out, value, style, indent),
        }
    }

    fn write_flat(&self, out: &mut String, gap: &str) {
        match self {
            Self::Entry(key, value) => {
                quote(out, key);
                out.push(':');
                out.push_str(gap);
                write_flat(out, value, gap);
            }
            Self::Element(value) => write_flat(out, value, gap),
        }
    }
}

/// What lies behind the last thing of a place: blanks, comments, perhaps a comma.
pub(super) struct Tail {
    pub(super) has_comma: bool,
    /// Behind the comma itself.
    pub(super) comma_end: usize,
    /// Behind the last comment or comma.
    pub(super) end: usize,
}

impl Tail {
    pub(super) fn of(text: &str, from: usize, to: usize) -> Self {
        let mut tail = Self {
            has_comma: false,
            comma_end: from,
            end: from,
        };
        let mut at = from;
        while at < to {
            let rest = slice(text, at, to);
            let length = if rest.starts_with("//") {
                rest.find('\n').map_or(rest.len(), |line| {
                    line - usize::from(rest.get(..line).is_some_and(|line| line.ends_with('\r')))
                })
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else if rest.starts_with(',') {
                tail.has_comma = true;
                tail.comma_end = at + 1;
                1
            } else {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            };
            at += length;
            tail.end = at;
        }
        tail
    }
}

fn write(out: &mut String, node: &Node, style: &Style, indent: &str) {
    let deeper = format!("{indent}{}", style.unit);
    match node {
        Node::Map(entries) if !entries.is_empty() => {
            let lines = entries.iter().map(|(key, value)| {
                let mut line = deeper.clone();
                quote(&mut line, key);
                line.push_str(": ");
                write(&mut line, value, style, &deeper);
                line
            });
            block(out, '{', lines, '}', style, indent);
        }
        Node::List(items) if items.iter().any(|item| matches!(item, Node::Map(_))) => {
            let lines = items.iter().map(|item| {
                let mut line = deeper.clone();
                write(&mut line, item, style, &deeper);
                line
            });
            block(out, '[', lines, ']', style, indent);
        }
        flat => write_flat(out, flat, " "),
    }
}

fn block(
    out: &mut String,
    open: char,
    lines: impl Iterator<Item = String>,
    close: char,
    style: &Style,
    indent: &str,
) {
    let between = format!(",{}", style.newline);
    let lines: Vec<String> = lines.collect();
    out.push(open);
    out.push_str(style.newline);
    out.push_str(&lines.join(&between));
    out.push_str(style.newline);
    out.push_str(indent);
    out.push(close);
}

fn write_flat(out: &mut String, node: &Node, gap: &str) {
    let between = format!(",{gap}");
    match node {
        Node::Null => out.push_str("null"),
        Node::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Node::Plain(plain) => out.push_str(plain),
        Node::Text(text) => quote(out, text),
        Node::List(items) => {
            let items = items.iter().map(|item| {
                let mut one = String::new();
                write_flat(&mut one, item, gap);
                one
            });
            out.push('[');
            out.push_str(&items.collect::<Vec<_>>().join(&between));
            out.push(']');
        }
        Node::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| {
                let mut one = String::new();
                quote(&mut one, key);
                one.push(':');
                one.push_str(gap);
                write_flat(&mut one, value, gap);
                one
            });
            out.push('{');
            out.push_str(&entries.collect::<Vec<_>>().join(&between));
            out.push('}');
        }
    }
}

fn quote(out: &mut String, text: &str) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

/// The blanks before something that is the first of its line.
fn own_indent(text: &str, at: usize) -> Option<String> {
    let line = text.get(..at)?.rsplit('\n').next()?;
    let is_first = line.chars().all(|at| at == ' ' || at == '\t');
    (is_first && line.len() < at).then(|| line.to_owned())
}

/// The blanks at the beginning of the line of this place.
fn line_indent(text: &str, at: usize) -> &str {
    let start = text.get(..at).and_then(|before| before.rfind('\n'));
    let line = text.get(start.map_or(0, |start| start + 1)..).unwrap_or("");
    let rest = line.trim_start_matches([' ', '\t']);
    line.get(..line.len() - rest.len()).unwrap_or("")
}

fn is_spaced(text: &str) -> bool {
    text.contains("\": ") || text.contains(", ")
}

fn slice(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or("")
}
