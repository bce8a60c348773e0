//! gitbox
