//! Secrets in every place, whole and in parts.

use taffrail_domain::Artifact;

use super::*;

/// A place that a text can hide in: its name in messages, and how to put a text there.
type Place = (&'static str, fn(&mut Draft, String));

/// A draft has one source ref and one artifact before it gets the text.
const PLACES: [Place; 19] = [
    ("content", |it, at| it.content = format!("It is {at} here.")),
    ("summary", |it, at| it.summary = Some(format!("Use {at}"))),
    ("context before 1", |it, at| it.context.before = vec![at]),
    ("context after 2", |it, at| {
        it.context.after = vec!["Fine.".to_owned(), at];
    }),
    ("source ref 1", |it, at| {
        it.source_refs[0].uri = format!("https://x.example/?t={at}");
    }),
    ("source ref 1", |it, at| it.source_refs[0].title = Some(at)),
    ("source ref 1", |it, at| {
        it.source_refs[0].timestamp = Some(at);
    }),
    ("source ref 1", |it, at| it.source_refs[0].kind = at),
    ("artifact 1", |it, at| it.artifacts[0].uri = at),
    ("artifact 1", |it, at| {
        it.artifacts[0].description = Some(at);
    }),
    ("artifact 1", |it, at| it.artifacts[0].kind = at),
    ("source runtime", |it, at| it.source.runtime = at),
    ("source task", |it, at| it.source.task = Some(at)),
    ("source session", |it, at| it.source.session = Some(at)),
    ("source model", |it, at| it.source.model = Some(at)),
    ("source client", |it, at| it.source.client = Some(at)),
    ("foreign id 1", |it, at| it.foreign_ids = vec![at]),
    ("slate kind", |it, at| it.slate_kind = Some(at)),
    ("evidence", |it, at| {
        it.evidence = Some(format!("{{\"branch\":\"{at}\"}}"));
    }),
];

/// Every place with a draft that has the token there.
fn planted() -> Vec<(&'static str, Draft)> {
    let plant = |(place, put): &Place| {
        let mut draft = Draft {
            source_refs: vec![file_ref("a")],
            artifacts: vec![Artifact {
                kind: "file".to_owned(),
                uri: "a".to_owned(),
                description: None,
            }],
            ..lesson("Plain words about a build.")
        };
        put(&mut draft, token());
        (*place, draft)
    };
    PLACES.iter().map(plant).collect()
}

#[test]
fn mem_03_a_secret_anywhere_is_refused_by_family_and_place_and_not_shown() {
    for (expected, draft) in planted() {
        let blocked = refused(draft);
        let message = blocked.to_string();
        let Blocked::Secret { place, family } = blocked else {
            panic!("{expected}: {message}");
        };
        assert_eq!(place, expected);
        assert_eq!(
            message,
            format!("{place} holds a secret ({family}): nothing was kept")
        );
        assert!(!message.contains(&token()), "{message}");
    }
}

#[test]
fn mem_03_twin_the_token_is_in_the_draft_before_it_is_screened() {
    for (place, draft) in planted() {
        assert!(format!("{draft:?}").contains(&token()), "{place}");
    }
}

#[test]
fn mem_03_a_secret_in_a_url_of_a_source_ref_is_refused() {
    let blocked = refused(Draft {
        source_refs: vec![file_ref("postgres://admin:hunter2secret@db.example/app")],
        ..lesson("Where the schema lies.")
    });
    assert!(matches!(blocked, Blocked::Secret { .. }), "{blocked:?}");
}

#[test]
fn mem_03_a_secret_parted_between_summary_and_content_is_refused() {
    let secret = token();
    let (first, second) = secret.split_at(14);
    let parted = Draft {
        summary: Some(format!("It begins with {first}")),
        ..lesson(&format!("{second} and that is that."))
    };
    // The twin: neither part is a secret by itself.
    assert!(
        redactor()
            .findings(parted.summary.as_deref().unwrap())
            .is_empty()
    );
    assert!(redactor().findings(&parted.content).is_empty());
    assert!(matches!(
        refused(parted),
        Blocked::Secret { place, .. } if place == "summary and content"
    ));
}

#[test]
fn mem_03_a_secret_parted_by_what_nobody_sees_is_refused() {
    let secret = token();
    let (first, second) = secret.split_at(14);
    let blocked = refused(lesson(&format!("It begins {first}\u{200b}{second} now.")));
    assert!(matches!(blocked, Blocked::Secret { place, .. } if place == "content"));
}

#[test]
fn mem_03_a_secret_in_other_letters_or_with_marks_between_is_refused() {
    let secret = token();
    let (first, second) = secret.split_at(14);
    let wide = |letter: char| match letter {
        '!'..='~' => char::from_u32(letter as u32 + 0xfee0).unwrap(),
        other => other,
    };
    let wide: String = secret.chars().map(wide).collect();
    for written in [
        format!("{first}\0{second}"),
        format!("{first}\u{8}{second}"),
        format!("{first}\u{301}{second}"),
        wide,
    ] {
        // The twin: as it is written it is none for the redactor.
        assert!(
            redactor()
                .findings(&format!("It begins {written} now."))
                .is_empty()
        );
        let blocked = refused(lesson(&format!("It begins {written} now.")));
        assert!(matches!(blocked, Blocked::Secret { place, .. } if place == "content"));
    }
    // Letters with marks of their own are no secret.
    assert!(inked("Größe und Höhe").is_some());
    assert!(screen(lesson("Größe und Höhe sind in Zentimetern."), &redactor()).is_ok());
}
