//! Governed memory: written as evidence, reviewed by a person, sealed, recalled, traced.

pub mod gate;
