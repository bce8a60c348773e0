//! What a row holds of a question, and shows.

use super::*;

#[test]
fn pol_07_what_is_masked_can_be_refused_from_elsewhere_and_not_allowed() {
    const KEY: &str = "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R";
    let scene = Scene::new();
    let asking = Asking {
        action: Action::Shell {
            command: format!("curl -H 'Authorization: token {KEY}' x.invalid").into_bytes(),
            paths: Vec::new(),
        },
        ..a_command()
    };
    let question = put(scene.app(), &scene.run, &asking, false).unwrap();
    // The terminal of the run shows the action itself; no row does.
    assert!(question.view.text().contains(KEY) && !question.view.masked);
    let row = scene.app().store.question(&question.id).unwrap();
    assert!(!row.shown.contains(KEY) && !row.details.contains(KEY));
    let shown = scene.found(&question);
    assert!(shown.question.view.masked);
    let yes = record(scene.app(), &shown, &said(Reply::Yes, Surface::Inbox));
    assert!(matches!(fault(yes), QuestionFault::Masked { .. }));
    record(scene.app(), &shown, &said(Reply::No, Surface::Inbox)).unwrap();
}

#[test]
fn pol_07_a_reason_is_kept_without_its_secrets() {
    const KEY: &str = "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R";
    let scene = Scene::new();
    let question = scene.ask(true);
    let terminal = Played(|_: &Question, _: &dyn Fn() -> Option<Outcome>| {
        Some(Said {
            reason: Some(format!("never with {KEY}, please")),
            ..said(Reply::No, Surface::Terminal)
        })
    });
    let Outcome::Said(heard) = wait(scene.app(), &question, Some(&terminal), NEVER).unwrap() else {
        panic!("no answer");
    };
    let reason = heard.reason.unwrap();
    assert!(
        reason.starts_with("never with [REDACTED") && reason.ends_with(", please"),
        "{reason}"
    );
}

#[test]
fn pol_07_a_row_shows_what_was_asked() {
    let scene = Scene::new();
    let asking = Asking {
        title: Some("\x1b]0;owned\x07 rename".to_owned()),
        cwd: b"/check\xffout\n".to_vec(),
        ..an_edit()
    };
    let question = put(scene.app(), &scene.run, &asking, false).unwrap();
    let shown = scene.found(&question);
    assert_eq!(shown.question, question);
    assert_eq!(shown.run_name, "otter-1");
    let view = &shown.question.view;
    assert_eq!(view.title.as_deref(), Some("\\x1b]0;owned\\x07 rename"));
    assert_eq!(view.cwd, "/check\\xffout\\n");
    // Of another folder than the working directory: whole.
    let forms: Vec<Form> = view.parts.iter().map(|part| part.form).collect();
    assert_eq!(forms, [Form::Line, Form::Diff]);
    let diff = &view.parts[1].text;
    assert!(diff.contains("\n one\n-two\n+three\n"), "{diff}");
    assert_eq!(view.one_line().as_str(), "write files: /checkout/a.txt");
}

#[test]
fn fa_24_paths_of_the_checkout_are_shown_as_they_are_called_in_it() {
    let scene = Scene::new();
    let cases = [
        ("/checkout/a.txt", "a.txt"),
        ("/checkout/src/a.txt", "src/a.txt"),
        ("/checkout-2/a.txt", "/checkout-2/a.txt"),
        ("/checkout", "/checkout"),
        ("/checkout/", "/checkout/"),
        ("/checkout/../etc/passwd", "/checkout/../etc/passwd"),
        ("/checkout/src/..", "/checkout/src/.."),
        ("/checkout//etc/passwd", "/checkout//etc/passwd"),
        ("a.txt", "a.txt"),
    ];
    for (path, expect) in cases {
        let asking = Asking {
            action: Action::Write {
                paths: vec![path.into()],
                removes: vec![path.into()],
            },
            edits: vec![Edit {
                path: path.to_owned(),
                old: None,
                new: "one\n".to_owned(),
            }],
            ..an_edit()
        };
        let question = put(scene.app(), &scene.run, &asking, false).unwrap();
        let parts = &question.view.parts;
        assert_eq!((&*parts[0].text, &*parts[1].text), (expect, expect));
        let diff = &parts[2].text;
        assert!(diff.contains(&format!("+++ {expect}\n")), "{diff}");
    }
    let nowhere = Asking {
        cwd: Vec::new(),
        ..an_edit()
    };
    let question = put(scene.app(), &scene.run, &nowhere, false).unwrap();
    assert_eq!(question.view.parts[0].text, "/checkout/a.txt");
}

#[test]
fn fa_22_a_command_that_only_has_a_title_is_called_that() {
    let scene = Scene::new();
    let asking = |kind: &str| Asking {
        kind: Some(kind.to_owned()),
        action: Action::Unknown {
            what: "Tidy up".to_owned(),
            paths: Vec::new(),
        },
        ..a_command()
    };
    let wants = |kind| {
        let question = put(scene.app(), &scene.run, &asking(kind), false).unwrap();
        question.view.wants
    };
    assert_eq!(
        wants("execute"),
        "run a command, of which it gives only its own words"
    );
    assert_eq!(wants("other"), "do something that cannot be looked into");
}

#[test]
fn pol_07_a_row_that_cannot_be_read_lets_nothing_through() {
    let scene = Scene::new();
    let clean = |text: &str| scene.app().redactor.clean(text);
    let id = QuestionId::new(START.unsigned_abs(), [9; 10]);
    scene
        .app()
        .store
        .ask_question(&NewQuestion {
            id,
            run: scene.run,
            fingerprint: [0; 32],
            risk: Risk::Shell,
            destructive: false,
            may_grant: true,
            shown: &clean("run a command\ncommand:\nmake\n"),
            details: &clean("{\"of\":\"another version\"}"),
            expires_at: None,
            owner: &App::owner().unwrap(),
        })
        .unwrap();
    let found = find(scene.app(), &id.short()).unwrap();
    assert!(found.question.view.text().contains("make"));
    for reply in [Reply::Yes, Reply::Edits] {
        let answered = record(scene.app(), &found, &said(reply, Surface::Inbox));
        assert!(matches!(fault(answered), QuestionFault::Masked { .. }));
    }
}

#[test]
fn pol_07_an_action_in_one_line_is_escaped() {
    let action = Action::Shell {
        command: b"echo \x1b[2J\nls".to_vec(),
        paths: vec![b"a\xff".to_vec()],
    };
    assert_eq!(
        summary(&action, b"").as_str(),
        "run a command: echo \\x1b[2J\\nls, a\\xff"
    );
}
