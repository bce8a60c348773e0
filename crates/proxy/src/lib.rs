//! A forward proxy that lets an agent reach the hosts that it may, and keeps count (CNF-08).
#![forbid(unsafe_code)]
