//! Text that reads as orders to an agent (MEM-06).
