//! Promise: where hosts are named, a box reaches those and nothing else, over a proxy of ours, and the record names every
//! host that was asked for (CNF-08, S13).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;
#[path = "network/questions.rs"]
mod questions;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use common::{PATIENCE, committed, data, review, surely_bubblewrapped, world};
use serde_json::{Value, json};
use taffrail_testkit::{Hermetic, Ran, Repo, eventually};

/// Asks the proxy as a program does that was told of it by the environment; `ask PLACE` says what it answered.
const ASK: &str = r#"
at=${HTTP_PROXY##*@}; at=${at#http://}
case $HTTP_PROXY in
  *@*) pair=${HTTP_PROXY#http://}; sign="Proxy-Authorization: Basic $(printf %s "${pair%@*}" | base64 -w0)";;
  *) sign="Accept: */*";;
esac
ask() {
  exec 3<>"/dev/tcp/${at%:*}/${at#*:}"
  printf 'GET http://%s/ HTTP/1.1\r\n%s\r\n\r\n' "$1" "${2-$sign}" >&3
  cat <&3 | tr -d '\r' | sed -n '1p;$p' | tr '\n' ' '
  exec 3>&-
}
direct() { (exec 3<>"/dev/tcp/127.0.0.1/$1" && read -r line <&3 && echo "$line") 2>/dev/null || echo refused; }
"#;

/// A server of this machine that greets whoever comes, or answers a request.
fn server(greets: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // Ends with the test's process.
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut stream = stream;
                if greets {
                    return stream.write_all(b"welcome\n").is_ok();
                }
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while lines
                    .next()
                    .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
                {}
                stream
                    .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nserved")
                    .is_ok()
            });
        }
    });
    port
}

/// A front on this machine: whoever greets it in TLS is served, whomever they name.
fn front() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // Ends with the test's process.
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // The whole record: what is closed with something unread in it may take the answer back.
            let mut head = [0; 5];
            if stream.read_exact(&mut head).is_ok() && head[0] == 22 {
                let mut rest = vec![0; usize::from(u16::from_be_bytes([head[3], head[4]]))];
                stream.read_exact(&mut rest).ok();
                stream.write_all(b"met").ok();
            }
        }
    });
    port
}

/// A hello of TLS that names a host, as the words of `printf`.
fn hello(name: &str) -> String {
    let list = |bytes: &[u8]| [&(bytes.len() as u16).to_be_bytes()[..], bytes].concat();
    let named = list(&[&[0], list(name.as_bytes()).as_slice()].concat());
    let extensions = list(&[&[0, 0], list(&named).as_slice()].concat());
    let start = [&[3, 3][..], &[7; 32], &[0, 0, 2, 19, 1, 1, 0]].concat();
    let message = [&[1, 0][..], &list(&[start, extensions].concat())].concat();
    let record = [&[22, 3, 1][..], &list(&message)].concat();
    record.iter().map(|byte| format!("\\x{byte:02x}")).collect()
}

/// `tunnel PLACE BYTES` says them to a tunnel, and what came back in hexadecimal; `past PORT BYTES` the same without a proxy.
const TUNNEL: &str = r#"
tunnel() {
  exec 3<>"/dev/tcp/${at%:*}/${at#*:}"
  printf 'CONNECT %s HTTP/1.1\r\n%s\r\n\r\n' "$1" "$sign" >&3
  while read -r line <&3 && test "$line" != $'\r'; do :; done
  printf "$2" >&3; od -An -tx1 <&3 | tr -d ' \n'; exec 3>&-
}
past() { exec 3<>"/dev/tcp/127.0.0.1/$1"; printf "$2" >&3; od -An -tx1 <&3 | tr -d ' \n'; exec 3>&-; }
"#;

struct Scene {
    world: Hermetic,
    repo: Repo,
}

impl Scene {
    fn new(config: &str) -> Self {
        let mut world = world();
        // A name server that does not answer is waited for once, and not for minutes.
        world.set_env("RES_OPTIONS", "timeout:1 attempts:1");
        let repo = committed(&world);
        world.config(config);
        Self { world, repo }
    }

    /// The agent's work, done by bash: what it says.
    fn agent(&self, flags: &[&str], script: &str) -> Ran {
        let script = format!("{ASK}\n{script}");
        let mut line = vec!["box", "--name", "n", "--agent", "fake"];
        line.extend(flags);
        line.extend(["--", "bash", "-c", &script]);
        let run = self.world.command(&line).in_directory(self.repo.root());
        run.go().success()
    }

    /// The id of the one question that waits; it is about this place.
    fn question(&self, place: &str) -> String {
        let open = || {
            let all = data(&self.world, &self.repo, &["inbox", "--json"]);
            let all = all["questions"].as_array().unwrap().clone();
            all.into_iter()
                .find(|one| one["what"].as_str().unwrap().contains(place))
        };
        assert!(eventually(PATIENCE, || open().is_some()));
        let question = open().unwrap();
        assert_eq!(question["risk"], "network", "{question}");
        question["question"].as_str().unwrap().to_owned()
    }

    /// The hosts of the record.
    fn hosts(&self) -> Vec<Value> {
        let answer = review(&self.world, &self.repo, "n");
        let events = answer["events"].as_array().unwrap();
        let mut all = events.iter().filter(|event| event["type"] == "network");
        let hosts = all
            .next()
            .map(|event| event["body"]["hosts"].as_array().unwrap().clone());
        assert!(all.next().is_none(), "one event for a run: {answer}");
        hosts.unwrap_or_default()
    }
}

fn entry(hosts: &[String], loopback: &[u16]) -> String {
    format!(
        "[external_agents.fake]\ncommand = \"fake-agent\"\nhosts = {hosts:?}\nloopback_ports = {loopback:?}\n"
    )
}

#[test]
#[allow(clippy::too_many_lines)] // one run, looked at from all sides
fn cnf_08_a_box_reaches_the_hosts_of_its_agent_and_no_other() {
    let (named, other, own) = (server(false), server(true), server(true));
    let scene = Scene::new(&entry(
        &[format!("127.0.0.1:{named}"), "*.named.test".to_owned()],
        &[own],
    ));
    let ran = scene.agent(
        &["--net", "on"],
        &format!(
            "ask 127.0.0.1:{named}; echo; ask 127.0.0.1:{other}; echo; ask 127.1:{named}; echo; ask evil.test; echo
             ask gone.named.test; echo; direct {named}; direct {other}; direct {own}; echo \"$NODE_USE_ENV_PROXY $no_proxy\""
        ),
    );
    let said: Vec<&str> = ran.stdout.lines().map(str::trim_end).collect();
    assert_eq!(
        said[0], "HTTP/1.1 200 OK served",
        "{}{}",
        ran.stdout, ran.stderr
    );
    assert!(
        said[1].starts_with("HTTP/1.1 403 Forbidden"),
        "{}",
        ran.stdout
    );
    assert!(
        said[1].contains("not of the open internet"),
        "{}",
        ran.stdout
    );
    assert!(
        said[2].starts_with("HTTP/1.1 400 Bad Request"),
        "{}",
        ran.stdout
    );
    assert!(
        said[3].contains("evil.test:80 is not among the hosts"),
        "{}",
        ran.stdout
    );
    assert!(
        said[4].contains("gone.named.test:80 has no address"),
        "{}",
        ran.stdout
    );
    // Past the proxy nothing answers, but for the entry's own port.
    assert_eq!(
        said[5..],
        ["refused", "refused", "welcome", "1 localhost,127.0.0.1,::1"]
    );
    assert!(ran.stderr.contains("evil.test:80"), "{}", ran.stderr);
    let unreached = "allowed, and not reached: gone.named.test:80\n";
    assert!(ran.stderr.contains(unreached), "{}", ran.stderr);
    let words = format!(
        "network by host: 127.0.0.1:{named} *.named.test 127.0.0.1:{own} · others are refused"
    );
    assert!(ran.stderr.contains(&words), "{}", ran.stderr);
    if surely_bubblewrapped() {
        assert!(
            !ran.stderr.contains("open:"),
            "nothing is left open: {}",
            ran.stderr
        );
    } else {
        assert!(
            ran.stderr.contains("past the proxy") || !ran.stderr.contains("partial"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn cnf_08_the_record_names_every_host_with_its_bytes() {
    let named = server(false);
    let scene = Scene::new(&entry(&[format!("127.0.0.1:{named}")], &[]));
    scene.agent(
        &[],
        &format!("for n in 1 2; do ask 127.0.0.1:{named}; ask evil.test:443; done; ask 0x7f.1:{named}; echo x > x"),
    );
    let hosts = scene.hosts();
    let find = |host: &str| hosts.iter().find(|row| row["host"] == host).cloned();
    let reached = find("127.0.0.1").unwrap();
    assert_eq!(
        (&reached["port"], &reached["verdict"]),
        (&json!(named), &json!("allowed"))
    );
    assert_eq!(reached["connections"], 2);
    assert_eq!(reached["address"], format!("127.0.0.1:{named}"));
    // Two answers of 44 bytes came, and what was asked went out.
    assert_eq!(reached["down"], 88, "{reached}");
    assert!(reached["up"].as_u64().unwrap() > 80, "{reached}");
    let refused = find("evil.test").unwrap();
    let expect = json!({"host": "evil.test", "port": 443, "verdict": "refused", "why": "not_allowed",
        "connections": 2, "up": 0, "down": 0});
    assert_eq!(refused, expect);
    let malformed = find(&format!("0x7f.1:{named}")).unwrap();
    assert_eq!(malformed["why"], "malformed", "{malformed}");
    let shown = scene
        .world
        .taffrail_in(scene.repo.root(), &["box", "review", "--record", "n"])
        .success();
    assert!(shown.stdout.contains("evil.test"), "{}", shown.stdout);
}

/// The twin: by port the same command reaches the same server past everything.
#[test]
fn cnf_08_by_port_a_box_reaches_every_host_and_says_so() {
    let (named, other) = (server(false), server(true));
    let ports = format!("[sandbox]\nports = [{other}]\n");
    let scene = Scene::new(&format!(
        "{ports}{}",
        entry(&[format!("127.0.0.1:{named}")], &[])
    ));
    let ran = scene.agent(
        &["--net", "ports"],
        &format!("direct {other}; echo \"${{HTTP_PROXY-no proxy}}\""),
    );
    assert_eq!(ran.stdout, "welcome\nno proxy\n", "{}", ran.stderr);
    assert!(ran.stderr.contains("of any host"), "{}", ran.stderr);
    assert_eq!(scene.hosts(), [] as [Value; 0]);
}

/// S13: a front serves many names; through a tunnel to one of them TLS names another.
#[test]
fn cnf_08_s13_a_tunnel_to_an_allowed_host_is_no_way_to_another_one_of_its_front() {
    let front = front();
    let hosts = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("{host}:{front}"));
    let scene = Scene::new(&entry(&hosts, &[]));
    let (good, evil) = (hello("localhost"), hello("evil.test"));
    let ran = scene.agent(
        &["--net", "on"],
        &format!(
            "{TUNNEL}\ntunnel localhost:{front} '{good}'; echo; tunnel localhost:{front} '{evil}'"
        ),
    );
    // The second is the alert that the name is not recognized.
    assert_eq!(ran.stdout, "6d6574\n15030300020270", "{}", ran.stderr);
    let words = format!("evil.test:{front} (in a tunnel to localhost)");
    assert!(ran.stderr.contains(&words), "{}", ran.stderr);
    let hosts = scene.hosts();
    let told = hosts.iter().find(|row| row["host"] == "evil.test").unwrap();
    assert_eq!(
        (&told["tunnel"], &told["verdict"], &told["why"], &told["up"]),
        (
            &json!("localhost"),
            &json!("refused"),
            &json!("other_name"),
            &json!(0)
        )
    );
}

/// The twin: where nobody looks at what a connection names, the same bytes are served.
#[test]
fn cnf_08_s13_twin_by_port_the_front_serves_whomever_tls_names() {
    let front = front();
    let scene = Scene::new(&format!(
        "[sandbox]\nports = [{front}]\n{}",
        entry(&[], &[])
    ));
    let evil = hello("evil.test");
    let ran = scene.agent(
        &["--net", "ports"],
        &format!("{TUNNEL}\npast {front} '{evil}'"),
    );
    assert_eq!(ran.stdout, "6d6574", "{}", ran.stderr);
}

#[test]
fn cnf_08_what_runs_first_and_a_box_that_is_entered_again_reach_the_same_hosts() {
    let named = server(false);
    let setup = format!("bash ask.sh 127.0.0.1:{named} > first");
    let entry = entry(&[format!("127.0.0.1:{named}")], &[]);
    let config = format!("{entry}[checkout]\nsetup = {setup:?}\n");
    let scene = Scene::new(&config);
    scene.repo.file("ask.sh", format!("{ASK}\nask \"$1\""));
    scene.repo.commit("a script");
    let ran = scene.agent(&["--keep"], "cat first");
    assert!(
        ran.stdout.starts_with("HTTP/1.1 200 OK"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let script = format!("{ASK}\nask 127.0.0.1:{named}");
    let line = ["box", "enter", "n", "--", "bash", "-c", &script];
    let ran = scene
        .world
        .command(&line)
        .in_directory(scene.repo.root())
        .go()
        .success();
    assert!(
        ran.stdout.starts_with("HTTP/1.1 200 OK"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn cnf_08_the_hosts_of_the_user_are_for_every_command() {
    let named = server(false);
    let scene = Scene::new(&format!("[sandbox]\nhosts = [\"127.0.0.1:{named}\"]\n"));
    let script = format!("{ASK}\nask 127.0.0.1:{named}");
    let line = ["box", "--net", "on", "--", "bash", "-c", &script];
    let ran = scene
        .world
        .command(&line)
        .in_directory(scene.repo.root())
        .go()
        .success();
    assert!(
        ran.stdout.starts_with("HTTP/1.1 200 OK"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

/// Without bubblewrap the proxy's port is one of this machine's: without the run's own password it serves nobody.
#[test]
fn cnf_08_without_bubblewrap_the_proxy_asks_for_the_run_s_password() {
    let named = server(false);
    let mut world = world();
    world.set_env("TAFFRAIL_BWRAP", "/nowhere/bwrap");
    let repo = committed(&world);
    world.config(&entry(&[format!("127.0.0.1:{named}")], &[]));
    let scene = Scene { world, repo };
    let ran = scene.agent(
        &[],
        &format!(
            "ask 127.0.0.1:{named} 'Accept: x'; echo; ask 127.0.0.1:{named}; echo; direct {named}"
        ),
    );
    let said: Vec<&str> = ran.stdout.lines().map(str::trim_end).collect();
    assert!(said[0].starts_with("HTTP/1.1 407 "), "{}", ran.stdout);
    assert_eq!(
        said[1..],
        ["HTTP/1.1 200 OK served", "refused"],
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("can be reached on every host, past the proxy"),
        "{}",
        ran.stderr
    );
}
