//! The score: relevance times a bounded factor of age (REC-02).
