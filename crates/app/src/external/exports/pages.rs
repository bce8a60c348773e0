//! Rows of a run one by one, read in pages: an agent may have left more than fits in memory (FA-27).

use taffrail_domain::RunId;
use taffrail_store::{
    ActionDecisionRow, AgentRequestRow, MessageRow, QuestionRow, Store, StoreError, ToolCallRow,
};

/// Rows of a page whose rows may have megabytes.
const FEW: u32 = 4;
/// Rows of a page whose rows have up to 200 KiB.
const SOME: u32 = 32;
/// Rows of a page whose rows have a few KiB.
const MANY: u32 = 500;

/// Rows one by one; after an error there are none.
pub(in crate::external) struct Pages<T, F> {
    fetch: F,
    page: std::vec::IntoIter<T>,
    over: bool,
}

impl<T, F: FnMut() -> Result<Vec<T>, StoreError>> Pages<T, F> {
    fn new(fetch: F) -> Self {
        Self {
            fetch,
            page: Vec::new().into_iter(),
            over: false,
        }
    }
}

impl<T, F: FnMut() -> Result<Vec<T>, StoreError>> Iterator for Pages<T, F> {
    type Item = Result<T, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(row) = self.page.next() {
            return Some(Ok(row));
        }
        if self.over {
            return None;
        }
        match (self.fetch)() {
            Ok(page) => {
                self.over = page.is_empty();
                self.page = page.into_iter();
                self.page.next().map(Ok)
            }
            Err(error) => {
                self.over = true;
                Some(Err(error))
            }
        }
    }
}

pub(in crate::external) fn messages(
    store: &Store,
    run: RunId,
) -> impl Iterator<Item = Result<MessageRow, StoreError>> {
    let mut next = 0;
    Pages::new(move || {
        let page = store.messages(&run, next, FEW)?;
        next = page.last().map_or(next, |row| row.position + 1);
        Ok(page)
    })
}

pub(in crate::external) fn tool_calls(
    store: &Store,
    run: RunId,
) -> impl Iterator<Item = Result<ToolCallRow, StoreError>> {
    let mut next = 0;
    Pages::new(move || {
        let page = store.tool_calls(&run, next, SOME)?;
        next = page.last().map_or(next, |row| row.position + 1);
        Ok(page)
    })
}

pub(in crate::external) fn decisions(
    store: &Store,
    run: RunId,
) -> impl Iterator<Item = Result<ActionDecisionRow, StoreError>> {
    let mut after = 0;
    Pages::new(move || {
        let page = store.action_decisions(&run, after, SOME)?;
        after = page.last().map_or(after, |row| row.seq);
        Ok(page)
    })
}

pub(in crate::external) fn questions(
    store: &Store,
    run: RunId,
) -> impl Iterator<Item = Result<QuestionRow, StoreError>> {
    let mut after = 0;
    Pages::new(move || {
        let page = store.questions(&run, after, FEW)?;
        after = page.last().map_or(after, |row| row.seq);
        Ok(page)
    })
}

pub(in crate::external) fn requests(
    store: &Store,
    run: RunId,
) -> impl Iterator<Item = Result<AgentRequestRow, StoreError>> {
    let mut next = 0;
    Pages::new(move || {
        let page = store.agent_requests(&run, next, MANY)?;
        next = page.last().map_or(next, |row| row.position + 1);
        Ok(page)
    })
}
