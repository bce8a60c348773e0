//! What a closed slate proposes: its seeds by kind, exact repeats once (XSL-09, XSL-10).

use taffrail_domain::SeedKind;
use unicode_normalization::UnicodeNormalization;

use super::Seed;

/// The seeds of one kind, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group<'a> {
    /// The kind; an absent one is a follow-up.
    pub kind: SeedKind,
    /// Its seeds.
    pub seeds: Vec<&'a Seed>,
}

/// Seeds by kind, in the order of the kinds. Of seeds with the same text, after trimming and NFC, the first stands,
/// whatever their kinds.
pub fn groups(seeds: &[Seed]) -> Vec<Group<'_>> {
    let mut seen = std::collections::HashSet::new();
    let kept: Vec<&Seed> = seeds
        .iter()
        .filter(|seed| seen.insert(seed.text().trim().nfc().collect::<String>()))
        .collect();
    let of_kind = |kind: SeedKind| {
        let seeds: Vec<&Seed> = kept
            .iter()
            .filter(|seed| seed.kind.unwrap_or(SeedKind::FollowUp) == kind)
            .copied()
            .collect();
        (!seeds.is_empty()).then_some(Group { kind, seeds })
    };
    SeedKind::ALL.iter().copied().filter_map(of_kind).collect()
}
