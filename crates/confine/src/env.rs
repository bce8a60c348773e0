//! The environment that a child gets: cleared, then an allow-list, then named extras.
