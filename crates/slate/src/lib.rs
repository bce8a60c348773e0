//! Slates, pure: today the external ones, which another program opens over MCP (10-external-slates.md).
//!
//! Knows no file, no clock, no randomness: time and random bytes come in as values, texts come in as
//! [`Clean`](taffrail_redact::Clean). What a slate may become is said here; where it lies is `store`'s.
#![forbid(unsafe_code)]

pub mod external;
