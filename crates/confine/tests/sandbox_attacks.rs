//! CNF-03, CNF-08, FA-41: every attack is tried in a process that entered the sandbox, and once without one. This
//! program is its own warden and attacker, so it has no test harness: a warden has one thread.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::exit)]

mod attack;

use attack::claims;
use attack::launch::{ATTACKER, Order, Skip, Told, attacker, launch, launch_on_terminal, policy};
use attack::rows::{Expect, Row, WITH_A_PORT, WITHOUT_NETWORK};
use attack::world::World;
use taffrail_confine::sandbox::{resolve_command, visible_for};
use taffrail_domain::{Layer, Net, Probe, Rung};

type Test = (&'static str, fn());

const TESTS: &[Test] = &[
    ("cnf_03_s36_twin_attacks_succeed_without_a_sandbox", || {
        table(WITH_A_PORT, Rung::None, false);
    }),
    ("cnf_03_s36_attacks_fail_on_the_partial_rung", || {
        table(WITH_A_PORT, Rung::Partial, false);
    }),
    ("cnf_03_landlock_denies_its_rows_alone", || {
        claims(Layer::Landlock, claims::LANDLOCK);
    }),
    ("cnf_03_seccomp_denies_its_rows_alone", || {
        claims(Layer::Seccomp, claims::SECCOMP);
    }),
    #[cfg(feature = "peers")]
    ("cnf_03_bubblewrap_denies_its_rows_alone", || {
        claims(Layer::Bubblewrap, claims::VIEW);
    }),
    ("cnf_08_s12_twin_no_network_without_a_sandbox", || {
        table(WITHOUT_NETWORK, Rung::None, true);
    }),
    ("cnf_08_s12_no_network_on_the_partial_rung", || {
        table(WITHOUT_NETWORK, Rung::Partial, true);
    }),
    (
        "cnf_03_the_proof_misses_a_layer_on_the_partial_rung",
        || {
            a_layer_is_missed(Rung::Partial);
        },
    ),
    ("cnf_03_enforcement_is_reported_on_the_partial_rung", || {
        reported(Rung::Partial);
    }),
    (
        "cnf_03_a_second_thread_is_refused",
        a_second_thread_is_refused,
    ),
    (
        "cnf_03_a_canary_out_of_reach_is_refused",
        a_canary_out_of_reach_is_refused,
    ),
    (
        "cnf_03_an_inherited_descriptor_breaks_the_proof",
        an_inherited_descriptor_breaks_the_proof,
    ),
    (
        "cnf_03_granted_proc_shows_processes_and_not_their_secrets",
        granted_proc,
    ),
    (
        "cnf_08_a_granted_listener_works_and_no_other",
        a_granted_listener,
    ),
    (
        "fa_41_a_command_of_the_home_runs_on_the_partial_rung",
        || {
            installed(Rung::Partial);
        },
    ),
    ("cnf_03_a_terminal_can_be_opened_by_its_names", || {
        terminal(Rung::Partial);
    }),
    #[cfg(feature = "peers")]
    (
        "cnf_03_a_terminal_can_be_opened_by_its_names_on_the_full_rung",
        || {
            terminal(Rung::Full);
        },
    ),
    #[cfg(feature = "peers")]
    ("fa_41_a_command_of_the_home_runs_on_the_full_rung", || {
        installed(Rung::Full);
    }),
    ("cnf_03_everyday_tools_work_on_the_partial_rung", || {
        tools(Rung::Partial);
    }),
    #[cfg(feature = "peers")]
    ("cnf_03_everyday_tools_work_on_the_full_rung", || {
        tools(Rung::Full);
    }),
    #[cfg(feature = "peers")]
    (
        "cnf_03_the_view_holds_only_what_is_granted",
        the_view_is_bare,
    ),
    #[cfg(feature = "peers")]
    (
        "cnf_08_host_names_are_pinned_on_the_full_rung",
        hosts_are_pinned,
    ),
    #[cfg(feature = "peers")]
    (
        "cnf_03_new_terminals_are_made_only_where_granted",
        new_terminals,
    ),
    #[cfg(feature = "peers")]
    ("cnf_03_s36_attacks_fail_on_the_full_rung", || {
        table(WITH_A_PORT, Rung::Full, false);
    }),
    #[cfg(feature = "peers")]
    ("cnf_08_s12_no_network_on_the_full_rung", || {
        table(WITHOUT_NETWORK, Rung::Full, true);
    }),
    #[cfg(feature = "peers")]
    ("cnf_03_the_proof_misses_a_layer_on_the_full_rung", || {
        a_layer_is_missed(Rung::Full);
    }),
    #[cfg(feature = "peers")]
    ("cnf_03_the_proof_misses_the_view", the_view_is_missed),
    #[cfg(feature = "peers")]
    ("cnf_03_enforcement_is_reported_on_the_full_rung", || {
        reported(Rung::Full);
    }),
    #[cfg(feature = "peers")]
    (
        "cnf_03_read_only_holds_inside_the_box_on_the_full_rung",
        read_only_holds,
    ),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == ATTACKER) {
        return attacker();
    }
    // What the caller left open (3 and up, marked close-on-exec: flag 4) would rightly break every proof.
    let last = u32::MAX as usize;
    attack::raw::call(libc::SYS_close_range, [3, last, 4, 0, 0, 0]).unwrap();
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let is_wanted =
        |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(*word));
    let tests = TESTS.iter().filter(|(name, _)| is_wanted(name));
    if words.iter().any(|word| word == "--list") {
        return tests.for_each(|(name, _)| println!("{name}: test"));
    }
    run(&tests.collect::<Vec<_>>());
}

/// Runs and tells as the standard harness does, so that what reads its lines reads these.
fn run(tests: &[&(&str, fn())]) {
    let mut failed = 0;
    for (name, test) in tests {
        let held = std::panic::catch_unwind(test).is_ok();
        println!("test {name} ... {}", if held { "ok" } else { "FAILED" });
        failed += usize::from(!held);
    }
    let (word, passed) = (
        if failed == 0 { "ok" } else { "FAILED" },
        tests.len() - failed,
    );
    let rest = "0 ignored; 0 measured; 0 filtered out";
    println!("\ntest result: {word}. {passed} passed; {failed} failed; {rest}");
    std::process::exit(if failed == 0 { 0 } else { 101 });
}

/// Every row of a table on one rung, each with a world of its own; all that come out wrong are told at once.
fn table(rows: &[Row], rung: Rung, off: bool) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|row| attempt(row, rung, off))
        .collect();
    assert!(wrong.is_empty(), "{rung:?}:\n  {}", wrong.join("\n  "));
}

fn attempt(row: &Row, rung: Rung, off: bool) -> Option<String> {
    let mut world = World::new();
    let net = if off {
        Net::Off
    } else {
        Net::Ports(vec![world.target.granted])
    };
    let policy = policy(&world.target, rung, net);
    let before = world.outside();
    let told = launch(
        &policy,
        &world.target,
        &Order::Try(row.name.to_owned()),
        true,
    );
    let unchanged = before == world.outside();
    let expect = match rung {
        Rung::None => row.none,
        Rung::Partial => row.partial,
        Rung::Full => row.full,
    };
    let root = rustix::process::geteuid().is_root();
    let held = match (expect, &told) {
        (_, Told::Failed(_) | Told::Proved(_) | Told::Entered(..)) => false,
        (Expect::A, told) => *told == Told::Tried(Ok(())),
        (Expect::P, told) => *told == Told::Tried(Ok(())) && unchanged,
        (Expect::R, told) => (*told == Told::Tried(Ok(()))) == root,
        (Expect::U, _) => true,
        (Expect::D, told) => *told != Told::Tried(Ok(())) && unchanged,
    };
    if expect == Expect::U && std::env::var_os("TAFFRAIL_SHOW").is_some() {
        println!("  {}: {told:?}", row.name);
    }
    (!held).then(|| {
        format!(
            "{}: {expect:?}, but {told:?}, unchanged: {unchanged}",
            row.name
        )
    })
}

/// Every claimed row fails under one layer, and nothing outside changes.
fn claims(layer: Layer, rows: &[&str]) {
    let mut wrong = Vec::new();
    for row in rows {
        let mut world = World::new();
        let rung = if layer == Layer::Bubblewrap {
            Rung::Full
        } else {
            Rung::Partial
        };
        let policy = policy(&world.target, rung, Net::Ports(vec![world.target.granted]));
        let before = world.outside();
        let order = Order::TryUnder(layer, (*row).to_owned());
        let told = launch(&policy, &world.target, &order, true);
        let unchanged = before == world.outside();
        let denied = matches!(told, Told::Tried(Err(_)) | Told::Killed(_));
        if !denied || !unchanged {
            wrong.push(format!("{row}: {told:?}, unchanged: {unchanged}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{layer:?} alone:\n  {}",
        wrong.join("\n  ")
    );
}

fn failing(told: Told) -> Vec<Probe> {
    match told {
        Told::Proved(rows) => rows.into_iter().filter(|row| !row.held).collect(),
        other => panic!("{other:?}"),
    }
}

fn a_layer_is_missed(rung: Rung) {
    for off in [true, false] {
        for skip in [
            Skip::Nothing,
            Skip::Capabilities,
            Skip::Landlock,
            Skip::Seccomp,
        ] {
            let world = World::new();
            let net = if off {
                Net::Off
            } else {
                Net::Ports(vec![world.target.granted])
            };
            let policy = policy(&world.target, rung, net);
            let rows = failing(launch(&policy, &world.target, &Order::Prove(skip), true));
            // An ordinary user has no capabilities, and inside the view nobody has: nothing is missing then.
            let root = rustix::process::geteuid().is_root() && rung == Rung::Partial;
            let whole = skip == Skip::Nothing || (skip == Skip::Capabilities && !root);
            // Installing a filter forbids new privileges by itself.
            assert_eq!(
                rows.is_empty(),
                whole,
                "{rung:?} off {off} without {skip:?}: {rows:#?}"
            );
        }
    }
}

fn reported(rung: Rung) {
    let world = World::new();
    let policy = policy(&world.target, rung, Net::Off);
    match launch(&policy, &world.target, &Order::Enter, true) {
        Told::Entered(enforcement, micros) => {
            assert_eq!(enforcement.rung, rung);
            assert_eq!(
                enforcement.layers.len(),
                if rung == Rung::Full { 3 } else { 2 }
            );
            assert!(enforcement.landlock_abi >= 6);
            assert_eq!(enforcement.net, Net::Off);
            assert!(
                enforcement.probes.len() >= 15 && enforcement.probes.iter().all(|row| row.held)
            );
            assert_eq!(enforcement.open.is_empty(), rung == Rung::Full);
            println!("  entering the {} rung took {micros} µs", rung.name());
        }
        other => panic!("{other:?}"),
    }
}

fn a_second_thread_is_refused() {
    let world = World::new();
    let policy = policy(&world.target, Rung::Partial, Net::Off);
    let told = launch(&policy, &world.target, &Order::EnterThreaded, true);
    assert!(
        matches!(&told, Told::Failed(why) if why.contains("threads")),
        "{told:?}"
    );
}

fn a_canary_out_of_reach_is_refused() {
    let world = World::new();
    let policy = policy(&world.target, Rung::Partial, Net::Off);
    std::fs::remove_file(world.target.home.join(".bashrc")).unwrap();
    let told = launch(&policy, &world.target, &Order::Enter, true);
    assert!(
        matches!(&told, Told::Failed(why) if why.contains("prove")),
        "{told:?}"
    );
}

fn an_inherited_descriptor_breaks_the_proof() {
    let world = World::new();
    let policy = policy(&world.target, Rung::Partial, Net::Off);
    let file = std::fs::File::open(world.target.project.join("file")).unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let told = launch(&policy, &world.target, &Order::Enter, true);
    assert!(
        matches!(&told, Told::Failed(why) if why.contains("descriptors")),
        "{told:?}"
    );
}

fn granted_proc() {
    for (row, open) in [
        ("read /proc/<out>/cmdline", true),
        ("work: own processes in /proc", true),
        ("read /proc/<out>/environ", false),
        ("read /proc/<out>/maps", false),
        ("read /proc/<out>/mem", false),
        ("write the project: /proc/<out>/root", false),
        ("write a kernel setting", false),
    ] {
        let world = World::new();
        let mut policy = policy(&world.target, Rung::Partial, Net::Off);
        policy.proc = true;
        let told = launch(&policy, &world.target, &Order::Try(row.to_owned()), true);
        assert_eq!(told == Told::Tried(Ok(())), open, "{row}: {told:?}");
    }
}

fn a_granted_listener() {
    let world = World::new();
    let mut policy = policy(
        &world.target,
        Rung::Partial,
        Net::Ports(vec![world.target.granted]),
    );
    // The listener's row asks for any port, which only a rule for port 0 grants.
    for (ports, row, open) in [
        (vec![0], "bind and listen", true),
        (vec![world.target.other], "bind and listen", false),
        (vec![], "bind and listen", false),
    ] {
        policy.bind_ports.clone_from(&ports);
        let told = launch(&policy, &world.target, &Order::Try(row.to_owned()), true);
        assert_eq!(told == Told::Tried(Ok(())), open, "{ports:?}: {told:?}");
    }
}

#[cfg(feature = "peers")]
fn the_view_is_missed() {
    let world = World::new();
    let policy = policy(&world.target, Rung::Full, Net::Off);
    std::fs::create_dir_all("/var/tmp").unwrap();
    let rows = failing(launch(
        &policy,
        &world.target,
        &Order::Prove(Skip::Nothing),
        false,
    ));
    let shared = rows
        .iter()
        .find(|row| row.what.contains("namespaces"))
        .unwrap();
    assert_eq!(shared.saw, "mount, process, ipc, user, network");
}

#[cfg(feature = "peers")]
fn read_only_holds() {
    for (held, row) in [
        (true, "work: files in the box"),
        (false, "work: files in the box"),
    ] {
        let world = World::new();
        let mut policy = policy(&world.target, Rung::Full, Net::Off);
        if held {
            policy.read_only = vec![world.target.boxed.join("tmp")];
        }
        let told = launch(&policy, &world.target, &Order::Try(row.to_owned()), true);
        assert_eq!(told == Told::Tried(Ok(())), !held, "{told:?}");
    }
}

/// What builds and agents do all day. A tool that this machine lacks is passed over.
const TOOLS: &[&str] = &[
    "echo one > a; mv a ../tmp/b; cat ../tmp/b > /dev/null; ls /etc /usr > /dev/null",
    "mkfifo p; (echo x > p) & cat p; wait; rm p",
    "if command -v bash; then bash -c 'cat <(echo x); echo y > /dev/stderr; seq 9 | sort -R'; fi",
    "if command -v git; then git init -q r; cd r; echo x > f; git add f; \
     git -c user.name=n -c user.email=e commit -qm m; git log --stat; git status; git gc -q; fi",
    "if command -v cc; then echo 'int main(void){return 0;}' > m.c; cc m.c -o m; ./m; fi",
    "if command -v make; then printf 'a b:\\n\\ttouch a b\\n' > Makefile; make -j2 a b; test -f a; fi",
    "if test -x /usr/bin/python3; then /usr/bin/python3 -c 'import subprocess,tempfile,threading; \
     subprocess.run([\"/bin/true\"],check=True); tempfile.NamedTemporaryFile(); \
     t=threading.Thread(target=lambda:0); t.start(); t.join()'; fi",
    "if test -x /usr/bin/node; then /usr/bin/node -e 'const fs=require(\"fs\"); \
     require(\"child_process\").execSync(\"echo x\"); fs.watch(\".\").close(); \
     new (require(\"worker_threads\").Worker)(\"1\",{eval:true})'; fi",
];

fn tools(rung: Rung) {
    for text in TOOLS {
        let world = World::new();
        let mut policy = policy(&world.target, rung, Net::Off);
        policy.pty = true;
        let told = launch(
            &policy,
            &world.target,
            &Order::Shell((*text).to_owned()),
            true,
        );
        assert!(matches!(&told, Told::Ran(Some(0), _)), "{text}: {told:?}");
    }
}

#[cfg(feature = "peers")]
fn the_view_is_bare() {
    let world = World::new();
    let policy = policy(&world.target, Rung::Full, Net::Off);
    let text = "for name in $(ls /); do case $name in \
        bin|sbin|lib|lib32|lib64|libx32|usr|etc|opt|nix|gnu|proc|dev|tmp|var|run) ;; \
        *) echo $name >&2;; esac; done; \
        ls /var /run >&2; test $(ls /proc | grep -c '^[0-9]') -lt 9";
    match launch(&policy, &world.target, &Order::Shell(text.to_owned()), true) {
        Told::Ran(Some(0), said) => {
            let names: Vec<&str> = said.split_whitespace().collect();
            assert_eq!(names, ["/run:", "taffrail", "/var:", "tmp"], "{said}");
        }
        other => panic!("{other:?}"),
    }
}

#[cfg(feature = "peers")]
fn new_terminals() {
    for (rung, granted, made) in [
        (Rung::Full, true, true),
        (Rung::Full, false, false),
        (Rung::Partial, true, false),
    ] {
        let world = World::new();
        let mut policy = policy(&world.target, rung, Net::Off);
        policy.pty = granted;
        let order = Order::Try("work: a new terminal".to_owned());
        let told = launch(&policy, &world.target, &order, true);
        assert_eq!(
            told == Told::Tried(Ok(())),
            made,
            "{rung:?} {granted}: {told:?}"
        );
    }
}

/// A package under a version manager, its interpreter beside it: visible and running, and the home still hidden.
fn installed(rung: Rung) {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let world = World::new();
    let home = &world.target.home;
    let prefix = home.join(".nvm/versions/node/v1");
    let package = prefix.join("lib/node_modules/@a/agent");
    std::fs::create_dir_all(prefix.join("bin")).unwrap();
    std::fs::create_dir_all(&package).unwrap();
    std::fs::copy("/bin/sh", prefix.join("bin/node")).unwrap();
    std::fs::write(package.join("data"), "x").unwrap();
    let script = package.join("agent.js");
    std::fs::write(
        &script,
        "#!/usr/bin/env node\ntest -r \"$(dirname \"$(readlink -f \"$0\")\")/data\"\n",
    )
    .unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    symlink(
        "../lib/node_modules/@a/agent/agent.js",
        prefix.join("bin/agent"),
    )
    .unwrap();
    let dirs = [prefix.join("bin"), "/usr/bin".into(), "/bin".into()];
    let path = std::env::join_paths(&dirs).unwrap();
    let command = resolve_command("agent".as_ref(), &path, &world.target.checkout).unwrap();
    let visible = visible_for(&command, &dirs, home);
    let text = format!(
        "PATH={}:$PATH; agent; ! cat {1}/.ssh/id_test; ! ls {1}/.aws; ! cat {1}/.bashrc",
        prefix.join("bin").display(),
        home.display()
    );
    for (granted, runs) in [(true, true), (false, false)] {
        let mut policy = policy(&world.target, rung, Net::Off);
        if granted {
            policy.read.extend(visible.read.iter().cloned());
        }
        let told = launch(&policy, &world.target, &Order::Shell(text.clone()), true);
        assert_eq!(matches!(told, Told::Ran(Some(0), _)), runs, "{told:?}");
    }
}

/// `/dev/stderr` and `/dev/tty` of a child whose terminal was made outside the view.
fn terminal(rung: Rung) {
    let world = World::new();
    let policy = policy(&world.target, rung, Net::Off);
    let text =
        "echo x > /dev/stderr; echo x > /dev/tty; test -t 2; stty size < /dev/tty".to_owned();
    let told = launch_on_terminal(&policy, &world.target, &Order::Terminal(text));
    assert!(matches!(&told, Told::Ran(Some(0), _)), "{told:?}");
}

#[cfg(feature = "peers")]
fn hosts_are_pinned() {
    for (pinned, text) in [
        (true, "grep -q pinned.test /etc/hosts"),
        (false, "! grep -q pinned.test /etc/hosts"),
    ] {
        let world = World::new();
        let mut policy = policy(&world.target, Rung::Full, Net::Off);
        let hosts = world.target.root.join("hosts");
        std::fs::write(&hosts, "127.0.0.1 pinned.test\n").unwrap();
        policy.hosts = pinned.then_some(hosts);
        let told = launch(&policy, &world.target, &Order::Shell(text.to_owned()), true);
        assert!(matches!(told, Told::Ran(Some(0), _)), "{told:?}");
    }
}
