//! What the agent does to its own disk without asking anybody: `do write`, `do shell`, `do git` and the like.

use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use serde_json::{Value, json};

use super::Stop;
use super::parse::Command;
use super::play::{Player, word};

/// `path` below the folder of the session, or of the process before there is a session.
pub(super) fn resolved(player: &Player, path: &str) -> PathBuf {
    let folder = player.scope.get("cwd").unwrap_or_else(|_| json!("."));
    Path::new(folder.as_str().unwrap_or(".")).join(path)
}

/// One deed.
///
/// # Errors
/// What the kernel says, with the deed and its words; a deed that nobody knows.
pub(super) fn deed(player: &mut Player, command: &Command) -> Result<(), Stop> {
    let name = player.text(command, 0)?;
    match name.as_str() {
        "shell" | "git" => {
            let done = run(player, command, &name)?;
            if let Some(into) = &command.into {
                player.scope.set(into, done);
            }
            Ok(())
        }
        _ => on_disk(player, command, &name).map_err(|why| format!("{name}: {why}").into()),
    }
}

fn on_disk(player: &Player, command: &Command, name: &str) -> Result<(), String> {
    let first = player.scope.text(word(command, 1)?)?;
    let path = resolved(player, &first);
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    match name {
        "write" | "append" => {
            let bytes = player.scope.bytes(word(command, 2)?)?;
            put(&path, &bytes, name == "append").map_err(failed)
        }
        "mkdir" => std::fs::create_dir_all(&path).map_err(failed),
        "remove" if path.is_dir() => std::fs::remove_dir_all(&path).map_err(failed),
        "remove" => std::fs::remove_file(&path).map_err(failed),
        "symlink" => {
            let target = player.scope.text(word(command, 2)?)?;
            std::os::unix::fs::symlink(target, &path).map_err(failed)
        }
        "pipe" => {
            let mode = rustix::fs::Mode::from_raw_mode(0o600);
            rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).map_err(|e| failed(e.into()))
        }
        other => Err(format!("no deed: {other}")),
    }
}

fn put(path: &Path, bytes: &[u8], append: bool) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .write(true)
        .append(append)
        .truncate(!append)
        .open(path)?;
    std::io::Write::write_all(&mut file, bytes)
}

/// A shell line or a git command in the session's folder, to its end: `{code, stdout, stderr}`. Output is collected only
/// where it has a name, so that what stays in the background cannot hold up the script.
fn run(player: &Player, command: &Command, name: &str) -> Result<Value, Stop> {
    let mut process = match name {
        "git" => Process::new("git"),
        _ => Process::new("/bin/sh"),
    };
    if name == "shell" {
        process.arg("-c");
    }
    for word in command.words.iter().skip(1) {
        process.arg(player.scope.text(word)?);
    }
    process
        .current_dir(resolved(player, "."))
        .stdin(Stdio::null());
    let failed = |error: std::io::Error| Stop::Wrong(format!("{name}: {error}"));
    if command.into.is_none() {
        process.stdout(Stdio::null()).stderr(Stdio::null());
        let status = process.status().map_err(failed)?;
        return Ok(json!({"code": status.code()}));
    }
    let output = process.output().map_err(failed)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(json!({
        "code": output.status.code(),
        "stdout": text(&output.stdout),
        "stderr": text(&output.stderr),
    }))
}
