//! The tools that look at a project's files: one file each, all over one guarded root (CNF-01, CNF-02).
//!
//! Knows no wire and no memory. A path is opened beneath the root or not at all, and what holds credentials is refused.
#![forbid(unsafe_code)]
