//! The project's files, and Taffrail's own documentation.

use super::{ANSWER_LIMIT, Effect, Tool, Which};
use crate::schema::{Field, Kind, free, words};

const PATH: Kind = words(4_096);
const GLOB: Kind = words(1_024);

const COUNT: Kind = Kind::Integer {
    min: 0,
    max: u64::MAX,
};

pub(super) static READ: Tool = Tool {
    which: Which::ReadFile,
    name: "read_file",
    title: "Read a file",
    about: "Read lines of one text file of the project. Paths are relative to the project's root; what lies outside, \
            holds credentials or is managed state is refused. Secrets are masked.",
    input: &[
        Field::must("path", PATH, "The file, relative to the project's root."),
        Field::may(
            "line",
            Kind::Integer {
                min: 1,
                max: u64::MAX,
            },
            "The first line, from 1.",
        ),
        Field::may(
            "limit",
            Kind::Integer { min: 1, max: 2_000 },
            "How many lines at most; 2,000 without it.",
        ),
    ],
    output: &[
        Field::must("path", free(), "The file."),
        Field::must("content", free(), "The lines."),
        Field::must("line", COUNT, "The first line that is given, from 1."),
        Field::must("lines", COUNT, "How many are given."),
        Field::must("total_lines", COUNT, "How many the file has."),
        Field::must(
            "truncated",
            Kind::Flag,
            "Whether there is more of the file.",
        ),
    ],
    effect: Effect::Reads,
    answer_limit: ANSWER_LIMIT,
};

pub(super) static LIST: Tool = Tool {
    which: Which::ListFiles,
    name: "list_files",
    title: "List files",
    about: "List files of the project, without what its ignore files leave out. Narrow it by folder or glob; in a large \
            project a whole listing takes seconds.",
    input: &[
        Field::may(
            "path",
            PATH,
            "A folder, relative to the project's root; the root without it.",
        ),
        Field::may("glob", GLOB, "A glob that the path must fit: src/**/*.rs"),
        Field::may(
            "limit",
            Kind::Integer { min: 1, max: 1_000 },
            "How many at most; 200 without it.",
        ),
    ],
    output: &[
        Field::must(
            "files",
            Kind::List {
                max: usize::MAX,
                of: &free(),
            },
            "Paths relative to the project's root, sorted.",
        ),
        Field::must("truncated", Kind::Flag, "Whether there were more."),
    ],
    effect: Effect::Reads,
    answer_limit: ANSWER_LIMIT,
};

pub(super) static SEARCH: Tool = Tool {
    which: Which::SearchText,
    name: "search_text",
    title: "Search in files",
    about: "Find lines of the project's text files that hold a text, or fit a regular expression. Narrow it by folder or \
            glob; in a large project a search takes seconds. Secrets are masked.",
    input: &[
        Field::must(
            "query",
            Kind::Text {
                min: 1,
                max: 1_000,
                form: crate::schema::Form::Any,
            },
            "What to find: a text, or a regular expression where regex is true.",
        ),
        Field::may(
            "regex",
            Kind::Flag,
            "Whether query is a regular expression.",
        ),
        Field::may(
            "case_sensitive",
            Kind::Flag,
            "Whether capitals count; they do not without it.",
        ),
        Field::may(
            "path",
            PATH,
            "A folder or file, relative to the project's root.",
        ),
        Field::may("glob", GLOB, "A glob that the path must fit."),
        Field::may(
            "limit",
            Kind::Integer { min: 1, max: 500 },
            "How many lines at most; 100 without it.",
        ),
    ],
    output: &[
        Field::must(
            "matches",
            Kind::List {
                max: usize::MAX,
                of: &Kind::Object(&[
                    Field::must("path", free(), "The file."),
                    Field::must("line", COUNT, "The line, from 1."),
                    Field::must("text", free(), "The line's text, at most 500 characters."),
                ]),
            },
            "By path and number.",
        ),
        Field::must("files", COUNT, "Files that were looked at."),
        Field::must("truncated", Kind::Flag, "Whether there were more."),
    ],
    effect: Effect::Reads,
    answer_limit: ANSWER_LIMIT,
};

pub(super) static DOCS: Tool = Tool {
    which: Which::TaffrailDocs,
    name: "taffrail_docs",
    title: "Read Taffrail's documentation",
    about: "Read how Taffrail works: without arguments the list of pages, with page one of them, with query the \
            paragraphs that hold the words.",
    input: &[
        Field::may("page", words(100), "A page by its name."),
        Field::may("query", words(400), "Words to look for in all pages."),
    ],
    output: &[
        Field::may(
            "pages",
            Kind::List {
                max: usize::MAX,
                of: &Kind::Object(&[
                    Field::must("name", free(), "Its name."),
                    Field::must("title", free(), "What it is about."),
                ]),
            },
            "The pages there are.",
        ),
        Field::may("content", free(), "The page that was asked for."),
        Field::may(
            "found",
            Kind::List {
                max: usize::MAX,
                of: &Kind::Object(&[
                    Field::must("page", free(), "The page."),
                    Field::must("heading", free(), "The heading that it stands under."),
                    Field::must("text", free(), "The paragraph."),
                ]),
            },
            "Paragraphs that hold the words.",
        ),
    ],
    effect: Effect::Reads,
    answer_limit: ANSWER_LIMIT,
};
