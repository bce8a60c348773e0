//! One tokenizer for index and query, for all scripts (REC-03).
