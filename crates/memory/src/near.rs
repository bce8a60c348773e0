//! Near duplicates and possible contradictions (MEM-05).
