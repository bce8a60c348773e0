use super::*;
use crate::processes::{processes_with, wait_gone};

const LIMIT: Duration = Duration::from_secs(60);

fn run(script: &str) -> Run {
    Run::new("/bin/sh", &["-c", script])
        .env("PATH", "/usr/bin:/bin")
        .env("TERM", "xterm-256color")
}

fn terminal(script: &str) -> Terminal {
    Terminal::spawn(run(script), TerminalSize::default())
}

#[test]
fn what_is_written_stands_on_the_screen_with_its_colours() {
    let mut terminal = terminal(r"printf 'a wide 漢 \033[31;44mred\033[0m plain\n'; exit 3");
    terminal.wait_for("red plain", LIMIT);
    assert_eq!(terminal.find("red"), Some((0, 10)));
    let (red, blue) = (vt100::Color::Idx(1), vt100::Color::Idx(4));
    assert_eq!(terminal.colours_of("red"), Some((red, blue)));
    let default = vt100::Color::Default;
    assert_eq!(terminal.colours_of("plain"), Some((default, default)));
    assert_eq!(terminal.colours_of("absent"), None);
    assert_eq!(terminal.wait_exit(LIMIT), 3);
    assert_eq!(terminal.screen(), "a wide 漢 red plain");
    assert!(terminal.raw().ends_with(b"plain\r\n"));
}

#[test]
fn the_program_has_the_terminal_as_its_own_and_control_c_reaches_it() {
    let mut terminal =
        terminal("trap 'exit 7' INT; echo ready > /dev/tty; while :; do sleep 0.05; done");
    terminal.wait_for("ready", LIMIT);
    assert!(terminal.is_cooked());
    terminal.key(Key::Control('c'));
    assert_eq!(terminal.wait_exit(LIMIT), 7);
}

#[test]
fn typed_lines_are_echoed_and_read() {
    let mut terminal =
        terminal(r#"read line; echo "got: $line"; stty -echo; echo quiet; read line"#);
    terminal.send("hello");
    terminal.key(Key::Enter);
    terminal.wait_for("got: hello", LIMIT);
    assert!(
        terminal.screen().starts_with("hello\n"),
        "{}",
        terminal.screen()
    );
    terminal.wait_for("quiet", LIMIT);
    assert!(!terminal.is_cooked());
    terminal.send("secret\r");
    assert_eq!(terminal.wait_exit(LIMIT), 0);
    assert!(!terminal.screen().contains("secret"));
}

#[test]
fn a_resize_reaches_the_program() {
    // It sleeps, because a signal in front of a `read` waits for the line.
    let script = "trap 'stty size; exit 0' WINCH; stty size; while :; do sleep 0.05; done";
    let mut terminal = terminal(script);
    terminal.wait_for("24 80", LIMIT);
    terminal.resize(TerminalSize {
        rows: 10,
        columns: 40,
    });
    assert_eq!(terminal.wait_exit(LIMIT), 0);
    assert_eq!(terminal.screen(), "24 80\n10 40");
}

#[test]
fn a_hang_up_is_a_signal_and_the_screen_stays_readable() {
    let mut terminal = terminal("trap 'exit 9' HUP; echo ready; while :; do read line; done");
    terminal.wait_for("ready", LIMIT);
    terminal.hang_up();
    assert_eq!(terminal.wait_exit(LIMIT), 9);
    assert_eq!(terminal.screen(), "ready");
}

#[test]
fn a_program_that_ignores_the_hang_up_dies_with_the_terminal() {
    let mark = format!("TERMINAL_MARK={}", std::process::id());
    let script = run("trap '' HUP; echo ready; while :; do sleep 1; done")
        .env("TERMINAL_MARK", std::process::id().to_string());
    let terminal = Terminal::spawn(script, TerminalSize::default());
    terminal.wait_for("ready", LIMIT);
    assert!(!processes_with(&mark).is_empty());
    drop(terminal);
    assert_eq!(wait_gone(&mark, LIMIT), Vec::<u32>::new());
}

#[test]
fn questions_to_the_terminal_are_answered_and_titles_and_clipboard_seen() {
    let script = r"stty -icanon -echo
        printf '\033]2;a title\007\033]52;c;c3RvbGVu\007\033[3;5H\033[6n'
        dd bs=1 count=6 2>/dev/null | od -An -c";
    let mut terminal = terminal(script);
    assert_eq!(terminal.wait_exit(LIMIT), 0);
    assert!(
        terminal.screen().contains("033   [   3   ;   5   R"),
        "{}",
        terminal.screen()
    );
    assert_eq!(terminal.title(), "a title");
    assert_eq!(terminal.clipboard(), ["c3RvbGVu"]);
}

#[test]
fn a_paste_larger_than_the_line_buffer_arrives_whole() {
    let script = "stty raw -echo; echo ready; head -c 200000 | wc -c";
    let mut terminal = terminal(script);
    terminal.wait_for("ready", LIMIT);
    terminal.send("x".repeat(200_000));
    assert_eq!(terminal.wait_exit(LIMIT), 0);
    assert!(
        terminal.screen().contains("200000"),
        "{}",
        terminal.screen()
    );
}

#[test]
fn quiet_comes_when_the_program_stops_writing_and_not_before() {
    let terminal = terminal("for n in 1 2 3 4 5 6; do echo $n; sleep 0.05; done; read line");
    // Far longer than the pauses between what is written: what is measured is the wait, not the machine.
    let quiet = Duration::from_secs(3);
    terminal.wait_for("1", LIMIT);
    assert!(terminal.wait_quiet(quiet, LIMIT));
    assert!(terminal.screen().ends_with("5\n6"), "{}", terminal.screen());
    let noisy = self::terminal("while :; do echo noise; done");
    noisy.wait_for("noise", LIMIT);
    assert!(!noisy.wait_quiet(quiet, Duration::from_millis(400)));
}

#[test]
fn every_key_has_bytes_of_its_own() {
    let keys = [
        Key::Enter,
        Key::Escape,
        Key::Tab,
        Key::Backspace,
        Key::Up,
        Key::Down,
        Key::Right,
        Key::Left,
        Key::PageUp,
        Key::PageDown,
        Key::Control('c'),
        Key::Control('D'),
    ];
    let bytes: std::collections::BTreeSet<Vec<u8>> = keys.iter().map(|key| key.bytes()).collect();
    assert_eq!(bytes.len(), keys.len());
    assert_eq!(Key::Control('D').bytes(), [4]);
}
