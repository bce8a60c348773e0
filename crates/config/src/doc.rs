//! The generated parts of the guide: `docs/config.md`, and the table in `docs/agents.md`.

use crate::agent::{AgentEntry, SECTION};
use crate::section::KeyDoc;
use crate::{built_in, project, sections};

/// Variables that are not a key's: name and meaning. Together with the keys' own this list is closed.
const OTHER_VARIABLES: &[(&str, &str)] = &[
    (
        "TAFFRAIL_HOME",
        "the directory that holds all state; else `~/.taffrail`",
    ),
    (
        "TAFFRAIL_EXTERNAL_DEPTH",
        "set by Taffrail in what it starts, so that an agent cannot start agents without end",
    ),
];

/// Variables that set a key. A test holds the list to the sections.
const KEY_VARIABLES: &[(&str, &str)] = &[
    ("TAFFRAIL_TIMEOUT", "sets `external_agents.timeout`"),
    ("TAFFRAIL_INACTIVITY", "sets `external_agents.inactivity`"),
    ("TAFFRAIL_NET", "sets `sandbox.net`"),
    (
        "TAFFRAIL_PORTS",
        "sets `sandbox.ports`, separated by commas",
    ),
    ("TAFFRAIL_BWRAP", "sets `sandbox.bwrap`"),
    ("TAFFRAIL_REQUIRE", "sets `sandbox.require`"),
];

/// Every `TAFFRAIL_*` variable with its meaning. What loosens a guard (`enabled`, `write_in_checkout`,
/// `record.raw`) has none: it is decided in the user's file.
pub fn env_names() -> &'static [(&'static str, &'static str)] {
    ENV_NAMES
}

const ENV_NAMES: &[(&str, &str)] = &[
    OTHER_VARIABLES[0],
    OTHER_VARIABLES[1],
    KEY_VARIABLES[0],
    KEY_VARIABLES[1],
    KEY_VARIABLES[2],
    KEY_VARIABLES[3],
    KEY_VARIABLES[4],
    KEY_VARIABLES[5],
];

/// The whole of `docs/config.md`.
pub fn config_doc() -> String {
    String::new()
}

/// The generated part of `docs/agents.md`.
pub fn agents_doc() -> String {
    String::new()
}
