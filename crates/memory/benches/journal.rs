//! Verification of the journal: 100,000 entries in under a second (REV-05).

use taffrail_domain::Millis;
use taffrail_memory::journal::{Anchor, Entry, EventKind, Facts, Verifier};

/// What a journal holds after years of use.
const ENTRIES: i64 = 100_000;

fn main() {
    divan::main();
}

fn chain() -> Vec<Entry> {
    let mut head = Anchor::START;
    (0..ENTRIES)
        .map(|at| {
            let facts = Facts::new()
                .word("action", "confirm")
                .number("version", at)
                .id("other", [7; 16]);
            let entry = Entry::after(
                &head,
                Millis(at),
                EventKind::MemoryReviewed,
                Some([1; 16]),
                &facts,
            );
            head = entry.anchor();
            entry
        })
        .collect()
}

#[divan::bench(sample_count = 10)]
fn verify_100_000(bencher: divan::Bencher<'_, '_>) {
    let entries = chain();
    let last = entries.last().map(Entry::anchor);
    bencher.bench_local(|| {
        let mut verifier = Verifier::new(last.as_slice());
        entries.iter().for_each(|entry| verifier.push(&entry.row()));
        verifier.finish().is_ok()
    });
}
