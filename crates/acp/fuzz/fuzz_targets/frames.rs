//! Any bytes through the frame reader: every cut gives the same frames, little is held, and what is only scanned tells the
//! same as what is parsed.
#![no_main]

#[allow(dead_code, reason = "the other target uses the rest")]
#[path = "../../tests/support/wild.rs"]
mod wild;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wild::frames_agree(bytes));
