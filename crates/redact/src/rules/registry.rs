//! Package registries.

use super::{Rule, token};
use crate::family::Family::Registry;

pub(crate) const TOKENS: &[Rule] = &[
    token(Registry, "npm", &["npm_"], "[A-Za-z0-9]{36,}").entropy(2.5),
    token(Registry, "PyPI", &["pypi-Ag"], "[A-Za-z0-9_-]{50,}").free(),
    token(Registry, "RubyGems", &["rubygems_"], "[a-f0-9]{48}").free(),
    token(Registry, "crates.io", &["cio"], "[A-Za-z0-9]{32}").entropy(3.5),
    token(Registry, "NuGet", &["oy2"], "[a-z0-9]{43}")
        .entropy(3.0)
        .digit(),
    token(
        Registry,
        "Docker Hub",
        &["dckr_pat_", "dckr_oat_"],
        "[A-Za-z0-9_-]{20,}",
    )
    .free(),
    token(Registry, "JFrog", &["AKCp"], "[A-Za-z0-9]{60,80}").entropy(3.0),
    token(Registry, "JFrog", &["cmVmd"], "[A-Za-z0-9_-]{55,60}").entropy(3.5),
    token(
        Registry,
        "Clojars",
        &["CLOJARS_", "clojars_"],
        "[A-Za-z0-9]{60}",
    )
    .entropy(2.0)
    .free(),
    token(
        Registry,
        "Packagist",
        &["packagist_ack_"],
        "[a-f0-9]{28,32}",
    ),
    token(
        Registry,
        "Packagist",
        &["packagist_"],
        "[a-z]{2,8}_[a-f0-9]{60,}",
    ),
    token(Registry, "Hex", &["hexp_", "hexo_"], "[A-Za-z0-9_-]{30,}").digit(),
];
