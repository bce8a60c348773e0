//! The instruction files of other programs, in pieces (MEM-08).
