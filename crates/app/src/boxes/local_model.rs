//! A model that runs on this machine: what an agent's own variables say of its address, and whether a box leads there.

use taffrail_domain::Net;

/// Ports below are never an agent's own (`loopback_ports`).
const LOWEST: u16 = 1024;

/// One sentence for each variable of the entry that leads to a port of this machine which the network of the box does not
/// pass through: without it the agent would only say that it cannot connect, some minutes later.
pub(super) fn out_of_reach(
    (id, pass_env, own): (&str, &[String], &[u16]),
    net: &Net,
    value: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let reached = match net {
        Net::Hosts { loopback, .. } => loopback,
        Net::Ports(ports) => ports,
        Net::Off => return Vec::new(),
    };
    let leads = pass_env.iter().filter_map(|name| {
        let port = loopback_port(&value(name)?).filter(|port| !reached.contains(port))?;
        let why = if own.contains(&port) {
            "where nothing answers now".to_owned()
        } else {
            format!("out of reach: it takes `loopback_ports = [{port}]` in [external_agents.{id}]")
        };
        Some(format!(
            "{name} leads to port {port} of this machine, {why}"
        ))
    });
    leads.collect()
}

/// The port of a plain address of this machine: `http://127.0.0.1:11434/v1`.
fn loopback_port(address: &str) -> Option<u16> {
    let rest = address.strip_prefix("http://");
    let rest = rest.or_else(|| address.strip_prefix("https://"))?;
    let place = rest.split(['/', '?', '#']).next()?;
    let (host, port) = place.rsplit_once(':')?;
    let here = ["127.0.0.1", "localhost", "[::1]"].contains(&host);
    port.parse().ok().filter(|port| here && *port >= LOWEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn box_a_local_model_that_is_out_of_reach_is_told() {
        let hosts = |loopback: &[u16]| Net::Hosts {
            allowed: Vec::new(),
            ask: false,
            loopback: loopback.to_vec(),
        };
        let names = ["MINE_KEY".to_owned(), "MINE_URL".to_owned()];
        let told = |own: &[u16], net: &Net, url: &str| {
            let value = |name: &str| match name {
                "MINE_URL" => Some(url.to_owned()),
                _ => Some("a key".to_owned()),
            };
            out_of_reach(("mine", &names, own), net, value).join("; ")
        };
        let missing = "MINE_URL leads to port 8080 of this machine, out of reach: it takes `loopback_ports = [8080]` in \
                       [external_agents.mine]";
        for url in [
            "http://127.0.0.1:8080",
            "http://localhost:8080/v1",
            "https://[::1]:8080?x",
        ] {
            assert_eq!(told(&[], &hosts(&[]), url), missing);
            assert_eq!(told(&[8080], &hosts(&[8080]), url), "");
            let silent = told(&[8080], &hosts(&[]), url);
            assert!(silent.ends_with("where nothing answers now"), "{silent}");
            assert_eq!(told(&[], &Net::Ports(vec![443]), url), missing);
            assert_eq!(told(&[8080], &Net::Ports(vec![443, 8080]), url), "");
            assert_eq!(told(&[], &Net::Off, url), "");
        }
        for elsewhere in [
            "https://api.example.com:8080",
            "127.0.0.1:8080",
            "http://127.0.0.1",
            "http://127.0.0.1:80",
            "http://127.0.0.1.example.com:8080",
            "",
        ] {
            assert_eq!(told(&[], &hosts(&[]), elsewhere), "", "{elsewhere}");
        }
    }
}
