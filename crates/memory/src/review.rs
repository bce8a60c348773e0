//! Reviews: the table of transitions, and a person's consent (REV-01 to REV-03).
