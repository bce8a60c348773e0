//! What stays open, in plain words: for the screen and the record.

use taffrail_domain::{Net, Rung};

use super::Policy;

/// Said when there is no sandbox.
pub(crate) const NOTHING: &str =
    "Nothing is enforced: the command can do whatever you can, the whole network included.";

/// One sentence for each thing that this policy leaves within the child's reach.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) fn sentences(policy: &Policy) -> Vec<String> {
    let mut said = Vec::new();
    if policy.rung == Rung::Partial {
        said.extend(PARTIAL.iter().map(|text| (*text).to_owned()));
        if policy.proc {
            said.push("The command lines of all processes of this machine can be read.".to_owned());
        }
        if policy.hosts.is_some() {
            said.push("Host names are not pinned: /etc/hosts is the machine's own.".to_owned());
        }
        for path in &policy.read_only {
            let path = path.display();
            said.push(format!(
                "{path} was carried to be read only, and can be written."
            ));
        }
    }
    said.extend(reached(policy));
    if !policy.own_network() && !policy.bind_ports.is_empty() {
        said.push(format!(
            "Other programs of this machine can connect to servers that the command starts: on port{} {}, or on a \
             port that the kernel picks.",
            if policy.bind_ports.len() == 1 { "" } else { "s" },
            list(&policy.bind_ports),
        ));
    }
    said
}

/// The ports that Landlock lets through, which knows no hosts.
fn reached(policy: &Policy) -> Option<String> {
    let ports = match &policy.net {
        Net::Ports(ports) => ports.clone(),
        Net::Hosts { loopback, .. } if !policy.own_network() => {
            policy.proxy.iter().chain(loopback).copied().collect()
        }
        Net::Hosts { .. } | Net::Off => Vec::new(),
    };
    let plural = match ports.len() {
        0 => return None,
        1 => "",
        _ => "s",
    };
    let ports = list(&ports);
    Some(match &policy.net {
        Net::Hosts { .. } => format!(
            "TCP port{plural} {ports} can be reached on every host, past the proxy that listens there on this machine."
        ),
        Net::Ports(_) | Net::Off => format!(
            "TCP port{plural} {ports} can be reached on every host, this machine and its neighbours included."
        ),
    })
}

fn list(ports: &[u16]) -> String {
    let words: Vec<String> = ports.iter().map(u16::to_string).collect();
    words.join(", ")
}

/// What Landlock and seccomp leave open without a mount view and namespaces.
const PARTIAL: &[&str] = &[
    "Names, sizes and times of your files can be seen and watched, though not their content.",
    "Permissions, times and extended attributes of your files can be changed, though not their content.",
    "Process ids of other programs can be probed, though not read, traced or signalled.",
    "Processes that the command leaves behind are ended by the supervisor, not by the kernel.",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(rung: Rung) -> Policy {
        let folder = tempfile::tempdir().unwrap();
        Policy::common(rung, folder.path(), folder.path()).unwrap()
    }

    #[test]
    fn cnf_03_the_full_rung_without_network_leaves_nothing_open() {
        assert!(sentences(&policy(Rung::Full)).is_empty());
    }

    #[test]
    fn cnf_03_what_the_partial_rung_cannot_do_is_said() {
        let mut policy = policy(Rung::Partial);
        assert_eq!(sentences(&policy).len(), PARTIAL.len());
        policy.proc = true;
        policy.hosts = Some("/x".into());
        policy.read_only = vec!["/box/wt/node_modules".into()];
        policy.net = Net::Ports(vec![53, 443]);
        policy.bind_ports = vec![8080];
        let said = sentences(&policy).join("\n");
        for part in [
            "command lines",
            "/etc/hosts",
            "node_modules",
            "53, 443",
            "on port 8080",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}
