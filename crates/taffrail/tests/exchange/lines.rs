//! Lines of JSON.

use super::*;

#[test]
fn cli_06_lines_are_answered_in_order_and_a_bad_one_takes_no_other_with_it() {
    let world = world();
    let secret = format!("the key is {}", token());
    let lines = [
        line("a", "one thing"),
        json!({"id": "b"}),
        line("c", "one thing"),
        line("d", &secret),
        json!({"id": 7, "type": "idea", "summary": "s", "content": "c"}),
        json!({"id": 8, "type": "output", "summary": "s", "content": "no ref"}),
        line("e", "another thing"),
    ];
    let (code, answers) = import(&world, &[], &lines);
    assert_eq!(code, 1, "two lines erred");
    let ids: Vec<_> = answers.iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(
        ids,
        [
            json!("a"),
            json!("b"),
            json!("c"),
            json!("d"),
            json!(7),
            json!(8),
            json!("e")
        ]
    );
    let status = |at: usize| answers[at]["status"].as_str().unwrap_or("-");
    assert_eq!((status(0), status(2), status(6)), ("new", "repeat", "new"));
    assert_eq!(answers[0]["memory"], answers[2]["memory"]);
    for erred in [1, 4] {
        assert_eq!(
            answers[erred]["error"]["code"], "usage",
            "{}",
            answers[erred]
        );
    }
    for blocked in [3, 5] {
        assert_eq!(status(blocked), "blocked");
        assert!(answers[blocked]["memory"].is_null() && answers[blocked]["reason"].is_string());
    }
    assert!(!answers[3].to_string().contains(&token()), "{}", answers[3]);
    assert_eq!(
        common::holds(&world.taffrail_home(), token().as_bytes()),
        [] as [&Path; 0]
    );
    let (code, again) = import(&world, &[], &[lines[0].clone(), lines[6].clone()]);
    assert_eq!(code, 0);
    assert!(
        again.iter().all(|answer| answer["status"] == "repeat"),
        "{again:?}"
    );
}

#[test]
fn rev_03_no_key_of_a_line_makes_anything_but_a_candidate() {
    let world = world();
    let repo = committed(&world);
    for key in [
        "status",
        "provenance",
        "channel",
        "usePolicy",
        "canUseAsInstruction",
        "seal",
        "shelf",
        "lifecycle",
    ] {
        let mut line = line("x", "text");
        line[key] = json!("confirmed");
        let (code, answers) = import(&world, &[], &[line]);
        let message = answers[0]["error"]["message"].as_str().unwrap();
        assert!(
            code == 1 && message.contains(&format!("`{key}`")),
            "{message}"
        );
    }
    assert_eq!(all(&world, &repo).len(), 0);
    let (_, answers) = import(&world, &[], &[line("y", "plain text")]);
    let shown = show(&world, &repo, answers[0]["memory"].as_str().unwrap());
    assert_pending(&shown);
}

#[test]
fn cli_06_a_project_must_be_there_or_be_asked_for() {
    let world = world();
    let mut here = line("a", "of a project");
    here["project"] = json!("alpha");
    let (code, answers) = import(&world, &[], std::slice::from_ref(&here));
    assert_eq!(
        (code, &answers[0]["error"]["code"]),
        (1, &json!("project_unknown")),
        "{answers:?}"
    );
    let (code, answers) = import(&world, &["--create-projects"], std::slice::from_ref(&here));
    assert_eq!(
        (code, &answers[0]["status"]),
        (0, &json!("new")),
        "{answers:?}"
    );
    let (code, answers) = import(&world, &[], &[here.clone(), line("b", "of a project")]);
    assert_eq!(code, 0);
    assert_eq!(answers[0]["status"], "repeat");
    assert_eq!(
        answers[1]["status"], "new",
        "the personal one is another memory"
    );
    here["project"] = json!("Not A Name");
    let (code, answers) = import(&world, &["--create-projects"], &[here]);
    assert_eq!(code, 1, "{answers:?}");
}

#[test]
fn cli_06_times_and_ids_of_elsewhere_are_kept() {
    let world = world();
    let repo = committed(&world);
    let mut old = line("D1:3", "said long ago in another program");
    old["created"] = json!("2023-05-08T13:56:00Z");
    old["context"] = json!({"before": ["a sentence before"], "after": ["ä".repeat(2_000)]});
    let (code, answers) = import(&world, &[], &[old]);
    assert_eq!(
        (code, &answers[0]["status"]),
        (0, &json!("new")),
        "{answers:?}"
    );
    let shown = show(&world, &repo, answers[0]["memory"].as_str().unwrap()).to_string();
    assert!(
        shown.contains("1683554160000") || shown.contains("2023-05-08"),
        "{shown}"
    );
    let ran = world
        .command(&["memory", "search", "--batch", "-", "--include", "pending"])
        .input(br#"{"id":1,"query":"said long ago in another program"}"#.to_vec())
        .go();
    assert!(ran.stdout.contains("D1:3"), "{} {}", ran.stdout, ran.stderr);
}

#[test]
fn cli_06_a_live_pipe_gets_each_answer_before_the_next_question() {
    let world = world();
    let mut child = Command::new(env!("CARGO_BIN_EXE_taffrail"))
        .args(["memory", "import", "--jsonl", "-"])
        .env_clear()
        .envs(world.env())
        .current_dir(world.projects())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 0..20 {
        // A whole line and the beginning of the next: the whole one is answered all the same.
        let text = format!(
            "{}\n{{\"id\":",
            line(&number.to_string(), &format!("text {number}"))
        );
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
        let asked = Instant::now();
        let answer: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
        assert_eq!(
            answer["id"],
            number.to_string(),
            "after {:?}",
            asked.elapsed()
        );
        input.write_all(b"1}\n").unwrap();
        let bad: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
        assert_eq!(bad["error"]["code"], "usage");
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn cli_06_many_lines_come_in_batches_and_each_is_answered() {
    let world = world();
    let lines: Vec<Value> = (0..1_234)
        .map(|number| {
            line(
                &number.to_string(),
                &format!("fact number {number} of many"),
            )
        })
        .collect();
    let (code, answers) = import(&world, &[], &lines);
    assert_eq!((code, answers.len()), (0, 1_234));
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer["id"], number.to_string());
        assert_eq!(answer["status"], "new");
    }
}
