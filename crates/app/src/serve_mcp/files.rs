//! The tools over the project's files.

use taffrail_mcp::{Failure, Watch, answers, args};
use taffrail_tools::{ListFiles, ProjectFiles, ReadFile, SearchText, ToolError};

/// Lines of a file without a limit of the caller's.
const LINES: u64 = 2_000;
/// Files of a list without one.
const FILES: u64 = 200;
/// Lines found without one.
const MATCHES: u64 = 100;

/// The caller's watch, as the tools know it.
struct Watched<'a>(&'a dyn Watch);

impl taffrail_tools::Watch for Watched<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    fn progress(&self, done: u64, total: Option<u64>) {
        self.0.progress(done, total);
    }
}

#[allow(clippy::needless_pass_by_value)] // the shape of `map_err`
pub(crate) fn refused(error: ToolError) -> Failure {
    Failure {
        code: error.code(),
        message: error.to_string(),
        hint: None,
    }
}

pub(crate) fn read(
    files: &ProjectFiles,
    args: args::ReadFile,
) -> Result<answers::FileText, Failure> {
    let ask = ReadFile {
        path: args.path,
        line: args.line.unwrap_or(1),
        limit: args.limit.unwrap_or(LINES),
    };
    let text = files.read_file(&ask).map_err(refused)?;
    Ok(answers::FileText {
        path: text.path,
        content: text.content,
        line: text.line,
        lines: text.lines,
        total_lines: text.total_lines,
        truncated: text.truncated,
    })
}

pub(crate) fn list(
    files: &ProjectFiles,
    args: args::ListFiles,
    watch: &dyn Watch,
) -> Result<answers::Files, Failure> {
    let ask = ListFiles {
        path: args.path,
        glob: args.glob,
        limit: args.limit.unwrap_or(FILES),
    };
    let found = files.list_files(&ask, &Watched(watch));
    let found = found.map_err(refused)?;
    Ok(answers::Files {
        files: found.files,
        truncated: found.truncated,
    })
}

pub(crate) fn search(
    files: &ProjectFiles,
    args: args::SearchText,
    watch: &dyn Watch,
) -> Result<answers::TextFound, Failure> {
    let ask = SearchText {
        query: args.query,
        regex: args.regex,
        case_sensitive: args.case_sensitive,
        path: args.path,
        glob: args.glob,
        limit: args.limit.unwrap_or(MATCHES),
    };
    let found = files.search_text(&ask, &Watched(watch));
    let found = found.map_err(refused)?;
    let matches = found.matches.into_iter().map(|found| answers::Match {
        path: found.path,
        line: found.line,
        text: found.text,
    });
    Ok(answers::TextFound {
        matches: matches.collect(),
        files: found.files,
        truncated: found.truncated,
    })
}
