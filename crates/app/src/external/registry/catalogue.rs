//! A local copy of the public ACP registry: untrusted text, of which one entry is taken when all of it fits.
//!
//! Nothing is loaded here: an archive is told of, a package is named in the command that a person agrees to.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use taffrail_store::files;

use super::RegistryFault;
use super::add::{Draft, Package, is_id};
use super::fits;
use crate::{App, AppError};

/// The registry had 39 entries and less than 100 KiB in 2026.
const LIMIT: u64 = 8 << 20;
/// Where it is published.
const PUBLISHED: &str = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json";

/// Where a copy is looked for when none is named.
pub(super) fn usual_place(app: &App) -> PathBuf {
    app.home.root().join("acp-registry.json")
}

/// Makes an entry of an agent of the copy.
pub(super) fn draft(path: &Path, agent: &str, id: Option<&str>) -> Result<Draft, AppError> {
    let bytes = files::read_bounded(path, LIMIT)?;
    let bytes = bytes.ok_or_else(|| RegistryFault::Copy {
        path: path.to_owned(),
        why: format!("it is not there; save {PUBLISHED} as this file"),
    })?;
    let draft = read(&bytes, agent, id);
    Ok(draft.map_err(|why| RegistryFault::Copy {
        path: path.to_owned(),
        why,
    })?)
}

fn read(bytes: &[u8], agent: &str, id: Option<&str>) -> Result<Draft, String> {
    let document: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("it is no JSON: {error}"))?;
    let entry = find(&document, agent)?;
    let own = id.map_or_else(|| own_id(agent), str::to_owned);
    let package = package(entry, own).map_err(|why| format!("`{agent}`: {why}"))?;
    Ok(Draft::from(package))
}

/// Ours drives it over ACP, and its plain name may be a box entry's.
fn own_id(agent: &str) -> String {
    if agent.ends_with("-acp") {
        agent.to_owned()
    } else {
        format!("{agent}-acp")
    }
}

/// The entry of this id, in the whole registry (`{"version", "agents": [...]}`) or in one agent's own file.
fn find<'a>(document: &'a Value, agent: &str) -> Result<&'a Map<String, Value>, String> {
    if !is_id(agent) {
        return Err(format!("`{}` is no id of a registry", fits::clipped(agent)));
    }
    let whole = document.as_object().ok_or("it is no JSON object")?;
    let entries: Vec<&Map<String, Value>> = match whole.get("agents") {
        Some(Value::Array(entries)) => entries.iter().filter_map(Value::as_object).collect(),
        Some(_) => return Err("its `agents` is no list".into()),
        None => vec![whole],
    };
    let is_it =
        |entry: &&&Map<String, Value>| entry.get("id").and_then(Value::as_str) == Some(agent);
    let mut found = entries.iter().filter(is_it);
    match (found.next(), found.next()) {
        (Some(entry), None) => Ok(entry),
        (Some(_), Some(_)) => Err(format!("it has `{agent}` twice")),
        (None, _) => Err(format!("it has no agent `{agent}`")),
    }
}

/// What starts the agent: its package of npm, else that of PyPI. An archive is not taken.
fn package(entry: &Map<String, Value>, id: String) -> Result<Package, String> {
    let distribution = entry
        .get("distribution")
        .and_then(Value::as_object)
        .ok_or("it has no `distribution`")?;
    if let Some(npx) = distribution.get("npx") {
        return npm(npx, id);
    }
    if let Some(uvx) = distribution.get("uvx") {
        return pypi(uvx, id);
    }
    match distribution.get("binary").and_then(Value::as_object) {
        Some(binary) => Err(archive(binary)),
        None => Err("its `distribution` has no `npx`, `uvx` or `binary`".into()),
    }
}

fn npm(npx: &Value, id: String) -> Result<Package, String> {
    let name = fits::npm_package(npx)?;
    let own = fits::args(npx)?;
    let args = ["--yes".to_owned(), name.clone()].into_iter().chain(own);
    Ok(Package {
        id,
        command: "npx",
        args: args.collect(),
        env: fits::env(npx)?,
        state_dirs: &[".npm"],
        hosts: &["registry.npmjs.org"],
        remarks: vec![format!(
            "npx loads {name} and all that it needs from registry.npmjs.org at every cold start, inside the sandbox"
        )],
    })
}

fn pypi(uvx: &Value, id: String) -> Result<Package, String> {
    let name = fits::pypi_package(uvx)?;
    let own = fits::args(uvx)?;
    Ok(Package {
        id,
        command: "uvx",
        args: std::iter::once(name.clone()).chain(own).collect(),
        env: fits::env(uvx)?,
        state_dirs: &[".cache/uv", ".local/share/uv"],
        hosts: &["pypi.org", "files.pythonhosted.org"],
        remarks: vec![format!(
            "uvx loads {name} and all that it needs from pypi.org at every cold start, inside the sandbox"
        )],
    })
}

/// This machine, as the registry names it.
const PLATFORM: (&str, &str) = (std::env::consts::OS, std::env::consts::ARCH);

/// Why an archive is not taken, and what to do with it by hand.
fn archive(binary: &Map<String, Value>) -> String {
    let system = if PLATFORM.0 == "macos" {
        "darwin"
    } else {
        PLATFORM.0
    };
    let platform = format!("{system}-{}", PLATFORM.1);
    let Some(target) = binary.get(&platform).and_then(Value::as_object) else {
        let there: Vec<String> = binary.keys().map(|name| fits::clipped(name)).collect();
        return format!("it has nothing for {platform}; it has {}", there.join(", "));
    };
    let text = |key: &str| target.get(key).and_then(Value::as_str).map(fits::clipped);
    let sum = text("sha256").map_or_else(
        || "the registry names no sha256 for it".to_owned(),
        |sum| format!("its sha256 is to be {sum}"),
    );
    format!(
        "it comes as an archive, and taffrail loads none: unpack {} yourself ({sum}), then \
         taffrail agents external add ID --command /path/to/{}",
        text("archive").unwrap_or_else(|| "it".to_owned()),
        text("cmd").unwrap_or_else(|| "its program".to_owned()),
    )
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
