//! Programs that reach other machines, other agents, or places where credentials are kept.

use super::destructive::runs_code;
use super::tree::Word;

/// They reach another machine whatever they are told, names alone included.
const NETWORK: &[&str] = &[
    "aria2c",
    "curl",
    "dig",
    "drill",
    "ftp",
    "getent",
    "host",
    "http",
    "https",
    "httpie",
    "irssi",
    "lftp",
    "links",
    "lynx",
    "mail",
    "mosh",
    "nc",
    "ncat",
    "netcat",
    "nmap",
    "nslookup",
    "openssl",
    "ping",
    "ping6",
    "rclone",
    "rdesktop",
    "rlogin",
    "rsh",
    "rsync",
    "scp",
    "sendmail",
    "sftp",
    "socat",
    "ssh",
    "ssh-copy-id",
    "telnet",
    "tftp",
    "traceroute",
    "w3m",
    "wget",
    "whois",
    "xh",
    "yt-dlp",
    "gh",
    "glab",
    "hub",
    "aws",
    "az",
    "gcloud",
    "gsutil",
    "bq",
    "doctl",
    "heroku",
    "fly",
    "flyctl",
    "vercel",
    "netlify",
    "wrangler",
    "firebase",
    "kubectl",
    "helm",
    "terraform",
    "tofu",
    "pulumi",
    "ansible",
    "ansible-playbook",
    "twine",
    "mc",
    "s3cmd",
    "brew",
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "apk",
    "pacman",
    "snap",
    "npx",
    "pnpx",
    "bunx",
    "uvx",
    "pipx",
];
/// They reach one with these subcommands.
const NETWORK_BY: &[(&[&str], &[&str])] = &[
    (
        &["npm", "pnpm", "yarn", "bun"],
        &[
            "install",
            "i",
            "ci",
            "add",
            "update",
            "upgrade",
            "publish",
            "unpublish",
            "login",
            "view",
            "info",
            "audit",
            "outdated",
            "dlx",
            "create",
            "init",
            "exec",
            "x",
            "search",
            "deprecate",
        ],
    ),
    (
        &["pip", "pip3", "uv", "poetry", "conda", "mamba"],
        &[
            "install", "download", "add", "sync", "publish", "update", "search", "lock",
        ],
    ),
    (
        &["cargo"],
        &[
            "install", "publish", "yank", "search", "login", "owner", "add", "update", "fetch",
        ],
    ),
    (&["go"], &["get", "install", "mod"]),
    (
        &["gem", "bundle", "composer", "mix", "dotnet", "nuget"],
        &[
            "install", "push", "update", "yank", "add", "require", "restore", "deps.get", "publish",
        ],
    ),
    (
        &["docker", "podman", "nerdctl"],
        &["pull", "push", "login", "build", "run", "search", "compose"],
    ),
    (
        &["git"],
        &[
            "push",
            "pull",
            "fetch",
            "clone",
            "ls-remote",
            "submodule",
            "send-email",
            "archive",
            "svn",
            "lfs",
            "credential",
            "remote",
        ],
    ),
    (
        &[
            "rustup", "nvm", "fnm", "volta", "pyenv", "rbenv", "asdf", "mise", "sdk", "deno",
            "mvn", "gradle", "opam", "cabal", "stack",
        ],
        &[
            "update", "install", "add", "deploy", "publish", "upload", "upgrade", "i",
        ],
    ),
    (
        &["python", "python3", "py"],
        &["pip", "http.server", "ensurepip", "twine"],
    ),
    (
        &["hg", "svn"],
        &["push", "pull", "clone", "checkout", "update", "commit"],
    ),
    (&["taffrail"], &["serve", "serve-mcp"]),
];
/// Agents of other vendors, and ours.
const AGENTS: &[&str] = &[
    "aider",
    "amp",
    "auggie",
    "claude",
    "claude-agent-acp",
    "claude-code",
    "claude-code-acp",
    "cline",
    "codex",
    "codex-acp",
    "copilot",
    "crush",
    "cursor-agent",
    "droid",
    "gemini",
    "gemini-cli",
    "goose",
    "kilocode",
    "kimi",
    "kiro-cli",
    "llm",
    "openclaude",
    "opencode",
    "opencode-ai",
    "openhands",
    "pi",
    "qodo",
    "qwen",
    "qwen-code",
];
/// Programs that give out what is kept, by their subcommand; without any it is enough to call them.
const KEEPERS: &[(&[&str], &[&str])] = &[
    (&["security"], &[]),
    (
        &[
            "secret-tool",
            "pass",
            "gopass",
            "op",
            "bw",
            "lpass",
            "rbw",
            "keyctl",
            "kwallet-query",
            "vault",
            "sops",
            "age",
        ],
        &[],
    ),
    (&["ssh-add", "ssh-keygen", "ssh-agent"], &[]),
    (
        &["gpg", "gpg2"],
        &[
            "--export-secret-keys",
            "--export-secret-subkeys",
            "--decrypt",
            "-d",
        ],
    ),
    (&["gh", "glab", "hub"], &["token", "auth"]),
    (
        &["aws"],
        &[
            "configure",
            "get-session-token",
            "get-secret-value",
            "get-login-password",
            "get-parameter",
            "sso",
        ],
    ),
    (
        &["gcloud"],
        &[
            "print-access-token",
            "print-identity-token",
            "secrets",
            "auth",
        ],
    ),
    (&["az"], &["get-access-token", "keyvault"]),
    (&["kubectl", "oc"], &["secret", "secrets"]),
    (&["git"], &["credential"]),
    (&["npm", "pnpm", "yarn"], &["token", "login"]),
    (&["docker", "podman"], &["login"]),
];

/// Code that reaches another machine, where it stands among the words of an interpreter.
const NETWORK_CODE: &[&str] = &[
    "urllib",
    "requests.",
    "httpx.",
    "http.client",
    "socket.",
    "fetch(",
    "http.get",
    "https.get",
    "net.connect",
    "net/http",
    "io::socket",
    "lwp::",
    "curl_exec",
    "fsockopen",
];

/// Whether a command reaches another machine.
pub fn network(name: &str, arguments: &[Word]) -> bool {
    let in_code = |word: &Word| {
        let text = String::from_utf8_lossy(word.text()).to_lowercase();
        NETWORK_CODE.iter().any(|code| text.contains(code))
    };
    NETWORK.contains(&name)
        || by(NETWORK_BY, name, arguments)
        || runs_code(name) && arguments.iter().any(in_code)
}

/// Whether it starts an agent.
pub fn agent(name: &str, arguments: &[Word]) -> bool {
    let said = |word: &str| arguments.iter().any(|at| at.text() == word.as_bytes());
    // `npx claude-code@latest`.
    let bare = name.split('@').next().unwrap_or(name);
    AGENTS.contains(&bare) || name == "taffrail" && (said("agents") || said("run"))
}

/// Whether it gives out what a keeper of credentials holds.
pub fn credential(name: &str, arguments: &[Word]) -> bool {
    by(KEEPERS, name, arguments)
}

/// Whether it brings something from another machine that could be run.
pub fn downloader(name: &str) -> bool {
    matches!(
        name,
        "curl"
            | "wget"
            | "aria2c"
            | "http"
            | "https"
            | "xh"
            | "fetch"
            | "lynx"
            | "w3m"
            | "nc"
            | "ncat"
            | "netcat"
            | "scp"
            | "ftp"
    )
}

fn by(table: &[(&[&str], &[&str])], name: &str, arguments: &[Word]) -> bool {
    let said = |words: &[&str]| {
        words.is_empty()
            || arguments
                .iter()
                .any(|at| words.iter().any(|word| at.text() == word.as_bytes()))
    };
    table
        .iter()
        .any(|(names, words)| names.contains(&name) && said(words))
}
