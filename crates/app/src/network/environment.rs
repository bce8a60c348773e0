//! How programs learn of a proxy: there is no one way.

use taffrail_confine::env::ChildEnv;

/// Asked for directly: the run's own servers, and this machine's ports that are passed through.
const DIRECT: &str = "localhost,127.0.0.1,::1";

/// curl and what is built on it reads the small names and for plain HTTP only those; Go, reqwest, undici's agents and
/// Python read both; Node itself reads either from version 24 on, and only when it is told to.
pub(super) fn with_proxy(env: ChildEnv, port: u16, password: Option<&str>) -> ChildEnv {
    let user = password
        .map(|password| format!("taffrail:{password}@"))
        .unwrap_or_default();
    let proxy = format!("http://{user}127.0.0.1:{port}");
    let env = [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ]
    .into_iter()
    .fold(env, |env, name| env.set(name, &proxy));
    env.set("NO_PROXY", DIRECT)
        .set("no_proxy", DIRECT)
        .set("NODE_USE_ENV_PROXY", "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_08_programs_are_told_of_the_proxy_in_every_way_they_read() {
        let pairs = with_proxy(ChildEnv::cleared(), 3128, Some("x")).to_pairs();
        let get = |name: &str| {
            let found = pairs.iter().find(|(known, _)| known == name.as_bytes());
            found.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
        };
        for name in ["http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
            assert_eq!(
                get(name).as_deref(),
                Some("http://taffrail:x@127.0.0.1:3128"),
                "{name}"
            );
        }
        assert_eq!(get("NO_PROXY").as_deref(), Some(DIRECT));
        assert_eq!(get("NODE_USE_ENV_PROXY").as_deref(), Some("1"));
    }
}
