//! Real agents of npm: what they are installed from, and what leads each to the scripted model.

use std::path::{Path, PathBuf};
use std::process::Command;

/// An agent: its entry, its package, and the variables that lead it to the scripted model.
pub struct Real {
    pub entry: &'static str,
    pub package: &'static str,
    pub version: &'static str,
    pub variables: &'static [(&'static str, &'static str)],
}

/// `URL` in a value stands for the model's.
pub const GEMINI: Real = Real {
    entry: "gemini-acp",
    package: "@google/gemini-cli",
    version: "0.61.0",
    variables: &[
        ("GEMINI_API_KEY", "not-a-key"),
        ("GOOGLE_GEMINI_BASE_URL", "URL"),
        ("GEMINI_MODEL", "gemini-2.5-flash"),
    ],
};
pub const QWEN: Real = Real {
    entry: "qwen-acp",
    package: "@qwen-code/qwen-code",
    version: "0.15.10",
    variables: &[
        ("OPENAI_API_KEY", "not-a-key"),
        ("OPENAI_BASE_URL", "URL/v1"),
        ("OPENAI_MODEL", "scripted"),
    ],
};
pub const COPILOT: Real = Real {
    entry: "copilot-acp",
    package: "@github/copilot",
    version: "1.0.102",
    variables: &[
        ("COPILOT_PROVIDER_API_KEY", "not-a-key"),
        ("COPILOT_PROVIDER_BASE_URL", "URL/v1"),
        ("COPILOT_MODEL", "scripted"),
        ("COPILOT_OFFLINE", "true"),
    ],
};
pub const GOOSE: Real = Real {
    entry: "goose-acp",
    package: "@aaif/goose-binary-linux-x64",
    version: "1.52.0",
    variables: &[
        ("GOOSE_PROVIDER", "openai"),
        ("OPENAI_API_KEY", "not-a-key"),
        ("OPENAI_HOST", "URL"),
        ("GOOSE_MODEL", "scripted"),
    ],
};

pub const CLAUDE: Real = Real {
    entry: "claude-acp",
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.101.0",
    variables: &[
        ("ANTHROPIC_API_KEY", "not-a-key"),
        ("ANTHROPIC_BASE_URL", "URL"),
    ],
};

impl Real {
    /// The program's name, as the entry has it.
    pub fn name(&self) -> &'static str {
        self.entry.trim_end_matches("-acp")
    }

    /// The folder of its program, which npm fills where it is missing: one folder per agent, so that no version of one pulls
    /// another along.
    pub fn installed(&self) -> PathBuf {
        let own = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let place = match std::env::var_os("TAFFRAIL_TEST_AGENTS") {
            Some(agents) => PathBuf::from(agents).join(self.name()),
            // The other tests of gemini have it there.
            None if self.name() == "gemini" => own.join("peers"),
            None => own.join("agents").join(self.name()),
        };
        let modules = place.join("node_modules");
        if !modules.join(self.package).exists() {
            let package = format!("{}@{}", self.package, self.version);
            let mut npm = Command::new("npm");
            npm.args(["install", "--no-fund", "--no-audit", "--prefix"])
                .arg(&place)
                .arg(&package);
            assert!(
                npm.status().expect("npm is installed").success(),
                "{package}"
            );
        }
        // npm names goose's program after its package.
        let bare = modules.join(self.package).join("bin");
        if bare.join(self.name()).exists() {
            bare
        } else {
            modules.join(".bin")
        }
    }
}
