//! What of a recall a turn is given: lines that cannot forge a section (REC-05).
