//! Seals on approvals (REV-04).
