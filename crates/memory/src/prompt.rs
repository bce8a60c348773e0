//! The sections of a turn's system prompt, in their order (PRM-01).
