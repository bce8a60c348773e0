//! Walks a parsed document: knows which keys there are, what each must be, and where the first mistake stands.
//!
//! A value that does not fit is noted and its default taken, so that the first mistake by line is the one reported,
//! whatever the order of reading.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::DeTable;

use crate::error::{ConfigError, Place, Problem};
use crate::message::{clip, found, problem, unknown};
use crate::setting::{Setting, Unfit, bare_or_quoted};
use crate::value::{Origin, Value};

/// A configuration is a page, not a database: 1 MiB.
const MOST_BYTES: usize = 1 << 20;

/// Reads variables by name.
pub(crate) type Env<'a> = &'a dyn Fn(&str) -> Option<String>;
/// A function of [`crate::checks`].
pub(crate) type Check<T> = fn(&T) -> Result<(), String>;

/// One key of a section.
pub(crate) struct Key {
    pub section: &'static str,
    pub name: &'static str,
    pub env: Option<&'static str>,
}

/// A table and the name it has in the file.
#[derive(Clone)]
pub(crate) struct View<'a> {
    pub path: String,
    pub table: &'a DeTable<'a>,
    /// Where the table's own key stands.
    pub span: Range<usize>,
}

impl<'a> View<'a> {
    /// The document itself.
    pub fn root(table: &'a DeTable<'a>) -> Self {
        Self {
            path: String::new(),
            table,
            span: 0..0,
        }
    }

    /// The name of a key of this table, with the table's own.
    pub fn key(&self, name: &str) -> String {
        let name = clip(&bare_or_quoted(name));
        if self.path.is_empty() {
            name
        } else {
            format!("{}.{name}", self.path)
        }
    }
}

/// Parses the text.
pub(crate) fn parse<'a>(path: &Path, text: &'a str) -> Result<Spanned<DeTable<'a>>, ConfigError> {
    let at = |offset, message: String| ConfigError {
        place: place(path, text, offset),
        key: String::new(),
        problem: Problem::Syntax { message },
    };
    if text.len() > MOST_BYTES {
        let message = format!("{} bytes, the limit is {MOST_BYTES}", text.len());
        return Err(at(0, message));
    }
    DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        at(offset, error.message().replace('\n', ", "))
    })
}

/// Where in the file the byte at `offset` stands.
fn place(path: &Path, text: &str, offset: usize) -> Place {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = text.get(..end).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Place::File {
        path: path.to_owned(),
        line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
        column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
    }
}

/// What values are read from, and the first mistake found so far.
pub(crate) struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    /// Where its lines end: each value is asked for its line, and a file may have thousands.
    line_ends: Vec<usize>,
    env: Option<Env<'a>>,
    built_in: bool,
    first: RefCell<Option<(usize, ConfigError)>>,
}

impl<'a> Reader<'a> {
    /// The user's file and environment.
    pub fn of_user(path: &'a Path, text: &'a str, env: Env<'a>) -> Self {
        Self {
            env: Some(env),
            ..Self::of_file(path, text)
        }
    }

    /// A file alone.
    pub fn of_file(path: &'a Path, text: &'a str) -> Self {
        Self {
            path,
            text,
            line_ends: text.match_indices('\n').map(|(at, _)| at).collect(),
            env: None,
            built_in: false,
            first: RefCell::default(),
        }
    }

    /// An entry that Taffrail brings along.
    pub fn of_built_in(path: &'a Path, text: &'a str) -> Self {
        Self {
            built_in: true,
            ..Self::of_file(path, text)
        }
    }

    /// The first mistake by line, where there is one.
    pub fn finish(self) -> Result<(), ConfigError> {
        let first = self.first.into_inner();
        first.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Keeps a mistake where none stands before it; only such a one is told, and made.
    fn keep(&self, at: usize, error: impl FnOnce() -> ConfigError) {
        let mut first = self.first.borrow_mut();
        if first.as_ref().is_none_or(|(before, _)| at < *before) {
            *first = Some((at, error()));
        }
    }

    /// Notes a mistake at a place in the file.
    pub fn note(&self, span: &Range<usize>, key: String, problem: Problem) {
        self.keep(span.start, || ConfigError {
            place: place(self.path, self.text, span.start),
            key,
            problem,
        });
    }

    /// Notes a mistake that another reader found, before all of this one's.
    pub fn adopt(&self, error: ConfigError) {
        self.keep(0, || error);
    }

    /// The origin of what stands at this place.
    pub fn origin(&self, span: &Range<usize>) -> Origin {
        if self.built_in {
            return Origin::BuiltIn;
        }
        let before = self.line_ends.partition_point(|end| *end < span.start);
        Origin::File { line: before + 1 }
    }

    /// A table inside another one, where there is one.
    pub fn table<'t>(&self, parent: &View<'t>, name: &str) -> Option<View<'t>> {
        let (key, value) = parent.table.get_key_value(name)?;
        let path = parent.key(name);
        if let Some(table) = value.get_ref().as_table() {
            return Some(View {
                path,
                table,
                span: key.span(),
            });
        }
        let problem = Problem::WrongType {
            expected: "a section",
            found: found(value.get_ref()),
        };
        self.note(&value.span(), path, problem);
        None
    }

    /// A value by precedence: the variable, the file, the default.
    pub fn value<T: Setting>(
        &self,
        table: Option<&View<'_>>,
        key: &Key,
        default: T,
        check: Check<T>,
    ) -> Value<T> {
        let from_file = table.and_then(|table| self.setting(table, key.name, check));
        let from_env = key.env.and_then(|name| self.variable(name, key, check));
        from_env
            .or(from_file)
            .unwrap_or_else(|| Value::of_default(default))
    }

    /// A value that only the file can hold.
    pub fn setting<T: Setting>(
        &self,
        table: &View<'_>,
        name: &str,
        check: Check<T>,
    ) -> Option<Value<T>> {
        let (key, value) = table.table.get_key_value(name)?;
        let read = T::from_toml(value.get_ref())
            .and_then(|value| check(&value).map_err(Unfit::Value).map(|()| value));
        match read {
            Ok(value) => Some(Value {
                value,
                origin: self.origin(&key.span()),
            }),
            Err(unfit) => {
                let key = table.key(name);
                let found = found(value.get_ref());
                let problem = problem::<T>(unfit, found);
                self.note(&value.span(), key, problem);
                None
            }
        }
    }

    /// An empty variable counts as not set, as shells make it hard to tell the two apart.
    fn variable<T: Setting>(
        &self,
        name: &'static str,
        key: &Key,
        check: Check<T>,
    ) -> Option<Value<T>> {
        let text = self.env?(name).filter(|text| !text.is_empty())?;
        let read = T::from_text(&text)
            .and_then(|value| check(&value).map_err(Unfit::Value).map(|()| value));
        match read {
            Ok(value) => Some(Value {
                value,
                origin: Origin::Environment(name),
            }),
            Err(unfit) => {
                let key = format!("{}.{}", key.section, key.name);
                let found = format!("`{}`", clip(&text.escape_debug().to_string()));
                let problem = problem::<T>(unfit, found);
                let place = Place::Environment(name);
                let error = ConfigError {
                    place,
                    key,
                    problem,
                };
                // After everything in the file.
                self.keep(usize::MAX, || error);
                None
            }
        }
    }

    /// Refuses every section that is neither known nor planned, and every planned one by name.
    pub fn sections(&self, root: &View<'_>, known: &[&str], later: &[&str]) {
        for (key, _) in root.table {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let problem = if later.contains(&name) {
                Problem::NotYet {
                    value: String::new(),
                }
            } else {
                unknown(name, known)
            };
            self.note(&key.span(), root.key(name), problem);
        }
    }

    /// Refuses every key that the section does not have.
    pub fn known_keys(&self, table: Option<&View<'_>>, known: &[&str]) {
        let Some(table) = table else { return };
        for (key, _) in table.table {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                self.note(&key.span(), table.key(name), unknown(name, known));
            }
        }
    }
}
