//! An agent that does with its ends of the FIFOs what it likes.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags};
use serde_json::json;
use taffrail_mcp::broker::Greeting;

use super::transport::{hello, reading};
use super::{Scene, TOKEN, line, put, read, scene};
use crate::external::doors::fifos::{self, SLOTS};

/// An agent's own ends of a slot, without a pipe between.
struct Raw {
    requests: File,
    answers: File,
}

fn raw(scene: &Scene, slot: usize) -> Raw {
    let open = |name: String, way: OFlags| -> File {
        let how = way | OFlags::NONBLOCK | OFlags::CLOEXEC;
        rustix::fs::open(scene.folder.join(name), how, Mode::empty())
            .unwrap()
            .into()
    };
    let answers = open(fifos::answers(slot), OFlags::RDONLY);
    Raw {
        requests: open(fifos::requests(slot), OFlags::WRONLY),
        answers,
    }
}

impl Raw {
    fn greet(&mut self, nonce: u8) {
        let greeting = Greeting {
            token: TOKEN,
            nonce: [nonce; 16],
        };
        self.requests.write_all(&greeting.to_bytes()).unwrap();
    }

    /// Blocking from here on: an answer is waited for.
    fn lines(self) -> impl Iterator<Item = String> {
        rustix::io::ioctl_fionbio(&self.answers, false).unwrap();
        // The other end stays open as long as lines are read.
        let requests = self.requests;
        BufReader::new(self.answers).lines().map(move |line| {
            let _ = &requests;
            line.unwrap()
        })
    }

    /// Waits for the reply to a greeting.
    fn greeted(&mut self) {
        let mut poll = [rustix::event::PollFd::new(
            &self.answers,
            rustix::event::PollFlags::IN,
        )];
        rustix::event::poll(&mut poll, None).unwrap();
        let mut reply = [0; 512];
        let length = self.answers.read(&mut reply).unwrap();
        assert!(reply[..length].ends_with(b" ok\n"));
    }

    /// Writes until the FIFO takes no more for a while, or so many bytes are through.
    fn pour(&mut self, bytes: &[u8], most: usize) -> usize {
        let mut through = 0;
        while through < most {
            match self.requests.write(bytes) {
                Ok(length) => through += length,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    let mut poll = [rustix::event::PollFd::new(
                        &self.requests,
                        rustix::event::PollFlags::OUT,
                    )];
                    let wait = rustix::event::Timespec {
                        tv_sec: 1,
                        tv_nsec: 0,
                    };
                    if rustix::event::poll(&mut poll, Some(&wait)).unwrap() == 0 {
                        return through;
                    }
                }
                Err(_) => return through,
            }
        }
        through
    }
}

#[test]
fn fa_25_names_that_were_replaced_lead_the_run_nowhere() {
    let scratch = tempfile::tempdir().unwrap();
    let made = fifos::make(scratch.path()).unwrap();
    for slot in 0..SLOTS {
        let (requests, answers) = (fifos::requests(slot), fifos::answers(slot));
        rustix::fs::unlink(made.folder.join(&requests)).unwrap();
        rustix::fs::unlink(made.folder.join(&answers)).unwrap();
        put(&made.folder.join(&requests), "planted");
        std::os::unix::fs::symlink("/etc/passwd", made.folder.join(&answers)).unwrap();
        let opened = (made.slots[slot].requests)().unwrap();
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&opened).unwrap().st_mode);
        assert_eq!(kind, FileType::Fifo);
        // Nobody reads the FIFO that is held: no file is written to in its place.
        let unread = (made.slots[slot].answers)().unwrap_err();
        assert_eq!(
            unread.raw_os_error(),
            Some(rustix::io::Errno::NXIO.raw_os_error())
        );
        // The twin: whoever goes by the name gets what was planted.
        let by_name = |way, name: &str| {
            rustix::fs::open(
                made.folder.join(name),
                way | OFlags::NONBLOCK,
                Mode::empty(),
            )
        };
        let mut planted = String::new();
        let file = by_name(OFlags::RDONLY, &requests).unwrap();
        File::from(file).read_to_string(&mut planted).unwrap();
        assert_eq!(planted, "planted");
        let file = by_name(OFlags::RDONLY, &answers).unwrap();
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&file).unwrap().st_mode);
        assert_eq!(kind, FileType::RegularFile);
    }
}

#[test]
fn fa_25_a_pipe_takes_nothing_but_fifos() {
    let scene = scene();
    for name in std::fs::read_dir(&scene.folder).unwrap() {
        let path = name.unwrap().path();
        rustix::fs::unlink(&path).unwrap();
        put(&path, "planted");
    }
    assert!(scene.connect().refused().contains("is no FIFO"));
    let answers = scene.folder.join(fifos::answers(0));
    rustix::fs::unlink(&answers).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &answers).unwrap();
    assert!(scene.connect().thread.join().unwrap().is_err());
    assert!(whole(&scene.folder.join(fifos::requests(0))).contains("planted"));
}

fn whole(path: &Path) -> String {
    let file = rustix::fs::open(path, OFlags::RDONLY, Mode::empty()).unwrap();
    let mut text = String::new();
    File::from(file).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn fa_25_a_folder_that_a_setup_command_left_is_not_used() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::create_dir(scratch.path().join("taffrail-broker")).unwrap();
    let (first, second) = (
        fifos::make(scratch.path()).unwrap(),
        fifos::make(scratch.path()).unwrap(),
    );
    assert_ne!(first.folder, second.folder);
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    std::os::unix::fs::symlink(scratch.path(), &link).unwrap();
    assert!(
        fifos::make(&link).is_err(),
        "a scratch folder that is a link"
    );
}

#[test]
fn fa_25_a_pipe_that_died_in_the_middle_of_a_line_spoils_nothing_of_the_next() {
    let scene = scene();
    for slot in 0..SLOTS {
        let mut dead = raw(&scene, slot);
        dead.greet(1);
        dead.greeted();
        dead.requests
            .write_all(br#"{"jsonrpc":"2.0","id":1,"method":"tools/ca"#)
            .unwrap();
    }
    for _ in 0..SLOTS {
        let client = scene.connect().client();
        assert_eq!(read(&client, "a.txt"), "in the checkout\n");
    }
}

#[test]
fn fa_25_a_slot_that_is_held_open_goes_to_the_next_that_greets_and_no_byte_is_mixed() {
    let scene = scene();
    let mut held = raw(&scene, 0);
    held.greet(1);
    held.greeted();
    held.requests.write_all(&line(&hello())).unwrap();
    held.requests.write_all(br#"{"half": "#).unwrap();
    // The second one opens the same FIFOs while the first still holds them.
    let client = scene.connect().client();
    assert_eq!(read(&client, "a.txt"), "in the checkout\n");
    // What the first one writes now is a line of nobody; the connection of the second stands.
    held.requests.write_all(b"no line of mine\n").unwrap();
    assert_eq!(read(&client, "a.txt"), "in the checkout\n");
}

#[test]
fn fa_25_garbage_and_floods_cost_their_own_slot_and_no_other() {
    let scene = scene();
    let mut noisy = raw(&scene, SLOTS - 1);
    // Before a greeting: the slot is given up after a mebibyte.
    let through = noisy.pour(&[b'x'; 4096], 64 << 20);
    assert!(through < 4 << 20, "{through}");
    let mut garbage = raw(&scene, SLOTS - 2);
    garbage.greet(2);
    garbage.greeted();
    garbage.requests.write_all(&line(&hello())).unwrap();
    // A line of 64 MiB is passed over within its bounds.
    let long = garbage.pour(&[b'x'; 4096], 64 << 20);
    assert_eq!(long, 64 << 20);
    assert_eq!(garbage.pour(b"\n", 1), 1);
    let client = scene.connect().client();
    assert_eq!(read(&client, "a.txt"), "in the checkout\n");
    let lines: Vec<String> = garbage.lines().take(2).collect();
    assert!(
        lines[1].contains("exceeds the 1048576-byte limit"),
        "{}",
        lines[1]
    );
}

#[test]
fn fa_25_an_agent_that_reads_no_answers_is_not_read_from_for_ever() {
    let mut scene = scene();
    let mut deaf = raw(&scene, 3);
    deaf.greet(3);
    deaf.greeted();
    deaf.requests.write_all(&line(&hello())).unwrap();
    let list = line(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let through = deaf.pour(&list, 64 << 20);
    assert!(through < 1 << 20, "{through} bytes of requests were taken");
    let client = scene.connect().client();
    assert_eq!(read(&client, "a.txt"), "in the checkout\n");
    drop(client);
    // It holds up nothing at the end either.
    let begun = std::thread::spawn(move || scene.stop());
    begun.join().unwrap();
}

#[test]
fn fa_25_a_message_of_very_many_values_is_refused_unparsed() {
    let scene = scene();
    let mut raw = raw(&scene, 0);
    raw.greet(4);
    raw.greeted();
    raw.requests.write_all(&line(&hello())).unwrap();
    let many = format!("{{\"a\":[{}0]}}\n", "[],".repeat(9_000));
    raw.pour(many.as_bytes(), many.len());
    raw.requests.write_all(&line(&reading(9))).unwrap();
    let lines: Vec<String> = raw.lines().take(3).collect();
    assert!(lines[1].contains("more than 8192 values"), "{}", lines[1]);
    assert!(lines[2].contains("in the checkout"), "{}", lines[2]);
}

#[test]
fn fa_25_calls_that_never_reach_a_tool_are_told_too() {
    let scene = scene();
    let client = scene.connect().client();
    for (tool, arguments) in [
        ("memory_propose", json!({"type": "lesson", "content": "c"})),
        ("rm_rf", json!({})),
        ("read_file", json!({"path": 7})),
        ("read_file", json!({"path": "../../etc/passwd"})),
    ] {
        assert!(client.call(tool, arguments).is_err());
    }
    let calls = scene.calls();
    let told: Vec<_> = calls
        .iter()
        .map(|call| (call.tool.as_str(), call.reason.is_some()))
        .collect();
    assert_eq!(
        told,
        [
            ("memory_propose", true),
            ("rm_rf", true),
            ("read_file", true),
            ("read_file", true)
        ]
    );
    assert!(
        calls[3]
            .reason
            .as_deref()
            .unwrap()
            .starts_with("path_refused"),
        "{:?}",
        calls[3]
    );
}
