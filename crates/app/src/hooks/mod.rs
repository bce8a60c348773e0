//! What another program's session is given at its start, and what is done at its end.
