//! RED-03: worst-case lines of 64 MiB, ordinary source, short lines, and what starting costs.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::BytesCount;
use taffrail_redact::{Options, Redactor};

const LINE: usize = 64 << 20;
const SOURCE: usize = 10 << 20;

/// Lines that make a careless scanner slow: runs, keywords without end, beginnings that never finish.
const WORST: &[&str] = &[
    "a",
    "base64",
    "token=",
    "token",
    "token=1",
    "token='",
    "token=\"token='token=`",
    "eyJ.",
    "eyJ",
    "eyJaaaaaaaaaaaaaaaa.",
    "-----BEGIN",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----aaaaaaaaaaaaaaaaaaaaaaaa",
    "sk-",
    "sk-a1-",
    "ghp_",
    "glpat-",
    "xoxb-1-",
    "://a:b",
    "://a:b@",
    ".",
    "=",
    "\n",
    "{",
    "\"",
    "\\",
    "@",
    "AKIA",
    " AKIA",
    "password: ",
    "bearer aaaaaaaa ",
    "basic YTpi ",
    " -u a:bcd",
    "curl -u a:bcd",
    "\ndata:\n a: aaaaaaaaaaaa",
    "kind: Secret\n",
    "secret is ",
    "api key",
    "heroku=",
    "heroku ",
    "aws = aaaa,",
    "hvs.aaaaaaaaaaaaaaaaaaaaaaaaa-",
    "SG.aaaaaaaaaaaaaaaa.",
    "-us1",
    ":AA",
    "s.aaaaaaaaaaaaaaaaaaaaaaaa ",
    "AAAAAAAAAA-",
    "é",
    "MTk4NjIyNDgzNDcxOTI1MjQ4.aaaaaa.",
    "[REDACTED:secret]",
    "password=hunter22 ",
    "authorization: ",
    "\x1b",
    "\x1b[",
    "\x1b[1m",
    "a\x1b[31mtoken=\x1b[0m",
];

fn main() {
    divan::main();
}

fn repeated(unit: &str, length: usize) -> String {
    match unit {
        "base64" => {
            let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            let mut state = 7u64;
            let mut next = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                char::from(letters.get((state >> 58) as usize).copied().unwrap_or(b'A'))
            };
            (0..length).map(|_| next()).collect()
        }
        _ => unit.repeat(length / unit.len()),
    }
}

/// The crate's own source again and again: ordinary code, comments and tables.
fn source() -> String {
    let text = concat!(
        include_str!("../src/scan.rs"),
        include_str!("../src/detect/place.rs"),
        include_str!("../src/clean.rs"),
        include_str!("../src/window.rs"),
        include_str!("../src/stream.rs"),
    );
    text.repeat(SOURCE / text.len() + 1)
}

#[divan::bench(args = WORST, sample_count = 3, sample_size = 1)]
fn worst_line_64_mib(bencher: Bencher<'_, '_>, unit: &str) {
    let redactor = Redactor::new(Options::default());
    let text = repeated(unit, LINE);
    bencher
        .counter(BytesCount::new(text.len()))
        .bench_local(|| redactor.findings(black_box(&text)).len());
}

#[divan::bench(args = ["a", "base64", "token="], sample_count = 3, sample_size = 1)]
fn worst_line_64_mib_streamed(bencher: Bencher<'_, '_>, unit: &str) {
    let redactor = Redactor::new(Options::default());
    let text = repeated(unit, LINE);
    bencher
        .counter(BytesCount::new(text.len()))
        .bench_local(|| {
            let (mut stream, mut out, mut total) = (redactor.stream(), Vec::new(), 0);
            for chunk in text.as_bytes().chunks(64 << 10) {
                stream.push(chunk, &mut out);
                total += out.len();
                out.clear();
            }
            stream.finish(&mut out);
            total + out.len()
        });
}

#[divan::bench(sample_count = 10)]
fn ordinary_source_10_mib(bencher: Bencher<'_, '_>) {
    let redactor = Redactor::new(Options::default());
    let text = source();
    bencher
        .counter(BytesCount::new(text.len()))
        .bench_local(|| redactor.clean(black_box(&text)));
}

#[divan::bench]
fn thousand_short_lines(bencher: Bencher<'_, '_>) {
    let redactor = Redactor::new(Options::default());
    let lines: Vec<String> = (0..1000)
        .map(|at| format!("export STEP_{at}=\"value {at}\" # password: none"))
        .collect();
    bencher.bench_local(|| {
        lines
            .iter()
            .map(|line| redactor.clean(line).as_str().len())
            .sum::<usize>()
    });
}
