//! The journal's entries, their chain of hashes, and its verification (REV-05).
