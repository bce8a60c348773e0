//! What a configuration says, apart from how it is written: so that an edit can be held against what it was to change.

/// A value. Maps keep their order and their repeats, numbers and dates their spelling.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    /// `null`.
    Null,
    /// `true`, `false`.
    Flag(bool),
    /// Numbers and dates, as written.
    Plain(String),
    /// Text.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// An object or a table.
    Map(Vec<(String, Node)>),
}

/// Where a piece of ours stands, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// The keys of the maps, from the root; of an element the last one names the list.
    pub path: Vec<String>,
    /// The key in the innermost map; none for an element of a list.
    pub key: Option<String>,
    /// What it says.
    pub value: Node,
}

impl Node {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(items.into_iter().collect())
    }

    pub(super) fn map<const N: usize>(entries: [(&str, Self); N]) -> Self {
        let entries = entries.into_iter();
        Self::Map(
            entries
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        )
    }

    /// The value under a key; of repeats the last, as every reader takes it.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries
                .iter()
                .rev()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            Self::Null | Self::Flag(_) | Self::Plain(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    fn entry(&mut self, key: &str, empty: Self) -> Option<&mut Self> {
        let Self::Map(entries) = self else {
            return None;
        };
        if !entries.iter().any(|(name, _)| name == key) {
            entries.push((key.to_owned(), empty));
        }
        let found = entries.iter_mut().rev().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    /// The same, whatever the order of the keys.
    pub(super) fn sorted(mut self) -> Self {
        self.sort();
        self
    }

    fn sort(&mut self) {
        match self {
            Self::Map(entries) => {
                entries.iter_mut().for_each(|(_, value)| value.sort());
                entries.sort();
            }
            Self::List(items) => items.iter_mut().for_each(Self::sort),
            Self::Null | Self::Flag(_) | Self::Plain(_) | Self::Text(_) => (),
        }
    }

    /// Whether both say the same, whatever the order of the keys.
    pub(super) fn says(&self, other: &Self) -> bool {
        self.clone().sorted() == other.clone().sorted()
    }

    /// This document with a piece put at the end of its place, the maps on the way made; none where the place is taken
    /// by something else.
    pub(super) fn with(mut self, piece: &Piece) -> Option<Self> {
        let mut at = &mut self;
        for (depth, key) in piece.path.iter().enumerate() {
            let is_list = piece.key.is_none() && depth + 1 == piece.path.len();
            let empty = match is_list {
                true => Self::List(Vec::new()),
                false => Self::Map(Vec::new()),
            };
            at = at.entry(key, empty)?;
        }
        match (at, &piece.key) {
            (Self::Map(entries), Some(key)) => {
                if entries.iter().any(|(name, _)| name == key) {
                    return None;
                }
                entries.push((key.clone(), piece.value.clone()));
            }
            (Self::List(items), None) => items.push(piece.value.clone()),
            _ => return None,
        }
        Some(self)
    }

    /// This document without the piece, whatever it says by now where it has a key, and without the innermost `made`
    /// maps and lists on its way where they are empty then; none where it is not there.
    pub(super) fn without(mut self, piece: &Piece, made: usize) -> Option<Self> {
        let mut at = &mut self;
        for key in &piece.path {
            let Self::Map(entries) = at else { return None };
            at = entries
                .iter_mut()
                .rev()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value)?;
        }
        match (at, &piece.key) {
            (Self::Map(entries), Some(key)) => {
                let place = entries.iter().rposition(|(name, _)| name == key)?;
                entries.remove(place);
            }
            (Self::List(items), None) => {
                let place = items.iter().rposition(|item| item.says(&piece.value))?;
                items.remove(place);
            }
            _ => return None,
        }
        let keep = piece.path.len().saturating_sub(made);
        self.prune(&piece.path, keep);
        Some(self)
    }

    /// Takes away what is empty along the path, the innermost first, but for its first `keep`.
    fn prune(&mut self, path: &[String], keep: usize) {
        let Some((key, rest)) = path.split_first() else {
            return;
        };
        let Self::Map(entries) = self else { return };
        let Some(place) = entries.iter().rposition(|(name, _)| name == key) else {
            return;
        };
        let Some((_, value)) = entries.get_mut(place) else {
            return;
        };
        value.prune(rest, keep.saturating_sub(1));
        if keep == 0 && value.is_empty() {
            entries.remove(place);
        }
    }

    /// Whether it is a map or a list that holds nothing.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Map(entries) => entries.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Null | Self::Flag(_) | Self::Plain(_) | Self::Text(_) => false,
        }
    }

    /// What stands at a piece's place.
    pub(super) fn at(&self, piece: &Piece) -> Option<&Self> {
        let mut at = self;
        for key in &piece.path {
            at = at.get(key)?;
        }
        match (&piece.key, at) {
            (Some(key), at) => at.get(key),
            (None, Self::List(items)) => items.iter().rev().find(|item| item.says(&piece.value)),
            (None, _) => None,
        }
    }
}
