//! Facts about processes: who they are, whether they still live, whom they started.
