//! Files beneath a root, by handle.
