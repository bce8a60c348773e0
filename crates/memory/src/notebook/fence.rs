//! Which lines of a document lie in a fenced code block.
//!
//! A fence that nobody closes hides nothing here, although CommonMark lets it run to the end: one stray line of backticks must
//! not put the archive into a prompt, nor make the log unfindable.

/// What opens a block: the character and how many of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    mark: u8,
    length: usize,
}

impl Fence {
    /// The line that closes it.
    pub(crate) fn closing(self) -> String {
        char::from(self.mark).to_string().repeat(self.length)
    }

    /// The fence that a line opens, indented by three spaces at most.
    fn opened_by(line: &str) -> Option<Self> {
        let (fence, rest) = Self::begin(line)?;
        let spoils = fence.mark == b'`' && rest.contains('`');
        (!spoils).then_some(fence)
    }

    fn closed_by(self, line: &str) -> bool {
        Self::begin(line).is_some_and(|(other, rest)| {
            other.mark == self.mark && other.length >= self.length && rest.trim().is_empty()
        })
    }

    fn begin(line: &str) -> Option<(Self, &str)> {
        let text = line.trim_start_matches(' ');
        let mark = *text.as_bytes().first()?;
        if line.len() - text.len() > 3 || !matches!(mark, b'`' | b'~') {
            return None;
        }
        let rest = text.trim_start_matches(char::from(mark));
        let length = text.len() - rest.len();
        (length >= 3).then_some((Self { mark, length }, rest))
    }
}

/// For every line the fence that is still open behind it. The line that closes a block counts as inside: see `inside`.
pub(crate) fn open_after(lines: &[&str]) -> Vec<Option<Fence>> {
    let longest = longest_closers(lines);
    let mut open: Option<Fence> = None;
    let mut states = Vec::with_capacity(lines.len());
    for (line, closers) in lines.iter().zip(longest.iter().skip(1)) {
        open = match open {
            Some(fence) if fence.closed_by(line) => None,
            Some(fence) => Some(fence),
            None => Fence::opened_by(line).filter(|fence| closers.reach(*fence)),
        };
        states.push(open);
    }
    states
}

/// For every line whether it belongs to a block: its opening line, what is between, its closing line.
pub(crate) fn inside(lines: &[&str]) -> Vec<bool> {
    let after = open_after(lines);
    let before = std::iter::once(None).chain(after.iter().copied());
    before
        .zip(&after)
        .map(|(before, after)| before.is_some() || after.is_some())
        .collect()
}

/// The longest line that could close a fence, by its character, from some line to the end.
#[derive(Debug, Clone, Copy, Default)]
struct Closers {
    backticks: usize,
    tildes: usize,
}

impl Closers {
    fn reach(self, fence: Fence) -> bool {
        let longest = if fence.mark == b'`' {
            self.backticks
        } else {
            self.tildes
        };
        longest >= fence.length
    }

    fn with(mut self, line: &str) -> Self {
        if let Some((fence, rest)) = Fence::begin(line)
            && rest.trim().is_empty()
        {
            let longest = if fence.mark == b'`' {
                &mut self.backticks
            } else {
                &mut self.tildes
            };
            *longest = (*longest).max(fence.length);
        }
        self
    }
}

/// One more than there are lines: the first is for the whole document, the last for nothing.
fn longest_closers(lines: &[&str]) -> Vec<Closers> {
    let mut closers = vec![Closers::default()];
    for line in lines.iter().rev() {
        let next = closers.last().copied().unwrap_or_default().with(line);
        closers.push(next);
    }
    closers.reverse();
    closers
}
