//! Recall over an index: filter first, then rank, then limit (REC-01, REC-04, REC-08).
