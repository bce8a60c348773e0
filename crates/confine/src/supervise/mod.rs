//! The supervisor: starts a run's child, is its subreaper, and leaves nothing behind.
