//! A row as the scorer reads it: lengths, then hashes of terms with how often each stands in each column.

use std::collections::BTreeMap;

use crate::token;

/// Bytes of the four lengths.
const HEAD: usize = 8;
/// Bytes of a term: its hash, then three bits of counts for the summary, five for the content, four for each context.
const ENTRY: usize = 6;

/// A value for each column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Columns<T> {
    /// The one sentence.
    pub summary: T,
    /// The whole text.
    pub content: T,
    /// The sentences right before and after.
    pub near: T,
    /// The sentences second and third from it.
    pub far: T,
}

impl<T> Columns<T> {
    /// Column by column.
    pub fn zip<U, V>(self, other: Columns<U>, both: impl Fn(T, U) -> V) -> Columns<V> {
        Columns {
            summary: both(self.summary, other.summary),
            content: both(self.content, other.content),
            near: both(self.near, other.near),
            far: both(self.far, other.far),
        }
    }
}

/// A document that can be kept: its different terms for the postings, its packed form for the scorer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// The different terms, sorted.
    pub terms: Vec<String>,
    /// The packed form; read through [`Packed`].
    pub packed: Vec<u8>,
    /// Terms in each column.
    pub lengths: Columns<u16>,
}

/// The 32-bit hash of a term: FNV-1a with the finish of MurmurHash3. Kept in rows, so it never changes. Two of a
/// million terms meet by chance in one of 5,000 lookups, which then scores one word too many.
pub fn hash(term: &str) -> u32 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in term.bytes() {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    state = (state ^ (state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (state >> 32) as u32
}

/// Tokenises the columns of a row. `before` and `after` are in reading order; of each the three nearest count.
pub fn pack(summary: &str, content: &str, before: &[String], after: &[String]) -> Document {
    let mut counts: BTreeMap<String, Columns<u16>> = BTreeMap::new();
    let mut lengths = Columns::default();
    add(summary, &mut counts, &mut lengths, |columns| {
        &mut columns.summary
    });
    add(content, &mut counts, &mut lengths, |columns| {
        &mut columns.content
    });
    let sides = before
        .iter()
        .rev()
        .take(3)
        .enumerate()
        .chain(after.iter().take(3).enumerate());
    for (distance, sentence) in sides {
        if distance == 0 {
            add(sentence, &mut counts, &mut lengths, |columns| {
                &mut columns.near
            });
        } else {
            add(sentence, &mut counts, &mut lengths, |columns| {
                &mut columns.far
            });
        }
    }
    let mut entries: Vec<(u32, Columns<u16>)> = counts
        .iter()
        .map(|(term, columns)| (hash(term), *columns))
        .collect();
    entries.sort_unstable_by_key(|(hash, _)| *hash);
    Document {
        packed: bytes(lengths, &entries),
        terms: counts.into_keys().collect(),
        lengths,
    }
}

fn add(
    text: &str,
    counts: &mut BTreeMap<String, Columns<u16>>,
    lengths: &mut Columns<u16>,
    column: impl Fn(&mut Columns<u16>) -> &mut u16,
) {
    token::each_term(text, |term| {
        let length = column(lengths);
        *length = length.saturating_add(1);
        match counts.get_mut(term) {
            Some(columns) => {
                let count = column(columns);
                *count = count.saturating_add(1);
            }
            None => {
                let mut columns = Columns::default();
                *column(&mut columns) = 1;
                counts.insert(term.to_owned(), columns);
            }
        }
    });
}

fn bytes(lengths: Columns<u16>, entries: &[(u32, Columns<u16>)]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(HEAD + entries.len() * ENTRY);
    for length in [lengths.summary, lengths.content, lengths.near, lengths.far] {
        packed.extend_from_slice(&length.to_le_bytes());
    }
    for (hash, counts) in entries {
        let bits = counts.summary.min(7)
            | counts.content.min(31) << 3
            | counts.near.min(15) << 8
            | counts.far.min(15) << 12;
        packed.extend_from_slice(&hash.to_le_bytes());
        packed.extend_from_slice(&bits.to_le_bytes());
    }
    packed
}

/// The packed form of a document. A damaged one reads as fewer terms, never as an error.
#[derive(Debug, Clone, Copy)]
pub struct Packed<'a>(pub &'a [u8]);

impl<'a> Packed<'a> {
    /// Terms in each column.
    pub fn lengths(self) -> Columns<u16> {
        match self.0 {
            [a, b, c, d, e, f, g, h, ..] => Columns {
                summary: u16::from_le_bytes([*a, *b]),
                content: u16::from_le_bytes([*c, *d]),
                near: u16::from_le_bytes([*e, *f]),
                far: u16::from_le_bytes([*g, *h]),
            },
            _ => Columns::default(),
        }
    }

    /// Hashes in rising order, with the counts by column.
    pub fn terms(self) -> impl Iterator<Item = (u32, Columns<u8>)> + 'a {
        let (entries, _) = self.0.get(HEAD..).unwrap_or_default().as_chunks::<ENTRY>();
        entries.iter().map(|&[a, b, c, d, low, high]| {
            let counts = Columns {
                summary: low & 7,
                content: low >> 3,
                near: high & 15,
                far: high >> 4,
            };
            (u32::from_le_bytes([a, b, c, d]), counts)
        })
    }
}
