//! Git hosts.

use super::{Rule, token};
use crate::family::Family::GitHost;

pub(crate) const TOKENS: &[Rule] = &[
    token(
        GitHost,
        "GitHub",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        "[A-Za-z0-9_]{36,}",
    )
    .free(),
    token(GitHost, "GitHub", &["github_pat_"], "[A-Za-z0-9_]{36,}").free(),
    token(
        GitHost,
        "GitLab",
        &[
            "glpat-", "gldt-", "glrt-", "glrtr-", "glptt-", "glft-", "glsoat-", "glimt-",
            "glagent-", "gloas-", "glffct-", "glcbt-", "glwt-",
        ],
        "[A-Za-z0-9_-]{19,}\\.?[a-z0-9]{0,9}",
    )
    .free()
    .entropy(2.5),
    token(
        GitHost,
        "GitLab runner",
        &["GR1348941"],
        "[A-Za-z0-9_-]{16,}",
    )
    .free(),
    token(
        GitHost,
        "GitLab session",
        &["_gitlab_session="],
        "[0-9a-f]{32}",
    )
    .free()
    .kept(),
    token(
        GitHost,
        "Bitbucket",
        &["ATBB"],
        "[A-Za-z0-9]{24}[A-F0-9]{8}",
    ),
    token(
        GitHost,
        "Bitbucket",
        &["ATCTT3xFfGN0"],
        "[A-Za-z0-9_-]{60,}=?[A-F0-9]{0,8}",
    ),
    token(GitHost, "Bitbucket", &["BBDC-"], "[A-Za-z0-9+/=]{32,}").entropy(3.0),
    token(GitHost, "Sourcegraph", &["sgp_"], "[a-fA-F0-9]{40,}"),
    token(
        GitHost,
        "Sourcegraph",
        &["sgp_"],
        "[a-fA-F0-9]{16}_[a-fA-F0-9]{40,}",
    ),
    token(GitHost, "Sourcegraph", &["sgp_local_"], "[a-fA-F0-9]{40,}"),
    token(GitHost, "Sourcegraph", &["slk_"], "[a-f0-9]{64}"),
];
