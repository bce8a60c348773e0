//! Streams against children that flood, do not read, or are gone.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::*;

/// Longer than anything here takes on a busy machine.
const LONG: Duration = Duration::from_secs(60);
const SMALL: DrainLimits = DrainLimits {
    head: 4,
    tail: 6,
    budget: 20,
};

fn never() {
    panic!("the budget was not used up");
}

#[test]
fn fa_27_both_ends_are_kept_and_everything_is_counted() {
    let (from, mut to) = io::pipe().unwrap();
    let drain = Drain::start(from, SMALL, never).unwrap();
    to.write_all(b"0123456789abcdefghij").unwrap();
    drop(to);
    let kept = drain.finish(LONG);
    assert_eq!((&*kept.head, &*kept.tail), (&b"0123"[..], &b"efghij"[..]));
    assert!(kept.total == 20 && kept.left_out() == 10 && !kept.over_budget);
    assert_eq!(kept.into_bytes(), b"0123\n[10 bytes left out]\nefghij");
}

#[test]
fn fa_27_past_the_budget_it_is_told_once_and_reading_goes_on() {
    let (from, mut to) = io::pipe().unwrap();
    let (tell, told) = channel();
    let drain = Drain::start(from, SMALL, move || tell.send(()).unwrap()).unwrap();
    to.write_all(b"0123456789abcdefghij").unwrap();
    to.write_all(b"k").unwrap();
    told.recv_timeout(LONG).unwrap();
    // More than a pipe holds: a reader that had stopped would hold the writer up.
    to.write_all(&vec![b'x'; 1 << 20]).unwrap();
    drop(to);
    let kept = drain.finish(LONG);
    assert!(told.recv().is_err(), "told twice");
    assert!(kept.over_budget && kept.total == 21 + (1 << 20));
    assert_eq!(kept.tail, b"efghij", "nothing past the budget is kept");
}

#[test]
fn fa_27_a_stream_without_end_is_left_after_a_while() {
    let (from, mut to) = io::pipe().unwrap();
    let drain = Drain::start(from, SMALL, never).unwrap();
    to.write_all(b"here").unwrap();
    while drain.so_far().total < 4 {
        std::thread::yield_now();
    }
    let since = Instant::now();
    let kept = drain.finish(Duration::from_millis(30));
    assert!(since.elapsed() < LONG / 2);
    assert_eq!(kept.head, b"here");
    // Nobody reads any more; the writing end learns it, once no child that got a copy is just being started.
    let mut set = [PollFd::new(&to, PollFlags::empty())];
    rustix::io::retry_on_intr(|| poll(&mut set, None)).unwrap();
    assert!(to.write_all(b"more").is_err());
}

#[test]
fn fa_27_a_drain_that_is_dropped_lets_go() {
    let (from, mut to) = io::pipe().unwrap();
    drop(Drain::start(from, SMALL, never).unwrap());
    let mut set = [PollFd::new(&to, PollFlags::empty())];
    rustix::io::retry_on_intr(|| poll(&mut set, None)).unwrap();
    assert!(to.write_all(b"x").is_err());
}

/// Our memory while a child floods: as flat as before. In kilobytes, from the kernel.
#[cfg(target_os = "linux")]
#[test]
fn fa_27_a_flood_costs_no_memory() {
    const ALONE: &str = "TAFFRAIL_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        // In a program of its own: what other tests hold meanwhile would be counted.
        let own = std::env::current_exe().unwrap();
        let name = "stream::tests::fa_27_a_flood_costs_no_memory";
        let ran = Command::new(own)
            .args(["--exact", name])
            .env(ALONE, "1")
            .output();
        let said = String::from_utf8_lossy(&ran.unwrap().stdout).into_owned();
        assert!(said.contains("1 passed"), "{said}");
        return;
    }
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .unwrap();
        let number = line.split_ascii_whitespace().nth(1).unwrap();
        number.parse::<u64>().unwrap()
    };
    let mut yes = Command::new("yes").stdout(Stdio::piped()).spawn().unwrap();
    let (tell, told) = channel();
    let out = yes.stdout.take().unwrap();
    let drain = Drain::start(out, DrainLimits::STDERR, move || tell.send(()).unwrap()).unwrap();
    let before = resident();
    told.recv_timeout(LONG).unwrap();
    let wanted = 96 << 20;
    while drain.so_far().total < wanted {
        std::thread::yield_now();
    }
    let grown = resident().saturating_sub(before);
    yes.kill().unwrap();
    yes.wait().unwrap();
    let kept = drain.finish(LONG);
    assert!(kept.total >= wanted && kept.over_budget);
    assert_eq!((kept.head.len(), kept.tail.len()), (16 << 10, 48 << 10));
    // 80 MiB and more were thrown away.
    assert!(grown < 32 << 10, "{grown} KiB");
}

#[test]
fn fa_20_what_is_sent_arrives_in_order_before_the_end() {
    let (mut from, to) = io::pipe().unwrap();
    let feed = Feed::start(to, 1 << 20).unwrap();
    let sent: Vec<u8> = (0..=250).cycle().take(400_000).collect();
    sent.chunks(7_000)
        .for_each(|piece| feed.send(piece.to_vec()).unwrap());
    let reader = std::thread::spawn(move || {
        let mut all = Vec::new();
        from.read_to_end(&mut all).unwrap();
        all
    });
    assert_eq!(feed.close(LONG), 0);
    assert_eq!(reader.join().unwrap(), sent);
}

#[test]
fn fa_20_a_child_that_does_not_read_holds_nobody_up() {
    let (from, to) = io::pipe().unwrap();
    let feed = Feed::start(to, 300_000).unwrap();
    let since = Instant::now();
    feed.send(vec![1; 200_000]).unwrap();
    let refused = feed.send(vec![2; 300_000]);
    assert!(
        matches!(refused, Err(FeedError::Full { limit: 300_000, waiting }) if waiting > 0),
        "{refused:?}"
    );
    assert!(feed.waiting() > 0);
    let lost = feed.close(Duration::from_millis(30));
    assert!(since.elapsed() < LONG / 2);
    // A pipe holds 64 KiB unless somebody made it larger.
    assert!(lost > 0 && lost < 200_000, "{lost}");
    drop(from);
}

/// Its twin: written plainly, the same bytes are not written yet when somebody begins to read.
#[test]
fn fa_20_twin_a_plain_write_waits_for_the_child() {
    let (mut from, mut to) = io::pipe().unwrap();
    let writer = std::thread::spawn(move || to.write_all(&vec![1; 200_000]).unwrap());
    let mut first = [0; 1];
    from.read_exact(&mut first).unwrap();
    assert!(!writer.is_finished());
    io::copy(&mut from, &mut io::sink()).unwrap();
    writer.join().unwrap();
}

#[test]
fn fa_28_a_child_that_is_gone_is_an_error_and_no_signal() {
    let (from, to) = io::pipe().unwrap();
    let feed = Feed::start(to, 1 << 20).unwrap();
    drop(from);
    let end = Instant::now() + LONG;
    while feed.send(b"x".to_vec()).is_ok() {
        assert!(Instant::now() < end, "the end was never noticed");
        std::thread::yield_now();
    }
    assert_eq!(feed.send(b"x".to_vec()), Err(FeedError::Gone));
}

#[test]
fn fa_20_a_feed_that_is_dropped_closes_the_input() {
    for waiting in [0, 200_000] {
        let (mut from, to) = io::pipe().unwrap();
        let feed = Feed::start(to, 1 << 20).unwrap();
        if waiting > 0 {
            feed.send(vec![1; waiting]).unwrap();
        }
        drop(feed);
        let mut rest = Vec::new();
        from.read_to_end(&mut rest).unwrap();
        assert!(rest.len() <= waiting);
    }
}

#[test]
fn a_leash_that_is_dropped_ends_the_waiting() {
    let (quiet, _open) = io::pipe().unwrap();
    let (leash, collar) = leash().unwrap();
    drop(leash);
    assert!(!collar.wait(quiet.as_fd(), PollFlags::IN));
}
