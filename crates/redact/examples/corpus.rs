//! Prints how much of the project's own corpus is found, by family: `cargo run -p taffrail-redact --example corpus`.
#![allow(clippy::print_stdout, clippy::expect_used, clippy::panic)] // the output is this example's purpose; the corpus is test code

use std::collections::BTreeMap;

use taffrail_redact::{Options, Redactor};

#[allow(dead_code)]
#[path = "../tests/corpus/mod.rs"]
mod corpus;

fn main() {
    let redactor = Redactor::new(Options::default());
    let mut figures: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for case in corpus::positives(&mut corpus::Dice(7), 40) {
        let clean = redactor.clean(&case.text);
        let found = !clean.as_str().contains(&case.secret) && clean.as_str().contains("[REDACTED:");
        let (hits, total) = figures.entry(case.family).or_default();
        *hits += usize::from(found);
        *total += 1;
        if !found {
            println!("missed {}: {}", case.family, case.text);
        }
    }
    for (family, (found, total)) in &figures {
        println!(
            "{family:<12} {found}/{total} {:.2} %",
            *found as f64 * 100.0 / *total as f64
        );
    }
}
