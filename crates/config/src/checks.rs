//! What a value must be beyond its type. Each check answers with the reason, to be read after the key's name.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use taffrail_domain::{Duration, HostRule, MemoryType, RepoPath};

use crate::agent::Quirk;

/// Longest command line of `checkout.setup`, in bytes.
const LONGEST_COMMAND: usize = 4_096;
/// Folders that hold everybody's files, sockets or processes: granting one of them undoes the sandbox.
const TOO_WIDE: &[&str] = &[
    "/", "/home", "/root", "/run", "/var/run", "/tmp", "/var/tmp", "/proc", "/dev", "/sys",
    "/Users",
];
/// Largest compiled `version_pattern`, in bytes: `\\d` of Unicode fits many times over.
const LARGEST_PATTERN: usize = 64 << 10;
/// Longest version in `tested`, in bytes.
const LONGEST_VERSION: usize = 32;
/// Variables that a box sets itself.
const OF_THE_BOX: &[&str] = &["HOME", "TMPDIR", "XDG_RUNTIME_DIR"];
/// Files that say what an agent runs: a change to them would outlive the run (FA-41).
const SETTINGS: &[&str] = &[
    "settings.json",
    "settings.local.json",
    "config.json",
    "config.toml",
    ".claude.json",
    "opencode.json",
    "mcp.json",
    "mcp-config.json",
    "hooks.json",
    "tasks.json",
    "package.json",
];

/// A limit of no time at all would end every run.
pub(crate) fn not_zero(limit: &Duration) -> Result<(), String> {
    if limit.get().is_zero() {
        Err("a limit of 0s would end every run at once".to_owned())
    } else {
        Ok(())
    }
}

/// A number from `LOW` to `HIGH`.
pub(crate) fn within<const LOW: u64, const HIGH: u64>(number: &u64) -> Result<(), String> {
    if (LOW..=HIGH).contains(number) {
        Ok(())
    } else {
        Err(format!("{number} is not from {LOW} to {HIGH}"))
    }
}

/// Names of types of memories.
pub(crate) fn memory_types(names: &[String]) -> Result<(), String> {
    let types = names.iter().map(|name| name.parse::<MemoryType>());
    match types.filter_map(Result::err).next() {
        Some(unknown) => Err(unknown.to_string()),
        None => Ok(()),
    }
}

/// One of the answers of the policy.
#[allow(clippy::ptr_arg)] // the shape of a check
pub(crate) fn answer(text: &String) -> Result<(), String> {
    let answer = text.parse::<taffrail_domain::Answer>();
    answer.map(drop).map_err(|error| error.to_string())
}

/// One of its risks.
#[allow(clippy::ptr_arg)] // the shape of a check
pub(crate) fn risk(text: &String) -> Result<(), String> {
    let risk = text.parse::<taffrail_domain::Risk>();
    risk.map(drop).map_err(|error| error.to_string())
}

/// Paths inside the project, never its `.git` or `.taffrail`.
pub(crate) fn carried(paths: &[String]) -> Result<(), String> {
    paths.iter().try_for_each(|path| {
        inside(path, "the project")?;
        match path.split('/').next() {
            Some(own @ (".git" | ".taffrail")) => Err(format!("`{own}` is never carried")),
            _ => Ok(()),
        }
    })
}

/// One line, of a bounded length.
pub(crate) fn command_line(command: &Option<String>) -> Result<(), String> {
    let command = command.as_deref().unwrap_or_default();
    if command.len() > LONGEST_COMMAND {
        Err(format!(
            "{} bytes, the limit is {LONGEST_COMMAND}",
            command.len()
        ))
    } else if command.contains('\0') {
        Err("a command holds no NUL".to_owned())
    } else {
        Ok(())
    }
}

/// Absolute paths, none of which undoes the sandbox.
pub(crate) fn readable(paths: &[PathBuf]) -> Result<(), String> {
    paths.iter().try_for_each(|path| {
        absolute(path)?;
        let wide = TOO_WIDE.iter().any(|wide| path == Path::new(wide));
        if wide {
            Err(format!(
                "`{}` is too wide: it would undo the sandbox",
                path.display()
            ))
        } else {
            Ok(())
        }
    })
}

/// An absolute path to a program.
pub(crate) fn program(path: &Option<PathBuf>) -> Result<(), String> {
    path.as_deref().map_or(Ok(()), absolute)
}

/// A program's name or absolute path.
pub(crate) fn command(command: &str) -> Result<(), String> {
    if command.is_empty() || command.contains(['\0', '\n']) {
        return Err("a command is a name or an absolute path".to_owned());
    }
    if command.contains('/') {
        return absolute(Path::new(command));
    }
    if command.contains(' ') {
        return Err("a command is one word; put the rest into `args`".to_owned());
    }
    Ok(())
}

/// Names of variables that the box does not set itself.
pub(crate) fn variable_names(names: &[String]) -> Result<(), String> {
    names.iter().try_for_each(|name| variable_name(name))
}

/// Variables with their values.
pub(crate) fn variables(env: &BTreeMap<String, String>) -> Result<(), String> {
    env.iter().try_for_each(|(name, value)| {
        variable_name(name)?;
        if value.contains('\0') {
            Err(format!("the value of `{name}` holds a NUL"))
        } else {
            Ok(())
        }
    })
}

/// Paths below the home.
pub(crate) fn home_paths(paths: &[String]) -> Result<(), String> {
    paths.iter().try_for_each(|path| {
        inside(path, "the home")?;
        match path.split('/').next() {
            Some(".taffrail") => Err("`.taffrail` is never handed to an agent".to_owned()),
            _ => Ok(()),
        }
    })
}

/// Paths below the home whose kind can be checked, none of which says what an agent runs.
pub(crate) fn written_back(paths: &[String]) -> Result<(), String> {
    home_paths(paths)?;
    paths.iter().try_for_each(|path| {
        let name = path.rsplit('/').next().unwrap_or_default();
        if SETTINGS.contains(&name) {
            return Err(format!(
                "`{path}` holds settings, which an agent never changes"
            ));
        }
        match name.rsplit_once('.') {
            Some((_, "json" | "toml")) => Ok(()),
            _ => Err(format!(
                "`{path}` cannot be checked: only .json and .toml files can be written back"
            )),
        }
    })
}

/// Rules of hosts, each as it is written in the end: in lower case.
pub(crate) fn hosts(hosts: &[String]) -> Result<(), String> {
    hosts.iter().try_for_each(|host| {
        let rule: HostRule = host.parse().map_err(|why| {
            format!("`{host}` is not a host, such as `api.example.com`, `*.example.com` or `10.0.0.5:8080`: {why}")
        })?;
        match rule.to_string() {
            rule if rule == *host => Ok(()),
            rule => Err(format!("`{host}` is written `{rule}`")),
        }
    })
}

/// Ports that an ordinary user can bind.
pub(crate) fn own_ports(ports: &[u16]) -> Result<(), String> {
    match ports.iter().find(|port| **port < 1_024) {
        Some(port) => Err(format!("port {port} is below 1024")),
        None => Ok(()),
    }
}

/// A regular expression whose first group is the version; compiled within 64 KiB.
pub(crate) fn pattern(pattern: &Option<String>) -> Result<(), String> {
    let Some(pattern) = pattern else {
        return Ok(());
    };
    let compiled = regex::RegexBuilder::new(pattern)
        .size_limit(LARGEST_PATTERN)
        .build();
    match compiled {
        Ok(regex) if regex.captures_len() > 1 => Ok(()),
        Ok(_) => Err("it needs a group for the version, such as `([0-9.]+)`".to_owned()),
        Err(regex::Error::CompiledTooBig(_)) => Err("the pattern is too large".to_owned()),
        Err(_) => Err("it is not a regular expression".to_owned()),
    }
}

/// Nothing, or the lowest and the highest version, in numbers with dots.
pub(crate) fn version_range(range: &[String]) -> Result<(), String> {
    let is_version = |text: &String| {
        !text.is_empty()
            && text.len() <= LONGEST_VERSION
            && text
                .split('.')
                .all(|part| !part.is_empty() && part.bytes().all(|at| at.is_ascii_digit()))
    };
    match range {
        [] => Ok(()),
        [lowest, highest] if is_version(lowest) && is_version(highest) => Ok(()),
        _ => {
            Err("it is the lowest and the highest version, as `[\"0.61\", \"0.61.3\"]`".to_owned())
        }
    }
}

/// Words of the closed list.
pub(crate) fn quirks(words: &[String]) -> Result<(), String> {
    words
        .iter()
        .try_for_each(|word| word.parse::<Quirk>().map(drop))
}

/// Nothing, or the name of one variable.
pub(crate) fn one_variable(name: &Option<String>) -> Result<(), String> {
    name.as_deref().map_or(Ok(()), variable_name)
}

fn variable_name(name: &str) -> Result<(), String> {
    let word = |at: u8| at.is_ascii_alphanumeric() || at == b'_';
    let fits = name.bytes().all(word) && name.bytes().next().is_some_and(|at| !at.is_ascii_digit());
    if !fits {
        return Err(format!(
            "`{}` is not the name of a variable",
            name.escape_debug()
        ));
    }
    if OF_THE_BOX.contains(&name) || name.starts_with("TAFFRAIL_") {
        return Err(format!("`{name}` is set by the box itself"));
    }
    Ok(())
}

fn inside(path: &str, whole: &str) -> Result<(), String> {
    if path.starts_with('~') {
        return Err(format!(
            "`{path}`: write it relative to {whole}, without `~`"
        ));
    }
    RepoPath::new(path.as_bytes())
        .map(drop)
        .map_err(|error| format!("{error}; write it relative to {whole}"))
}

fn absolute(path: &Path) -> Result<(), String> {
    let plain = path
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if path.is_absolute() && plain {
        Ok(())
    } else {
        Err(format!(
            "`{}` is not an absolute path without `..`",
            path.display()
        ))
    }
}
