//! The sieve of orders, which every write goes through: far below the cost of a row (REC-11: 5,000 rows a second).

use taffrail_memory::orders::reads_as_orders;

/// A lesson of ordinary length.
const LESSON: &str = "The retry policy of the billing client is exponential with a cap of 30 seconds; raising the cap \
    hid an outage in March, so it stays. See src/billing/retry.rs and the incident report.";

fn main() {
    divan::main();
}

#[divan::bench]
fn lesson(bencher: divan::Bencher<'_, '_>) {
    bencher.bench(|| reads_as_orders(divan::black_box(LESSON)));
}

#[divan::bench]
fn longest_content(bencher: divan::Bencher<'_, '_>) {
    let text: String = LESSON.chars().cycle().take(8_192).collect();
    bencher.bench(|| reads_as_orders(divan::black_box(&text)));
}
