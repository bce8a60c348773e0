//! Bounded runs of trusted tools.
