//! A prompt within its ceilings, and what is in none.

use proptest::prelude::*;
use taffrail_domain::{Channel, ErrorCode, MemoryType};
use taffrail_memory::draft::{Draft, Scope};
use taffrail_store::ProjectRow;

use super::*;
use crate::a_world::{World, world};
use crate::memory::write::write;

fn resource(name: &str, text: String) -> Resource {
    Resource {
        uri: format!("taffrail://{name}"),
        name: name.to_owned(),
        text,
    }
}

fn built(task: &str, may_write: bool, resources: &[Resource]) -> Prompt {
    build(&PromptInputs {
        task,
        may_write,
        resources,
        left_out: &[],
    })
    .unwrap()
}

#[test]
fn fa_04_directive_schema_and_task_in_this_order() {
    let prompt = built("Rename the function.", true, &[]);
    let at = |text: &str| {
        prompt
            .text
            .find(text)
            .unwrap_or_else(|| panic!("no {text:?}"))
    };
    assert!(at("work alone") < at("\"status\": \"DONE\""));
    assert!(at("\"status\": \"DONE\"") < at("# The task\n\nRename the function.\n"));
    assert!(prompt.text.contains("You may change files"));
    assert!(!prompt.text.contains("Read only"));
    assert!(!prompt.text.contains("What comes along"));
    assert_eq!(prompt.bytes, prompt.text.len());
    let read_only = built("x", false, &[]);
    assert!(read_only.text.contains("Read only") && !read_only.text.contains("You may change"));
}

#[test]
fn fa_04_a_task_over_its_ceiling_is_refused_and_never_cut() {
    assert!(built(&"x".repeat(TASK_LIMIT), true, &[]).text.len() > TASK_LIMIT);
    let task = "x".repeat(TASK_LIMIT + 1);
    let error = build(&PromptInputs {
        task: &task,
        ..PromptInputs::default()
    });
    assert_eq!(error.unwrap_err().code(), ErrorCode::PromptTooLarge);
}

#[test]
fn fa_04_what_is_cut_says_so_in_the_prompt_and_in_the_report() {
    let long = resource("rules", "a line of the rules\n".repeat(10_000));
    let prompt = built("x", true, &[long, resource("short", "whole".into())]);
    let cut = &prompt.resources[0];
    assert!(cut.text.len() <= RESOURCE_LIMIT);
    assert!(cut.text.ends_with(" bytes are left out]\n"));
    assert!(
        cut.text.lines().rev().nth(2).unwrap() == "a line of the rules",
        "cut at a line"
    );
    assert_eq!(prompt.resources[1].text, "whole");
    assert_eq!(prompt.cut.len(), 1);
    assert!(prompt.cut[0].starts_with("rules is cut: "));
    assert!(prompt.text.contains(&prompt.cut[0]));
    // One line of any length is cut between characters.
    let line = resource("line", "ä".repeat(80_000));
    assert!(built("x", true, &[line]).resources[0].text.len() <= RESOURCE_LIMIT);
}

#[test]
fn fa_04_all_of_it_has_a_ceiling_and_the_last_gives_way() {
    let full: Vec<Resource> = (0..6)
        .map(|at| resource(&format!("part {at}"), "x y\n".repeat(20_000)))
        .collect();
    let prompt = built(&"t".repeat(TASK_LIMIT), true, &full);
    assert!(prompt.bytes <= ALL_LIMIT, "{}", prompt.bytes);
    assert!(prompt.resources.len() < full.len());
    assert_eq!(prompt.cut.len(), 6);
    assert!(
        prompt.cut[5].contains("part 5 is left out"),
        "{:?}",
        prompt.cut
    );
}

proptest! {
    #[test]
    fn fa_04_no_parts_break_a_ceiling(
        task in 0..=TASK_LIMIT,
        sizes in prop::collection::vec(0..100_000usize, 0..12),
        lines in prop::collection::vec(".{0,400}", 0..40),
    ) {
        let task = "t".repeat(task);
        let along: Vec<Resource> = sizes.iter().map(|size| resource("ä part", "ü\n".repeat(size / 3))).collect();
        let prompt = build(&PromptInputs { task: &task, may_write: true, resources: &along, left_out: &lines }).unwrap();
        prop_assert!(prompt.bytes <= ALL_LIMIT);
        prop_assert!(prompt.resources.iter().all(|part| part.text.len() <= RESOURCE_LIMIT));
        let end = format!("# The task\n\n{task}\n");
        prop_assert!(prompt.text.ends_with(&end));
        prop_assert!(prompt.cut.len() >= lines.len());
    }
}

struct Scene {
    world: World,
    project: ProjectRow,
    checkout: tempfile::TempDir,
}

fn scene() -> Scene {
    let world = world();
    crate::projects::add(&world.app, None, None).unwrap();
    Scene {
        project: world.app.required_project(None).unwrap(),
        checkout: tempfile::tempdir().unwrap(),
        world,
    }
}

impl Scene {
    fn gathered(&self, task: &str) -> Prompt {
        let root = self.checkout.path();
        let gathered = gather(&self.world.app, Some(&self.project), root, task, true);
        gathered.unwrap().prompt
    }
}

fn all(prompt: &Prompt) -> String {
    let along = prompt.resources.iter().map(|part| part.text.clone());
    std::iter::once(prompt.text.clone()).chain(along).collect()
}

#[test]
fn fa_04_the_rules_of_the_checkout_and_the_notebook_come_along() {
    let scene = scene();
    let rules = scene.checkout.path().join("AGENTS.md");
    super::super::doors::put(&rules, "Use tabs.\n");
    crate::notebook::append(&scene.world.app, &scene.project, "Commands", "just test").unwrap();
    let prompt = scene.gathered("Fix the build.");
    let names: Vec<_> = prompt
        .resources
        .iter()
        .map(|part| part.name.as_str())
        .collect();
    assert_eq!(names, ["AGENTS.md", "the project's notebook"]);
    assert_eq!(prompt.resources[0].text, "Use tabs.\n");
    assert_eq!(
        prompt.resources[0].uri,
        format!("file://{}", rules.display())
    );
    assert_eq!(prompt.resources[1].uri, "taffrail://notebook");
    assert!(prompt.resources[1].text.contains("just test"));
    assert!(prompt.text.contains("- AGENTS.md (file://"));
}

#[test]
fn fa_04_s6_rules_that_lead_out_of_the_checkout_are_left_out_and_said() {
    let scene = scene();
    let secret = tempfile::tempdir().unwrap();
    let outside = secret.path().join("notes");
    super::super::doors::put(&outside, "the operator's own\n");
    let rules = scene.checkout.path().join("AGENTS.md");
    std::os::unix::fs::symlink(&outside, &rules).unwrap();
    let prompt = scene.gathered("Fix the build.");
    assert!(!all(&prompt).contains("the operator's own"));
    assert!(
        prompt.cut[0].starts_with("AGENTS.md is left out"),
        "{:?}",
        prompt.cut
    );
    // The twin: whoever reads the path gets it.
    let file = rustix::fs::open(
        &rules,
        rustix::fs::OFlags::RDONLY,
        rustix::fs::Mode::empty(),
    );
    let mut text = String::new();
    std::io::Read::read_to_string(&mut std::fs::File::from(file.unwrap()), &mut text).unwrap();
    assert_eq!(text, "the operator's own\n");
}

/// Promise 1: what nobody approved is in no prompt. That an approved one is, is shown with a person at a terminal.
#[test]
fn fa_04_what_nobody_approved_is_in_no_prompt() {
    let scene = scene();
    let text = "Amounts of money are stored as cents in integers.";
    let scope = Scope::Project(scene.project.id);
    for channel in [Channel::External, Channel::Operator, Channel::Model] {
        let draft = Draft::new(scope, MemoryType::Decision, text.to_owned(), channel);
        write(&scene.world.app, draft).unwrap();
    }
    let source = taffrail_domain::Source::default();
    let entry = crate::notebook::NewEntry {
        section: "Log",
        entry: "push to the main branch",
        channel: Channel::External,
        source: &source,
    };
    crate::notebook::suggest(&scene.world.app, &scene.project, &entry).unwrap();
    let prompt = scene.gathered("How do we store amounts of money as cents?");
    assert!(!all(&prompt).contains("integers"));
    assert!(!all(&prompt).contains("main branch"));
    // The twin: the same question over what waits finds it.
    let question = crate::memory::search::Question {
        query: "How do we store amounts of money as cents?",
        project: Some(&scene.project),
        grades: &[taffrail_domain::Grade::Pending],
        limit: 5,
        now: crate::a_world::NOW,
    };
    let answer = crate::memory::search::Searcher::new(&scene.world.app).search(&question);
    assert!(!answer.unwrap().found.is_empty());
}
