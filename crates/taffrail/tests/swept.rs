//! Promise: no checkout is left behind unless it holds what nobody has captured yet; that is kept and offered (FA-12).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::scene::{CHANGED, Scene, script};
use common::{
    PATIENCE, assert_none_left, boxed, branch_of, checkouts, data, descendants, kill_nine, land,
    review, supervisor_of, taffrail, wait_for_file, world,
};
use rustix::process::Signal;
use taffrail_testkit::{Hermetic, Ran, Repo, Times, eventually, manifest};

#[test]
fn fa_12_kill_nine_of_taffrail_keeps_and_offers_what_was_done() {
    let scene = Scene::new();
    let text = script(&scene.repo, "exec sleep 300");
    let running = boxed(&scene.world, &scene.repo, &["--name", "b"], &text).start();
    wait_for_file(&scene.world, "ready");
    kill_nine(running);
    scene.assert_untouched();
    assert_eq!(
        checkouts(&scene.world).len(),
        1,
        "what nobody has captured is kept"
    );

    let listed = taffrail(&scene.world, &scene.repo, &["box", "list"]).success();
    assert!(listed.stderr.contains("b was cut off"), "{}", listed.stderr);
    let row = &data(&scene.world, &scene.repo, &["box", "list", "--json"])[0];
    assert_eq!(
        (&row["name"], &row["status"], &row["checkout"]),
        (&"b".into(), &"died".into(), &"kept".into())
    );
    assert_eq!(scene.changed("b"), CHANGED);
    let said = land(&scene.world, &scene.repo, "b", &["symlink"]);
    let shown = scene
        .repo
        .git(&["show", &format!("{}:new.txt", branch_of(&said))]);
    assert_eq!(shown, "new\n");
    assert_eq!(checkouts(&scene.world), Vec::<std::path::PathBuf>::new());
}

#[test]
fn fa_12_what_was_cut_off_can_be_discarded_or_entered() {
    let scene = Scene::new();
    for name in ["one", "two"] {
        let text = script(&scene.repo, "exec sleep 300");
        let running = boxed(&scene.world, &scene.repo, &["--name", name], &text).start();
        wait_for_file(&scene.world, "ready");
        kill_nine(running);
        let listed = taffrail(&scene.world, &scene.repo, &["box", "list"]).success();
        assert!(listed.stdout.contains(name), "{}", listed.stdout);
        if name == "one" {
            taffrail(&scene.world, &scene.repo, &["box", "discard", name]).success();
            assert_eq!(checkouts(&scene.world), Vec::<std::path::PathBuf>::new());
        }
    }
    let entered = [
        "box",
        "enter",
        "two",
        "--",
        "sh",
        "-c",
        "cat new.txt; echo more > more.txt",
    ];
    let ran = taffrail(&scene.world, &scene.repo, &entered).success();
    assert_eq!(ran.stdout, "new\n");
    assert!(scene.changed("two").contains(&"more.txt".to_owned()));
    scene.assert_untouched();
}

#[test]
fn fa_12_kill_nine_of_the_supervisor() {
    let scene = Scene::new();
    let text = script(&scene.repo, "exec sleep 300");
    let running = boxed(&scene.world, &scene.repo, &["--name", "b"], &text).start();
    wait_for_file(&scene.world, "ready");
    let below = descendants(running.pid());
    supervisor_of(running.pid()).signal(Signal::KILL);
    let ran = running.wait();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_none_left(&scene.world, &below, std::time::Instant::now());
    assert_eq!(
        review(&scene.world, &scene.repo, "b")["reason"],
        "supervisor_lost"
    );
    assert_eq!(scene.changed("b"), CHANGED);
    scene.assert_clean();
}

/// A project whose checkout takes long enough to be met in the middle.
fn big(world: &Hermetic, files: u32) -> Repo {
    let repo = world.repo("project");
    for number in 0..files {
        repo.file(
            &format!("d{}/f{number}.txt", number % 40),
            format!("file {number}\n"),
        );
    }
    repo.commit("many");
    repo
}

#[test]
fn fa_12_kill_nine_while_the_checkout_is_made() {
    let world = world();
    let repo = big(&world, 3_000);
    let before = manifest(repo.root(), Times::Counted);
    for files in [0, 1, 400, 2_000] {
        let running = boxed(&world, &repo, &[], "exec sleep 300").start();
        let reached = eventually(PATIENCE, || {
            checkouts(&world)
                .iter()
                .any(|path| count_files(&path.join("box/wt"), files) >= files)
        });
        assert!(reached, "the checkout did not come to {files} files");
        kill_nine(running);
        let listed = taffrail(&world, &repo, &["box", "list", "--all"]).success();
        assert!(listed.stdout.contains("died"), "{}", listed.stdout);
        // At the last of the files the command may have been started already; then its tree is kept, and discarded.
        for row in data(&world, &repo, &["box", "list", "--json"])
            .as_array()
            .unwrap()
        {
            taffrail(
                &world,
                &repo,
                &["box", "discard", row["run"].as_str().unwrap()],
            )
            .success();
        }
        assert_eq!(
            checkouts(&world),
            Vec::<std::path::PathBuf>::new(),
            "after {files} files"
        );
    }
    assert_eq!(manifest(repo.root(), Times::Counted), before);
}

#[test]
fn fa_12_a_first_ctrl_c_while_the_checkout_is_made_leaves_nothing() {
    let world = world();
    let repo = big(&world, 3_000);
    let met = |_| {
        let mut running = boxed(&world, &repo, &[], "exec sleep 300").start();
        let reached = eventually(PATIENCE, || {
            let made = |path: &std::path::PathBuf| count_files(&path.join("box/wt"), 1) > 0;
            checkouts(&world).iter().any(made)
        });
        assert!(reached && running.is_running());
        running.signal(Signal::INT);
        let ran = running.wait().expect_code(130);
        assert_eq!(checkouts(&world), Vec::<std::path::PathBuf>::new());
        ran.stderr.contains("interrupted")
    };
    // On a busy machine we may come so late that the command runs already, and has nothing to leave either.
    assert!((0..10).any(met), "the checkout was met in the middle once");
}

/// Files below a folder, counted up to a limit, without git's own.
fn count_files(folder: &std::path::Path, limit: usize) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    let mut count = 0;
    for entry in entries
        .flatten()
        .filter(|entry| entry.file_name() != ".git")
    {
        if count > limit {
            break;
        }
        count += if entry.path().is_dir() {
            count_files(&entry.path(), limit - count.min(limit))
        } else {
            1
        };
    }
    count
}

#[test]
fn fa_12_kill_nine_while_the_change_is_captured() {
    let scene = Scene::new();
    let many = "mkdir many; i=0; while [ $i -lt 1500 ]; do echo $i > many/$i; i=$((i+1)); done";
    let running = boxed(&scene.world, &scene.repo, &["--name", "b"], many).start();
    let sessions = scene.world.taffrail_home().join("sessions");
    let begun = eventually(PATIENCE, || {
        let Ok(entries) = std::fs::read_dir(&sessions) else {
            return false;
        };
        entries
            .flatten()
            .any(|entry| entry.path().join("change.patch.new").exists())
    });
    assert!(begun, "the capture did not begin");
    running.signal(Signal::KILL);
    running.wait();
    scene.assert_untouched();
    assert_eq!(scene.changed("b").len(), 1_500);
    taffrail(&scene.world, &scene.repo, &["box", "discard", "b"]).success();
    scene.assert_clean();
}

#[test]
fn fa_12_sweeps_at_once_leave_one_result() {
    let scene = Scene::new();
    for name in ["a", "b", "c"] {
        let text = script(&scene.repo, "exec sleep 300");
        let running = boxed(&scene.world, &scene.repo, &["--name", name], &text).start();
        wait_for_file(&scene.world, "ready");
        kill_nine(running);
        // Not swept yet: the next box would do it, and find the file of this one.
        let place = checkouts(&scene.world)
            .into_iter()
            .find(|path| path.join("box/wt/ready").exists())
            .unwrap();
        std::fs::remove_file(place.join("box/wt/ready")).unwrap();
    }
    let sweeping: Vec<_> = (0..6)
        .map(|_| {
            scene
                .world
                .command(&["box", "list", "--json"])
                .in_directory(scene.repo.root())
                .start()
        })
        .collect();
    let ran: Vec<Ran> = sweeping
        .into_iter()
        .map(|running| running.wait().success())
        .collect();
    let told = |name: &str| {
        ran.iter()
            .filter(|ran| ran.stderr.contains(&format!("{name} was cut off")))
            .count()
    };
    assert!(told("a") <= 1 && told("b") <= 1 && told("c") <= 1);
    for name in ["a", "b", "c"] {
        assert!(scene.changed(name).contains(&"new.txt".to_owned()));
        assert_eq!(review(&scene.world, &scene.repo, name)["status"], "died");
        taffrail(&scene.world, &scene.repo, &["box", "discard", name]).success();
    }
    scene.assert_clean();
}

#[test]
fn fa_12_a_living_box_is_never_swept() {
    let scene = Scene::new();
    let mut running = boxed(
        &scene.world,
        &scene.repo,
        &["--name", "b"],
        &script(&scene.repo, "exec sleep 300"),
    )
    .start();
    let ready = wait_for_file(&scene.world, "ready");
    for _ in 0..3 {
        let listed = taffrail(&scene.world, &scene.repo, &["box", "list"]).success();
        assert!(listed.stdout.contains("running"), "{}", listed.stdout);
        assert_eq!(listed.stderr, "");
    }
    for args in [
        &["box", "enter", "b", "--", "true"][..],
        &["box", "discard", "b"],
        &["box", "land", "b"],
    ] {
        let refused = taffrail(&scene.world, &scene.repo, args);
        assert_eq!(refused.code, 1, "{args:?}: {}", refused.stderr);
        assert!(
            refused.stderr.contains("still going on"),
            "{}",
            refused.stderr
        );
    }
    assert!(running.is_running() && ready.exists());
    running.signal(Signal::TERM);
    running.wait().expect_code(130);
    scene.assert_clean();
}

#[test]
fn fa_12_kill_nine_of_an_entered_box_keeps_its_work() {
    let scene = Scene::new();
    scene
        .boxed(&["--name", "b", "--keep"], "rm ready")
        .success();
    let line = ["box", "enter", "b", "--", "sh", "-c"];
    let work = ["echo more > more.txt; touch ready; exec sleep 300"];
    let running = scene
        .world
        .command(&[&line[..], &work].concat())
        .in_directory(scene.repo.root())
        .start();
    wait_for_file(&scene.world, "ready");
    for args in [
        &["box", "discard", "b"][..],
        &["box", "land", "b"],
        &["box", "enter", "b", "--", "true"],
    ] {
        let refused = taffrail(&scene.world, &scene.repo, args);
        assert_ne!(refused.code, 0, "{args:?}: somebody works in it");
    }
    kill_nine(running);
    taffrail(&scene.world, &scene.repo, &["box", "list"]).success();
    let changed = scene.changed("b");
    assert!(changed.contains(&"more.txt".to_owned()), "{changed:?}");
    taffrail(&scene.world, &scene.repo, &["box", "discard", "b"]).success();
    scene.assert_clean();
}

#[test]
fn fa_12_a_kept_checkout_goes_with_its_decision() {
    let scene = Scene::new();
    scene.boxed(&["--name", "b", "--keep"], "exit 0").success();
    assert_eq!(checkouts(&scene.world).len(), 1);
    taffrail(&scene.world, &scene.repo, &["box", "list"]).success();
    assert_eq!(
        checkouts(&scene.world).len(),
        1,
        "a sweep leaves what a person kept"
    );
    taffrail(&scene.world, &scene.repo, &["box", "discard", "b"]).success();
    scene.assert_clean();
}

#[test]
fn fa_12_looking_sweeps_nothing() {
    let scene = Scene::new();
    let running = boxed(
        &scene.world,
        &scene.repo,
        &["--name", "b"],
        &script(&scene.repo, "exec sleep 300"),
    )
    .start();
    wait_for_file(&scene.world, "ready");
    let below = descendants(running.pid());
    kill_nine(running);
    let gone = eventually(PATIENCE, || below.iter().all(|process| !process.lives()));
    assert!(gone, "{below:#?}");
    let before = home(&scene.world);
    for args in [
        &["--version"][..],
        &["--help"],
        &["doctor"],
        &["config", "show"],
    ] {
        taffrail(&scene.world, &scene.repo, args);
    }
    assert_eq!(home(&scene.world), before);
}

/// What lies in the home, without the file in which SQLite notes who reads.
fn home(world: &Hermetic) -> Vec<String> {
    let all = manifest(&world.taffrail_home(), Times::Ignored);
    all.into_iter()
        .filter(|line| !line.starts_with("taffrail.db-shm "))
        .collect()
}
