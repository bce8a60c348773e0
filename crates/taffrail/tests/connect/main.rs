//! Promise: the entry of our MCP server goes into another program's own configuration without touching another byte, and
//! comes out again to the byte (10-external-slates.md, `taffrail connect`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod changed;
#[path = "../common/mod.rs"]
mod common;
mod entry;
mod hooks;
mod races;
mod theirs;
mod told;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::world;
use serde_json::Value;
use taffrail_testkit::{Hermetic, Ran, Times, executable_copy, manifest};

const TAFFRAIL: &str = env!("CARGO_BIN_EXE_taffrail");

/// A program, the file of its servers below the user's home, what stood there, and what stands there then. `EXE` and
/// `HOME` stand for the executable and for our home.
struct Golden {
    program: &'static str,
    file: &'static str,
    before: &'static str,
    after: &'static str,
}

const GOLDEN: &[Golden] = &[
    Golden {
        program: "claude",
        file: ".claude.json",
        before: "{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"docs\": {\n      \"type\": \"http\",\n      \"url\": \"https://docs.example.invalid\"\n    }\n  },\n  \"projects\": {}\n}",
        after: "{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"docs\": {\n      \"type\": \"http\",\n      \"url\": \"https://docs.example.invalid\"\n    },\n    \"taffrail\": {\n      \"type\": \"stdio\",\n      \"command\": \"EXE\",\n      \"args\": [\"serve-mcp\"],\n      \"env\": {\n        \"TAFFRAIL_HOME\": \"HOME\"\n      }\n    }\n  },\n  \"projects\": {}\n}",
    },
    Golden {
        program: "codex",
        file: ".codex/config.toml",
        before: "# my settings\nmodel = \"gpt-x\"   # fast\n\n[mcp_servers.docs]\ncommand = 'docs-server'\n",
        after: "# my settings\nmodel = \"gpt-x\"   # fast\n\n[mcp_servers.docs]\ncommand = 'docs-server'\n\n[mcp_servers.taffrail]\ncommand = \"EXE\"\nargs = [\"serve-mcp\"]\nenv = { TAFFRAIL_HOME = \"HOME\" }\n",
    },
    Golden {
        program: "gemini",
        file: ".gemini/settings.json",
        before: "{\n    // how I like it\n    \"ui\": { \"theme\": \"Dracula\" } // dark\n}\n",
        after: "{\n    // how I like it\n    \"ui\": { \"theme\": \"Dracula\" }, // dark\n    \"mcpServers\": {\n        \"taffrail\": {\n            \"command\": \"EXE\",\n            \"args\": [\"serve-mcp\"],\n            \"env\": {\n                \"TAFFRAIL_HOME\": \"HOME\"\n            }\n        }\n    }\n}\n",
    },
    Golden {
        program: "opencode",
        file: ".config/opencode/opencode.jsonc",
        before: "{\r\n\t\"$schema\": \"https://opencode.ai/config.json\",\r\n\t\"mcp\": {\r\n\t\t// none yet\r\n\t},\r\n}\r\n",
        after: "{\r\n\t\"$schema\": \"https://opencode.ai/config.json\",\r\n\t\"mcp\": {\r\n\t\t// none yet\r\n\t\t\"taffrail\": {\r\n\t\t\t\"type\": \"local\",\r\n\t\t\t\"command\": [\"EXE\", \"serve-mcp\"],\r\n\t\t\t\"enabled\": true,\r\n\t\t\t\"environment\": {\r\n\t\t\t\t\"TAFFRAIL_HOME\": \"HOME\"\r\n\t\t\t}\r\n\t\t}\r\n\t},\r\n}\r\n",
    },
    Golden {
        program: "cursor",
        file: ".cursor/mcp.json",
        before: "{\"mcpServers\":{\"a\":{\"command\":\"a\"}}}",
        after: "{\"mcpServers\":{\"a\":{\"command\":\"a\"},\"taffrail\":{\"type\":\"stdio\",\"command\":\"EXE\",\"args\":[\"serve-mcp\"],\"env\":{\"TAFFRAIL_HOME\":\"HOME\"}}}}",
    },
    Golden {
        program: "vscode",
        file: if cfg!(target_os = "macos") {
            "Library/Application Support/Code/User/mcp.json"
        } else {
            ".config/Code/User/mcp.json"
        },
        before: "\u{feff}{\n\t\"servers\": {\n\t},\n\t\"inputs\": []\n}",
        after: "\u{feff}{\n\t\"servers\": {\n\t\t\"taffrail\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"EXE\",\n\t\t\t\"args\": [\"serve-mcp\"],\n\t\t\t\"env\": {\n\t\t\t\t\"TAFFRAIL_HOME\": \"HOME\"\n\t\t\t}\n\t\t}\n\t},\n\t\"inputs\": []\n}",
    },
    Golden {
        program: "zed",
        file: ".config/zed/settings.json",
        before: "// Zed settings\n{\n  \"theme\": \"One Dark\",\n  /* servers */\n  \"context_servers\": {\n    \"a\": { \"command\": \"a\", \"args\": [], },\n  },\n}\n",
        after: "// Zed settings\n{\n  \"theme\": \"One Dark\",\n  /* servers */\n  \"context_servers\": {\n    \"a\": { \"command\": \"a\", \"args\": [], },\n    \"taffrail\": {\n      \"command\": \"EXE\",\n      \"args\": [\"serve-mcp\"],\n      \"env\": {\n        \"TAFFRAIL_HOME\": \"HOME\"\n      }\n    },\n  },\n}\n",
    },
];

fn file_of(program: &str) -> &'static str {
    let golden = GOLDEN.iter().find(|golden| golden.program == program);
    golden.unwrap().file
}

fn put(world: &Hermetic, file: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = world.home().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn expected(world: &Hermetic, text: &str) -> String {
    let exe = Path::new(TAFFRAIL).canonicalize().unwrap();
    let home = world.taffrail_home();
    let text = text.replace("HOME\"", &format!("{}\"", home.display()));
    text.replace("EXE", exe.to_str().unwrap())
        .replace(&format!("TAFFRAIL_{}", home.display()), "TAFFRAIL_HOME")
}

fn connect(world: &Hermetic, args: &[&str]) -> Ran {
    let mut line = vec!["connect"];
    line.extend(args);
    world.taffrail(&line)
}

fn text(path: &Path) -> String {
    String::from_utf8(fs::read(path).unwrap()).unwrap()
}

/// Every name and content below the user's home.
fn below_home(world: &Hermetic) -> String {
    format!("{:?}", manifest(&world.home(), Times::Ignored))
}

fn standing(world: &Hermetic, program: &str) -> Vec<(String, String)> {
    let list = connect(world, &["--list", "--json"]).success().json();
    let programs = list["data"].as_array().unwrap().clone();
    let one = programs
        .iter()
        .find(|one| one["program"] == program)
        .unwrap();
    let files = one["files"].as_array().unwrap().iter();
    files
        .map(|file| {
            let word = |key: &str| file[key].as_str().unwrap().to_owned();
            (word("path"), word("standing"))
        })
        .collect()
}

/// opencode has one name for a file that is there, another for a new one.
fn file_or_new(golden: &Golden) -> &'static str {
    match golden.program {
        "opencode" => ".config/opencode/opencode.json",
        _ => golden.file,
    }
}
