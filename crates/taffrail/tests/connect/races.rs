//! Many at once, and killed in the middle.

use super::*;

#[test]
fn many_at_once_write_one_entry() {
    let world = world();
    let path = put(&world, ".cursor/mcp.json", "{\n  \"a\": 1\n}\n");
    world.taffrail(&["doctor"]);
    let running: Vec<_> = (0..8)
        .map(|_| world.command(&["connect", "cursor"]).start())
        .collect();
    for one in running {
        let ran = one.wait();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    assert_eq!(
        text(&path).matches("taffrail\": {").count(),
        1,
        "{}",
        text(&path)
    );
    connect(&world, &["--undo", "cursor"]).success();
    assert_eq!(text(&path), "{\n  \"a\": 1\n}\n");
}

#[test]
fn a_program_that_writes_meanwhile_loses_nothing() {
    let world = world();
    let path = put(&world, ".cursor/mcp.json", "{\"n\": 0}\n");
    world.taffrail(&["doctor"]);
    let (stop, last) = (AtomicBool::new(false), 2_000);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 1..=last {
                let beside = path.with_extension("tmp");
                fs::write(&beside, format!("{{\"n\": {n}}}\n")).unwrap();
                fs::rename(&beside, &path).unwrap();
            }
            stop.store(true, Ordering::SeqCst);
        });
        while !stop.load(Ordering::SeqCst) {
            // Done, or given up with a word about it: either is right.
            let ran = connect(&world, &["cursor"]);
            assert!([0, 1].contains(&ran.code), "{}", ran.stderr);
        }
    });
    let left: Value = serde_json::from_str(&text(&path)).unwrap();
    assert_eq!(left["n"], last, "the last write of the other is gone");
    let names = fs::read_dir(path.parent().unwrap()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        names
            .iter()
            .all(|name| !name.to_string_lossy().starts_with(".taffrail")),
        "{names:?}"
    );
}

#[test]
fn what_was_put_on_record_and_never_written_is_understood() {
    let world = world();
    let before = "{\n  \"a\": 1\n}\n";
    let path = put(&world, ".cursor/mcp.json", before);
    connect(&world, &["cursor"]).success();
    // As a process leaves it that is killed between its row and its file.
    fs::write(&path, before).unwrap();
    assert_eq!(standing(&world, "cursor")[0].1, "unwritten");
    let undone = connect(&world, &["--undo", "cursor"]).success();
    assert!(
        undone.stderr.contains("was never written"),
        "{}",
        undone.stderr
    );
    assert_eq!(text(&path), before);
    // Or the command is typed again, and goes through.
    connect(&world, &["cursor"]).success();
    fs::write(&path, before).unwrap();
    connect(&world, &["cursor"]).success();
    assert!(text(&path).contains("taffrail"));
    // Or in the midst of taking back, with a new file made and nothing in it yet.
    fs::write(path.with_file_name(".taffrail-0123456789abcdef"), "").unwrap();
    connect(&world, &["--undo", "cursor"]).success();
    assert_eq!(text(&path), before);
    let names = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(names, 1, "what a killed process left is gone");
}

#[test]
fn killed_at_any_moment_everything_comes_back_to_the_byte() {
    let world = world();
    let original = "{\n  // mine\n  \"a\": 1,\n}\n";
    let path = put(&world, ".config/zed/settings.json", original);
    world.taffrail(&["doctor"]);
    let (mut written, mut not) = (0, 0);
    for round in 0..40_u64 {
        let mut running = world.command(&["connect", "zed"]).start();
        std::thread::sleep(Duration::from_micros(500 * (round % 40)));
        running.kill();
        let now = text(&path);
        if now == original {
            not += 1;
        } else {
            assert!(now.contains("\"taffrail\""), "torn: {now:?}");
            written += 1;
        }
        connect(&world, &["--list", "--json"]).success();
        let undone = connect(&world, &["--undo", "zed"]);
        assert!([0, 7].contains(&undone.code), "{}", undone.stderr);
        assert_eq!(text(&path), original, "round {round}");
    }
    assert!(written + not == 40);
    let names = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(names, 1);
}
