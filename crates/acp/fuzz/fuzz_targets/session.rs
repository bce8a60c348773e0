//! Any order of events through the session machine: it ends, and by then every request was answered once.
#![no_main]

#[allow(dead_code, reason = "the other target uses the rest")]
#[path = "../../tests/support/wild.rs"]
mod wild;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wild::play(bytes));
