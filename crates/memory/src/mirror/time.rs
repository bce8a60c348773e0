//! Times as a file holds them.
