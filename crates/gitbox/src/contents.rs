//! The old content of changed files, from the operator's repository, through one `git cat-file --batch`.

use std::path::Path;

use taffrail_confine::tool::ToolSession;
use taffrail_domain::Oid;

use crate::error::GitError;
use crate::project::Project;
use crate::runner::{Git, tool_error};

/// Content of one side up to this size is compared line by line; more is treated as binary. Such a file of empty
/// lines needs about 80 MiB to be compared.
pub(crate) const LARGEST_TEXT: u64 = 8 * 1024 * 1024;
/// Bytes of a header line: id, type and size.
const HEADER: usize = 256;
/// Bytes taken at a time of content that is not kept.
const STEP: u64 = 1024 * 1024;

/// What is known of a blob's content.
#[derive(Debug)]
pub(crate) enum Content {
    /// All of it.
    Bytes(Vec<u8>),
    /// More than is compared line by line.
    Large,
}

/// Reads blobs; git is started with the first one.
pub(crate) struct Contents<'a> {
    git: &'a Git,
    project: &'a Project,
    kept: Option<&'a Path>,
    session: Option<ToolSession>,
}

impl<'a> Contents<'a> {
    /// Blobs of the project, and of the object folder in `kept`.
    pub(crate) fn new(git: &'a Git, project: &'a Project, kept: Option<&'a Path>) -> Self {
        Self {
            git,
            project,
            kept,
            session: None,
        }
    }

    /// The content of one blob.
    pub(crate) fn read(&mut self, oid: &Oid) -> Result<Content, GitError> {
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(start(self.git, self.project, self.kept)?),
        };
        let error = |source| tool_error("cat-file", source);
        session
            .write_all(format!("{oid}\n").as_bytes())
            .map_err(error)?;
        let header = session.read_until(b'\n', HEADER).map_err(error)?;
        let size = blob_size(&header).ok_or_else(|| GitError::MissingObject {
            oid: oid.to_string(),
        })?;
        let content = if size > LARGEST_TEXT {
            skip(session, size)?;
            Content::Large
        } else {
            let size = usize::try_from(size).unwrap_or_default();
            Content::Bytes(session.read_exact(size).map_err(error)?)
        };
        session.read_exact(1).map_err(error)?;
        Ok(content)
    }
}

fn start(git: &Git, project: &Project, kept: Option<&Path>) -> Result<ToolSession, GitError> {
    let call = git
        .call(["cat-file", "--batch"], &project.common_dir)
        .repository(&project.common_dir)
        .long();
    match kept {
        Some(kept) => call.also_objects(&kept.join("objects")).session(),
        None => call.session(),
    }
}

fn skip(session: &mut ToolSession, size: u64) -> Result<(), GitError> {
    let mut left = size;
    while left > 0 {
        let step = left.min(STEP);
        session
            .read_exact(usize::try_from(step).unwrap_or_default())
            .map_err(|source| tool_error("cat-file", source))?;
        left -= step;
    }
    Ok(())
}

/// The size in `<id> blob <size>`; none of what is missing or no blob.
fn blob_size(header: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(header).ok()?;
    let mut words = text.trim_end().split(' ').skip(1);
    match words.next() {
        Some("blob") => words.next()?.parse().ok(),
        _ => None,
    }
}
