//! `search_text`: lines of the project's files that hold something.
//!
//! What is compared in the end is the text without what looks secret, so that nobody learns a secret by guessing at it.

use std::ops::ControlFlow;

use regex::{Regex, RegexBuilder};
use taffrail_confine::fs::EntryKind;
use taffrail_domain::RepoPath;

use crate::masked::{cut, masked};
use crate::project_files::{Barred, Folder, Watch, exact, number};
use crate::read_file::{LARGEST_ANSWER, text_at};
use crate::rules::Glob;
use crate::walk::{Found, Patience, Walk};
use crate::{ProjectFiles, ToolError};

/// Lines in an answer.
const MOST: u64 = 500;
/// Characters of what is looked for.
const LONGEST_QUERY: usize = 1_000;
/// Characters of a line.
const LONGEST_LINE: usize = 500;
/// Characters before a match that are shown of a line that is longer.
const BEFORE: usize = 100;
/// Bytes of a file that is looked at.
const LARGEST: u64 = 8 << 20;
/// Bytes of a compiled expression, and of the states that it may keep while it runs.
const LARGEST_REGEX: usize = 1 << 20;

/// Bytes of a line that an expression is tried on: trying can cost up to the product of both lengths. Measured: 3 to 25 ms for
/// so many, with expressions of a thousand states.
const LONGEST_TRIED: usize = 64 << 10;
/// Bytes after which it is asked whether there is still time.
const ASK_AFTER: usize = 64 << 10;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText {
    /// What is looked for: a text, or a regular expression where `regex` is true; 1 to 1,000 characters, one line. Of a line
    /// that is longer than 64 KiB an expression is tried on the first 64 KiB.
    pub query: String,
    /// Whether `query` is a regular expression.
    pub regex: bool,
    /// Whether capitals count.
    pub case_sensitive: bool,
    /// A folder or file, relative to the project's root; the root without it.
    pub path: Option<String>,
    /// A glob that the path must fit, at most 1,000 characters.
    pub glob: Option<String>,
    /// How many lines at most, 1 to 500.
    pub limit: u64,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFound {
    /// The lines that fit, by path and number.
    pub matches: Vec<Match>,
    /// Text files that were looked at.
    pub files: u64,
    /// Whether there were more.
    pub truncated: bool,
}

/// A line that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// The text of the line, at most 500 characters, without what looked secret.
    pub text: String,
}

pub(crate) fn search_text(
    files: &ProjectFiles,
    ask: &SearchText,
    watch: &dyn Watch,
) -> Result<TextFound, ToolError> {
    let limit = number("limit", ask.limit, MOST)?;
    let glob = Glob::new(ask.glob.as_deref())?;
    let pattern = pattern(ask)?;
    let path = ask.path.as_deref().map(|path| files.asked(path));
    let path = path.transpose()?.flatten();
    let barred = files.barred();
    let patience = Patience::new(watch);
    let mut search = Search {
        files,
        patience,
        pattern,
        longest: if ask.regex { LONGEST_TRIED } else { usize::MAX },
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        bytes: 0,
        found: TextFound {
            matches: Vec::new(),
            files: 0,
            truncated: false,
        },
    };
    let truncated = match place(files, path.as_ref(), &barred)? {
        Place::Folder(from) => Walk::new(files, &barred, patience).run(&from, &mut |file| {
            if !glob.fits(file.path) {
                return Ok(ControlFlow::Continue(()));
            }
            // A file that is no text, too large or gone is passed over.
            match search.text_in(file, &barred) {
                Some(text) => search.look(file.path, &text),
                None => Ok(ControlFlow::Continue(())),
            }
        })?,
        Place::File(path, text) => {
            search.found.files += 1;
            search.look(&path, &text)?.is_break()
        }
    };
    search.found.truncated = truncated;
    Ok(search.found)
}

/// The expression that a line must fit.
fn pattern(ask: &SearchText) -> Result<Regex, ToolError> {
    let bad = |why: String| ToolError::Argument { name: "query", why };
    let count = ask.query.chars().count();
    if !(1..=LONGEST_QUERY).contains(&count) {
        return Err(bad(format!("1 to {LONGEST_QUERY} characters, not {count}")));
    }
    if ask.query.contains('\n') {
        return Err(bad("one line: files are searched line by line".to_owned()));
    }
    let source = if ask.regex {
        ask.query.clone()
    } else {
        regex::escape(&ask.query)
    };
    RegexBuilder::new(&source)
        .case_insensitive(!ask.case_sensitive)
        .size_limit(LARGEST_REGEX)
        .dfa_size_limit(LARGEST_REGEX)
        .build()
        .map_err(|error| bad(format!("no regular expression: {error}")))
}

/// Where is searched.
enum Place {
    Folder(Folder),
    /// One file, which was asked for by name: what is wrong with it is said.
    File(RepoPath, String),
}

fn place(
    files: &ProjectFiles,
    path: Option<&RepoPath>,
    barred: &Barred,
) -> Result<Place, ToolError> {
    let Some(path) = path else {
        return Ok(Place::Folder(files.folder(None, barred)?));
    };
    let above = files.folder_of(path, barred)?;
    let text = path.to_text();
    let name = RepoPath::new(path.name()).map_err(|_| ToolError::unfit(&text, "does not exist"))?;
    if matches!(above.root.stat(&name), Ok((EntryKind::Dir, _))) {
        return Ok(Place::Folder(files.folder(Some(path), barred)?));
    }
    let content = text_at(&above.root, &name, &text, barred, LARGEST)?;
    exact(&above.root, &name).map_err(|error| ToolError::from_fs(&text, error))?;
    Ok(Place::File(path.clone(), content))
}

/// A search under way.
struct Search<'a> {
    files: &'a ProjectFiles,
    patience: Patience<'a>,
    pattern: Regex,
    /// Bytes of a line that the pattern is tried on.
    longest: usize,
    limit: usize,
    /// Bytes of the answer so far.
    bytes: usize,
    found: TextFound,
}

impl Search<'_> {
    fn text_in(&mut self, file: &Found<'_>, barred: &Barred) -> Option<String> {
        if file.len > LARGEST {
            return None;
        }
        let text = text_at(file.folder, file.name, "", barred, LARGEST).ok()?;
        self.found.files += 1;
        Some(text)
    }

    /// Takes the lines of one file that fit, until there is enough or the time is over.
    fn look(&mut self, path: &RepoPath, text: &str) -> Result<ControlFlow<()>, ToolError> {
        // Most files hold nothing of it, and are not searched for secrets.
        let Some(first) = self.next(text.lines().enumerate())? else {
            return Ok(ControlFlow::Continue(()));
        };
        let Fit::Line(first, ..) = first else {
            return Ok(ControlFlow::Break(()));
        };
        let clean = masked(&self.files.redactor, text);
        let path = self.files.redactor.clean(&path.to_text()).into_string();
        let mut lines = clean.lines().enumerate();
        // What is masked fits nothing that the text itself did not: the lines before are done with.
        lines.by_ref().take(first).for_each(drop);
        while let Some(fit) = self.next(lines.by_ref())? {
            let Fit::Line(number, line, at) = fit else {
                return Ok(ControlFlow::Break(()));
            };
            let text = excerpt(line, at);
            self.bytes += path.len() + text.len();
            if self.found.matches.len() == self.limit || self.bytes > LARGEST_ANSWER {
                return Ok(ControlFlow::Break(()));
            }
            self.found.matches.push(Match {
                path: path.clone(),
                line: number as u64 + 1,
                text,
            });
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The next line that fits.
    fn next<'t>(
        &self,
        lines: impl Iterator<Item = (usize, &'t str)>,
    ) -> Result<Option<Fit<'t>>, ToolError> {
        let mut tried = 0;
        for (number, line) in lines {
            tried += line.len();
            if tried > ASK_AFTER {
                tried = 0;
                if self.patience.is_over()? {
                    return Ok(Some(Fit::Over));
                }
            }
            if let Some(found) = self.pattern.find(cut(line, self.longest)) {
                return Ok(Some(Fit::Line(number, line, found.start())));
            }
        }
        Ok(None)
    }
}

/// What comes of looking for the next line.
enum Fit<'t> {
    /// A line by its number from 0, and where in it the pattern fits.
    Line(usize, &'t str, usize),
    /// The time is over.
    Over,
}

/// A line, or so much of it around what was found that it is no longer than an answer's line may be.
fn excerpt(line: &str, found: usize) -> String {
    let whole = line.char_indices().nth(LONGEST_LINE).is_none();
    if whole {
        return line.to_owned();
    }
    let before = line.get(..found).unwrap_or_default();
    let skipped = before.chars().count().saturating_sub(BEFORE);
    if skipped == 0 {
        let start: String = line.chars().take(LONGEST_LINE - 1).collect();
        return format!("{start}…");
    }
    let rest = line.chars().skip(skipped);
    let middle: String = rest.clone().take(LONGEST_LINE - 2).collect();
    let more = rest.clone().nth(LONGEST_LINE - 2).is_some();
    format!("…{middle}{}", if more { "…" } else { "" })
}
