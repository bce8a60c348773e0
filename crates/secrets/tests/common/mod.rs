//! A private session bus with a real GNOME Keyring, or with none.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test fails by a panic.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use taffrail_secrets::KeyringInputs;
use tempfile::TempDir;

/// Without service folders: nothing is started on demand.
const BUS: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=SOCKET</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>"#;

/// A bus in a folder of its own; it ends with this value.
pub struct Bus {
    folder: TempDir,
    daemon: Child,
    keyring: Option<Child>,
}

impl Bus {
    /// Starts the bus, and waits until it listens.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("bus.conf");
        let socket = folder.path().join("bus");
        std::fs::write(&config, BUS.replace("SOCKET", socket.to_str().unwrap())).unwrap();
        let mut daemon = Command::new("dbus-daemon")
            .args(["--nofork", "--print-address"])
            .arg(format!("--config-file={}", config.display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon is installed");
        let mut line = String::new();
        BufReader::new(daemon.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(line.starts_with("unix:"), "the bus listens: {line}");
        Self {
            folder,
            daemon,
            keyring: None,
        }
    }

    /// Starts the keyring on it with its login collection unlocked by a password.
    pub fn keyring(&mut self) -> &mut Self {
        let mut keyring = self
            .program("gnome-keyring-daemon")
            .args(["--foreground", "--unlock", "--components=secrets"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("gnome-keyring-daemon is installed");
        // The password ends with the input.
        keyring
            .stdin
            .take()
            .unwrap()
            .write_all(b"login password")
            .unwrap();
        self.keyring = Some(keyring);
        let end = Instant::now() + Duration::from_secs(60);
        while !self.says("org.freedesktop.secrets") {
            assert!(Instant::now() < end, "the keyring did not come");
            std::thread::yield_now();
        }
        self
    }

    /// Ends the keyring, as a restart of the machine does.
    pub fn stop_keyring(&mut self) {
        if let Some(mut keyring) = self.keyring.take() {
            keyring.kill().unwrap();
            keyring.wait().unwrap();
        }
    }

    /// A program with this bus and a home of its own.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.folder.path())
            .env("XDG_RUNTIME_DIR", self.folder.path())
            .env("XDG_DATA_HOME", self.data())
            .env("DBUS_SESSION_BUS_ADDRESS", self.address());
        command
    }

    /// Where the keyring keeps its files.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The address of the bus.
    pub fn address(&self) -> String {
        format!("unix:path={}", self.folder.path().join("bus").display())
    }

    /// What a home's keychain is found by, with nobody there to unlock it.
    pub fn inputs(&self, home: &str) -> KeyringInputs {
        KeyringInputs {
            home: home.to_owned(),
            bus: Some(self.address()),
            prompt: Duration::ZERO,
        }
    }

    /// What a program prints.
    pub fn output(&self, name: &str, args: &[&str]) -> String {
        let ran = self.program(name).args(args).output().unwrap();
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }

    fn says(&self, name: &str) -> bool {
        let names = self.output(
            "dbus-send",
            &[
                "--session",
                "--print-reply",
                "--dest=org.freedesktop.DBus",
                "/",
                "org.freedesktop.DBus.ListNames",
            ],
        );
        names.contains(name)
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.stop_keyring();
        self.daemon.kill().ok();
        self.daemon.wait().ok();
    }
}

/// Whether any file below a folder holds these bytes.
pub fn holds(folder: &Path, needle: &[u8]) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path, needle);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        bytes.windows(needle.len()).any(|window| window == needle)
    })
}
