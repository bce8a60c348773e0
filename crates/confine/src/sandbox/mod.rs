//! The sandbox of a run: layers, rules and the probe that proves them.
