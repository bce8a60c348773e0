//! Which paths hold credentials (CNF-02).

use taffrail_domain::RepoPath;

/// Whether something at this path is taken for a credential, wherever in a tree it is.
pub fn is_credential(path: &RepoPath) -> bool {
    path.as_bytes() == b".env"
}
