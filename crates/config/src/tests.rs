//! Shared by the tests of this crate.

mod agents;
mod docs;
mod load;
mod memory;
mod policy;
mod project;

use std::path::Path;

use crate::{Config, ConfigError, load};

/// Reads a user's file with an empty environment.
fn read(text: &str) -> Result<Config, ConfigError> {
    load(Some((Path::new("config.toml"), text)), &|_| None)
}

/// Reads a user's file that must be right.
fn config(text: &str) -> Config {
    match read(text) {
        Ok(config) => config,
        Err(error) => panic!("{error}"),
    }
}

/// Reads with these variables.
fn with_env(text: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    load(Some((Path::new("config.toml"), text)), &|name| {
        let found = variables.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| (*value).to_owned())
    })
}

/// The message and the hint of what must be wrong.
fn mistake(text: &str) -> (String, String) {
    match read(text) {
        Ok(_) => panic!("taken: {text}"),
        Err(error) => (error.to_string(), error.hint().unwrap_or_default()),
    }
}
