//! How large an answer is, without holding it a second time.

use std::io::{self, Write};

use serde::Serialize;

struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes of a value as compact JSON.
pub(super) fn bytes_of<T: Serialize>(value: &T) -> u64 {
    let mut count = Count(0);
    // What cannot be written as JSON is answered with an error by whoever sends it.
    serde_json::to_writer(&mut count, value).map_or(0, |()| count.0)
}
