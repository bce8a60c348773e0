//! What a run changed in its checkout, and what a person must look at before it lands.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::RepoPath;

/// A git object id in lower-case hex: 40 digits (SHA-1) or 64 (SHA-256).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Oid(String);

impl Oid {
    /// The hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Oid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let hex = text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if hex && matches!(text.len(), 40 | 64) {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!(
                "`{text}` is not an object id: 40 or 64 lower-case hex digits"
            ))
        }
    }
}

impl TryFrom<String> for Oid {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Oid> for String {
    fn from(oid: Oid) -> Self {
        oid.0
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Oid({})", self.0)
    }
}

/// The modes that git keeps for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileMode {
    /// `100644`
    File,
    /// `100755`
    Executable,
    /// `120000`
    Symlink,
    /// `160000`, a submodule's commit
    Gitlink,
}

impl FileMode {
    /// The six octal digits that git writes.
    pub const fn octal(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Gitlink => "160000",
        }
    }
}

impl FromStr for FileMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "100644" | "100664" => Ok(Self::File),
            "100755" => Ok(Self::Executable),
            "120000" => Ok(Self::Symlink),
            "160000" => Ok(Self::Gitlink),
            other => Err(format!("`{other}` is not a mode of a file in git")),
        }
    }
}

/// How one path differs between the base and the checkout. A rename is a deletion and an addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The path was not in the base.
    Added,
    /// Other content, same kind of file.
    Modified,
    /// The path is gone.
    Deleted,
    /// Only the executable bit differs.
    ModeChanged,
    /// A file became a symlink or the reverse.
    TypeChanged,
}

/// A reason for a person to look twice. Each flag of a change is confirmed by name before it lands (FA-31).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// A file that a CI service runs.
    Ci,
    /// A hook that git or a hook manager runs.
    Hook,
    /// A file that steers an agent.
    AgentRules,
    /// A file that an editor or a shell runs on opening the folder.
    EditorTask,
    /// A file that changes how git treats the tree (`.gitattributes`, `.gitmodules`).
    GitConfig,
    /// Taffrail's own folder in a project.
    ManagedState,
    /// New or newly executable.
    Executable,
    /// A symlink that stays inside the tree.
    Symlink,
    /// Content that is not text.
    Binary,
    /// Something secret-shaped is added.
    Secret,
    /// A name with control, bidirectional or invisible characters, or not in UTF-8.
    OddName,
    /// Two names that one folder of a case-insensitive file system cannot hold.
    CaseCollision,
}

impl Flag {
    /// The flag's name, as a person confirms it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ci => "ci",
            Self::Hook => "hook",
            Self::AgentRules => "agent-rules",
            Self::EditorTask => "editor-task",
            Self::GitConfig => "git-config",
            Self::ManagedState => "managed-state",
            Self::Executable => "executable",
            Self::Symlink => "symlink",
            Self::Binary => "binary",
            Self::Secret => "secret",
            Self::OddName => "odd-name",
            Self::CaseCollision => "case-collision",
        }
    }

    /// Every flag, in the order in which they are shown.
    pub const ALL: [Self; 12] = [
        Self::Ci,
        Self::Hook,
        Self::AgentRules,
        Self::EditorTask,
        Self::GitConfig,
        Self::ManagedState,
        Self::Executable,
        Self::Symlink,
        Self::Binary,
        Self::Secret,
        Self::OddName,
        Self::CaseCollision,
    ];
}

impl FromStr for Flag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|flag| flag.name() == text)
            .ok_or_else(|| format!("`{text}` is not a flag: {}", known()))
    }
}

/// Why a change can never land. One refused change refuses the whole run's landing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// A symlink whose target is absolute or leaves the tree.
    SymlinkLeaves,
    /// A path that git, or a file system that git runs on, takes for its own folder.
    GitFolder,
    /// A repository inside the tree, or a submodule's commit.
    Gitlink,
    /// A socket, pipe or device.
    SpecialFile,
    /// A regular file with more than one link: its content may be reached from elsewhere.
    HardLink,
    /// Larger than the limit of one captured file.
    TooLarge,
}

impl Refusal {
    /// The refusal's stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SymlinkLeaves => "symlink-leaves",
            Self::GitFolder => "git-folder",
            Self::Gitlink => "gitlink",
            Self::SpecialFile => "special-file",
            Self::HardLink => "hard-link",
            Self::TooLarge => "too-large",
        }
    }
}

/// One changed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub path: RepoPath,
    /// What happened.
    pub kind: ChangeKind,
    /// Mode and blob in the base; none when added.
    pub old: Option<(FileMode, Oid)>,
    /// Mode and blob in the checkout; none when deleted or refused.
    pub new: Option<(FileMode, Oid)>,
    /// Lines added; none for binary content.
    pub added: Option<u32>,
    /// Lines removed; none for binary content.
    pub removed: Option<u32>,
    /// Reasons to look twice, sorted, none twice.
    pub flags: Vec<Flag>,
    /// Why it can never land.
    pub refused: Option<Refusal>,
}

/// SHA-256 of a captured diff's bytes, 64 lower-case hex digits. Its first twelve confirm a landing.
#[derive(Clone, PartialEq, Eq)]
pub struct ChangeHash([u8; 32]);

impl ChangeHash {
    /// The hash with these bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes that a row holds.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first twelve hex digits, typed by a person to land.
    pub fn confirmation(&self) -> String {
        self.to_string().chars().take(12).collect()
    }
}

impl fmt::Display for ChangeHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for ChangeHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ChangeHash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_have_one_name_each() {
        for flag in Flag::ALL {
            assert_eq!(flag.name().parse::<Flag>(), Ok(flag));
            assert_eq!(serde_json_name(flag), flag.name());
        }
    }

    /// The serialised name, by serde's own rule, without a JSON library in this crate.
    fn serde_json_name(flag: Flag) -> String {
        use serde::de::value::{Error, StrDeserializer};
        let parsed = Flag::deserialize(StrDeserializer::<Error>::new(flag.name()));
        parsed
            .map(|parsed| parsed.name().to_owned())
            .unwrap_or_default()
    }
}
