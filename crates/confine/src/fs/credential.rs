//! Which paths hold credentials (CNF-02): a table over names, pure. Opens nothing and says nothing about content.
//!
//! Names are compared as the most forgiving file system would: without case, without trailing dots and spaces, without
//! the stream suffix of NTFS, without characters that are ignored. Where in doubt the answer is yes: a person can
//! let a path be read in one run (`--allow-read`), nobody can take back a key that was read.

use taffrail_domain::RepoPath;

/// Files by their whole name.
const NAMES: &[&str] = &[
    "_netrc",
    ".boto",
    ".claude.json",
    ".databrickscfg",
    ".dockercfg",
    ".dockerconfigjson",
    ".git-credentials",
    ".htpasswd",
    ".my.cnf",
    ".mylogin.cnf",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".terraformrc",
    ".vault-token",
    "accesstokens.json",
    "application_default_credentials.json",
    "auth.json",
    "client_secret.json",
    "cookies.sqlite",
    "credentials",
    "credentials.db",
    "credentials.json",
    "credentials.tfrc.json",
    "key3.db",
    "key4.db",
    "login data",
    "logins.json",
    "oauth_creds.json",
    "serviceaccountkey.json",
    "terraform.rc",
    "wallet.dat",
];

/// Files by the end of their name.
const ENDINGS: &[&str] = &[
    ".jks",
    ".kdb",
    ".kdbx",
    ".key",
    ".keychain",
    ".keychain-db",
    ".keyring",
    ".keystore",
    ".keytab",
    ".ovpn",
    ".p12",
    ".p8",
    ".pem",
    ".pfx",
    ".pkcs12",
    ".ppk",
];

/// Private keys that `ssh-keygen` and its kin write, with whatever comes after but `.pub`.
const SSH_KEYS: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"];

/// Files and folders by their place, wherever in the tree it is; of a folder everything in it.
const PLACES: &[&[&str]] = &[
    &[".aws"],
    &[".azure"],
    &[".bluemix"],
    &[".cache", "huggingface", "token"],
    &[".cargo", "credentials.toml"],
    &[".claude", ".credentials.json"],
    &[".cline", "data", "secrets.json"],
    &[".codex", "auth.json"],
    &[".composer", "auth.json"],
    &[".config", "configstore"],
    &[".config", "doctl"],
    &[".config", "gcloud"],
    &[".config", "gh"],
    &[".config", "github-copilot"],
    &[".config", "glab-cli"],
    &[".config", "goose", "secrets.yaml"],
    &[".config", "hub"],
    &[".config", "io.datasette.llm", "keys.json"],
    &[".config", "op"],
    &[".config", "rclone"],
    &[".copilot"],
    &[".docker", "config.json"],
    &[".fly"],
    &[".gem", "credentials"],
    &[".gemini", "google_accounts.json"],
    &[".gemini", "oauth_creds.json"],
    &[".gnupg"],
    &[".huggingface", "token"],
    &[".kimi", "credentials"],
    &[".kube"],
    &[".local", "share", "keyrings"],
    &[".local", "share", "kwalletd"],
    &[".local", "share", "opencode", "auth.json"],
    &[".m2", "settings-security.xml"],
    &[".m2", "settings.xml"],
    &[".oci"],
    &[".password-store"],
    &[".pki", "nssdb"],
    &[".qwen", "oauth_creds.json"],
    &[".snowsql", "config"],
    &[".ssh"],
    &[".terraform.d", "credentials.tfrc.json"],
    &["appdata", "roaming", "gcloud"],
    &["library", "keychains"],
];

/// Environment files that are written to be shared: they name variables and hold no values.
const SHARED: &[&str] = &["example", "sample", "template"];

/// Whether something at this path is taken for a credential, wherever in a tree it is and whether or not it exists.
pub fn is_credential(path: &RepoPath) -> bool {
    let parts: Vec<String> = path.parts().map(fold).collect();
    let at_place = |place: &&[&str]| {
        parts
            .windows(place.len())
            .any(|window| window.iter().zip(*place).all(|(part, name)| part == name))
    };
    parts.iter().any(|part| is_environment_file(part))
        || parts.last().is_some_and(|name| is_credential_name(name))
        || PLACES.iter().any(at_place)
}

fn is_credential_name(name: &str) -> bool {
    let is_ssh_key = |key: &&str| name.starts_with(key) && !name.ends_with(".pub");
    let is_service_account = name.ends_with(".json")
        && (name.contains("service-account") || name.contains("service_account"));
    NAMES.contains(&name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || SSH_KEYS.iter().any(is_ssh_key)
        || name.starts_with("client_secret_") && name.ends_with(".json")
        || is_service_account
}

/// `.env` and whatever begins with it, and `production.env` and the like. Also as a folder: some projects keep one
/// file for each environment in it.
fn is_environment_file(name: &str) -> bool {
    let shared = |word: &str| SHARED.contains(&word);
    match (name.strip_prefix(".env"), name.strip_suffix(".env")) {
        (Some(rest), _) => !rest.strip_prefix('.').is_some_and(shared),
        (None, Some(stem)) => !stem.rsplit('.').next().is_some_and(shared),
        (None, None) => false,
    }
}

/// The name as the most forgiving file system compares it.
pub(super) fn fold(part: &[u8]) -> String {
    let text = String::from_utf8_lossy(part);
    let seen = text.chars().filter(|at| !is_ignored(*at));
    // Upper case first: `ſ` and `K` (the Kelvin sign) become plain letters only that way round.
    let folded = seen
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase);
    let folded: String = folded.collect();
    let without_stream = folded
        .split_once("::$")
        .map_or(folded.as_str(), |(name, _)| name);
    without_stream.trim_end_matches(['.', ' ']).to_owned()
}

/// Characters that are left out of a comparison: by HFS+ some, by ext4 and F2FS with case folding all that Unicode calls
/// ignorable (`Default_Ignorable_Code_Point`).
const fn is_ignored(at: char) -> bool {
    matches!(
        at,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paths: &[&str], expect: bool) {
        for path in paths {
            let path = RepoPath::new(*path).unwrap();
            assert_eq!(is_credential(&path), expect, "{path:?}");
        }
    }

    #[test]
    fn cnf_02_environment_files() {
        let held = [
            ".env",
            ".env.local",
            ".env.production",
            ".envrc",
            ".env.example.local",
            ".env.examples",
            "deep/below/.env",
            ".env/production",
            ".envs/.production/.postgres",
            "production.env",
        ];
        check(&held, true);
        let shared = [
            ".env.example",
            ".env.sample",
            "app/.env.template",
            "example.env",
            "web.sample.env",
            "env",
            "env.ts",
            "src/environment.rs",
            "environments/prod.yaml",
        ];
        check(&shared, false);
    }

    #[test]
    fn cnf_02_key_files_and_credential_files() {
        let held = [
            "id_rsa",
            "keys/id_ed25519",
            "id_ecdsa_sk",
            "id_rsa.bak",
            "server.pem",
            "tls/server.key",
            "a.p12",
            "a.pfx",
            "a.jks",
            "passwords.kdbx",
            "x.ppk",
            ".netrc",
            ".npmrc",
            ".pypirc",
            ".git-credentials",
            "auth.json",
            "credentials.json",
            "my-service-account.json",
            "client_secret_123.apps.json",
            "login.keychain-db",
        ];
        check(&held, true);
        let open = [
            "id_rsa.pub",
            "id_ed25519.pub",
            "src/key.rs",
            "keys.md",
            "pem.rs",
            "src/credentials.rs",
            "docs/credentials/README.md",
            "package.json",
            "tests/auth.rs",
            "monkey",
            "turkey.txt",
        ];
        check(&open, false);
    }

    #[test]
    fn cnf_02_folders_of_clouds_agents_and_keychains() {
        let held = [
            ".aws",
            ".aws/config",
            "home/u/.aws/sso/cache/x.json",
            ".azure/msal_token_cache.json",
            ".config/gcloud/access_tokens.db",
            ".config/gh/hosts.yml",
            ".kube/config",
            ".docker/config.json",
            ".ssh/config",
            ".gnupg/pubring.kbx",
            ".claude/.credentials.json",
            ".codex/auth.json",
            ".gemini/oauth_creds.json",
            ".local/share/opencode/auth.json",
            ".config/goose/secrets.yaml",
            "Library/Keychains/login.keychain-db",
            ".local/share/keyrings/login.keyring",
            ".cargo/credentials",
        ];
        check(&held, true);
        let open = [
            ".config/nvim/init.lua",
            ".docker/Dockerfile",
            ".claude/settings.json",
            ".codex/config.toml",
            ".cargo/config.toml",
            "aws/main.tf",
            "kube/deploy.yaml",
            "ssh/mod.rs",
            ".sshd/notes",
            "config/gcloud/x",
        ];
        check(&open, false);
    }

    #[test]
    fn cnf_02_s37_no_spelling_gets_past() {
        let held = [
            ".ENV",
            ".Env.Local",
            "ID_RSA",
            "Server.PEM",
            ".AWS/Credentials",
            ".\u{17f}sh/config",
            ".\u{212a}ube/config",
            ".env.",
            ".env ",
            ".env. .",
            ".env::$DATA",
            "id_rsa.",
            ".aws./config",
            ".e\u{200c}nv",
            ".e\u{ad}nv",
            ".\u{fe0f}env",
            ".n\u{200b}etrc",
            ".env\u{e0001}",
            "id_rsa\u{2060}",
            ".\u{df}h/config",
            "\u{feff}.netrc",
            ".NPMRC ",
        ];
        // The twin: compared with the names as they are known, none of them is held.
        let known = [".env", "id_rsa", ".netrc", ".npmrc", ".aws/credentials"];
        assert!(held.iter().all(|spelled| !known.contains(spelled)));
        check(&held, true);
        let odd = RepoPath::new(b".ssh/\xff\xfe".to_vec()).unwrap();
        assert!(is_credential(&odd));
        let odd = RepoPath::new(b"src/\xff.rs".to_vec()).unwrap();
        assert!(!is_credential(&odd));
    }
}
