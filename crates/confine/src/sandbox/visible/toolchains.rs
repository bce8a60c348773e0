//! Where toolchains lie below a home, as data, and what never becomes readable.

use std::path::{Path, PathBuf};

/// Programs and libraries. Never a whole directory of a tool that keeps a token in it: `~/.cargo` has
/// `credentials.toml`, uv has `credentials` beside `tools`, npm's prefix has `etc/npmrc`.
const ROOTS: &[&str] = &[
    ".asdf/bin",
    ".asdf/installs",
    ".asdf/lib",
    ".asdf/libexec",
    ".asdf/plugins",
    ".asdf/shims",
    ".bun/bin",
    ".bun/install/global/node_modules",
    ".cargo/bin",
    ".deno/bin",
    ".fnm/aliases",
    ".fnm/node-versions",
    ".ghcup/bin",
    ".ghcup/ghc",
    ".local/bin",
    ".local/pipx/venvs",
    ".local/share/claude/versions",
    ".local/share/fnm/aliases",
    ".local/share/fnm/node-versions",
    ".local/share/mise/installs",
    ".local/share/mise/plugins",
    ".local/share/mise/shims",
    ".local/share/pipx/venvs",
    ".local/share/pnpm",
    ".local/share/uv/python",
    ".local/share/uv/tools",
    ".nix-profile",
    ".npm-global/bin",
    ".npm-global/lib",
    ".nvm/versions",
    ".opencode/bin",
    ".pyenv/bin",
    ".pyenv/libexec",
    ".pyenv/plugins",
    ".pyenv/pyenv.d",
    ".pyenv/shims",
    ".pyenv/version",
    ".pyenv/versions",
    ".rbenv/bin",
    ".rbenv/libexec",
    ".rbenv/shims",
    ".rbenv/versions",
    ".rustup/settings.toml",
    ".rustup/toolchains",
    // rustup makes this folder where it is missing, and starts no tool where it cannot.
    ".rustup/update-hashes",
    ".sdkman/candidates",
    ".volta/bin",
    ".volta/layout.v4",
    ".volta/tools",
    "go/bin",
];

/// Homebrew on Linux has one place for all users.
const BREW: &str = "/home/linuxbrew/.linuxbrew";
const BREW_PARTS: &[&str] = &[
    "bin",
    "sbin",
    "Cellar",
    "opt",
    "lib",
    "libexec",
    "share",
    "etc/ca-certificates",
    "etc/openssl@3",
];

/// The variable that tells a tool where it lies, with the directory that must be there.
const ENV: &[(&str, &str)] = &[
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("NVM_DIR", ".nvm"),
    ("PNPM_HOME", ".local/share/pnpm"),
    ("PYENV_ROOT", ".pyenv"),
    ("RBENV_ROOT", ".rbenv"),
    ("RUSTUP_HOME", ".rustup"),
    ("SDKMAN_DIR", ".sdkman"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"),
    ("UV_TOOL_DIR", ".local/share/uv/tools"),
    ("VOLTA_HOME", ".volta"),
];

/// Directories that hold credentials, histories or sessions: nothing below them, whatever the PATH says.
const SECRET: &[&str] = &[
    ".aws",
    ".azure",
    ".config",
    ".docker",
    ".gnupg",
    ".kube",
    ".local/share/keyrings",
    ".local/share/uv/credentials",
    ".local/state",
    ".mozilla",
    ".password-store",
    ".ssh",
    ".taffrail",
];

/// Directories that hold tools and credentials side by side: parts of them, never the whole.
const MIXED: &[&str] = &[
    ".asdf",
    ".bun",
    ".cargo",
    ".deno",
    ".fnm",
    ".local",
    ".local/share",
    ".local/share/mise",
    ".local/share/uv",
    ".npm",
    ".npm-global",
    ".nvm",
    ".pyenv",
    ".rustup",
    ".volta",
];

/// The toolchain roots that exist.
pub(super) fn roots(home: &Path) -> Vec<PathBuf> {
    let below = |base: &Path, parts: &[&str]| -> Vec<PathBuf> {
        let paths = parts.iter().map(|part| base.join(part));
        paths.filter(|path| path.exists()).collect()
    };
    let mut found = below(home, ROOTS);
    found.extend(below(Path::new(BREW), BREW_PARTS));
    found
}

/// The variables whose directory exists; one that is not UTF-8 is left out.
pub(super) fn env(home: &Path) -> Vec<(String, String)> {
    ENV.iter()
        .map(|(name, part)| (*name, home.join(part)))
        .filter(|(_, path)| path.is_dir())
        .filter_map(|(name, path)| Some((name.to_owned(), path.to_str()?.to_owned())))
        .collect()
}

/// Whether this path, or something below it, holds credentials: the home and what is above it, too.
pub(super) fn holds_secrets(path: &Path, home: &Path) -> bool {
    home.starts_with(path)
        || SECRET.iter().any(|part| path.starts_with(home.join(part)))
        || MIXED.iter().any(|part| path == home.join(part))
}
