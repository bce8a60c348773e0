//! The quirks of real agents, as frames of our own making: one script for each agent.

use std::path::{Path, PathBuf};

use taffrail_testkit::FakeAgent;

use crate::external::{Case, DONE, End, Over, case_of};

fn frames(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/frames")
        .join(format!("{name}.script"))
}

fn of(name: &str) -> Case {
    // In the sandbox a script is only seen where it is an argument.
    let path = frames(name);
    let script =
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    case_of(FakeAgent::script(&script))
}

fn told(over: &Over, text: &str) {
    let said = over.said();
    assert!(said.contains(text), "{said}");
}

#[test]
fn fa_28_gemini_asks_about_calls_that_it_never_announced_and_checks_files_first() {
    let over = of("gemini")
        .entry("auth_method = \"gemini-api-key\"")
        .entry("mode = \"default\"")
        .ends(DONE);
    assert!(over.record("frames.jsonl").contains("gemini-api-key"));
}

#[test]
fn fa_28_gemini_creates_a_file_where_a_missing_one_reads_as_empty() {
    of("gemini-create")
        .entry("quirks = [\"missing-file-is-empty\"]")
        .sandboxed()
        .write()
        .ends(DONE);
}

#[test]
fn fa_28_claude_starts_in_a_mode_that_asks_nothing() {
    of("claude").entry("mode = \"default\"").ends(DONE);
}

#[test]
fn fa_28_codex_aborts_its_turn_on_a_no() {
    of("codex").ends(End(1, "error", "agent_cancelled"));
}

/// It ended its turn before it could say what it did: it is asked for that, once.
#[test]
fn fa_05_codex_is_asked_for_its_result_after_a_no_ended_its_turn() {
    let again = |text: &str| {
        let script = std::fs::read_to_string(frames("codex")).unwrap();
        let case = case_of(FakeAgent::script(&format!(
            "{script}expect session/prompt\n{text}\n"
        )));
        case.entry("quirks = [\"refusal-ends-turn\"]")
    };
    let over = again("done \"it was not allowed\"").ends(DONE);
    assert!(over.result()["refused"].to_string().contains("touch x"));
    again("say x\nend cancelled").ends(End(1, "error", "agent_cancelled"));
    again("say x\nend end_turn").ends(End(6, "error", "invalid_result"));
    // A turn that it ended by itself is not ended by a refusal.
    case_of(FakeAgent::script("open\nsay x\nend cancelled"))
        .entry("quirks = [\"refusal-ends-turn\"]")
        .ends(End(1, "error", "agent_cancelled"));
}

#[test]
fn fa_28_opencode_writes_although_nothing_was_advertised() {
    of("opencode").ends(DONE);
}

#[test]
fn fa_28_qwen_has_two_ways_to_allow_once_and_asks_what_nobody_knows() {
    of("qwen")
        .entry("auth_method = \"openai\"")
        .entry("mode = \"default\"")
        .ends(DONE);
}

#[test]
fn fa_28_copilot_calls_a_failed_turn_a_good_one() {
    let over = of("copilot").ends(End(6, "error", "invalid_result"));
    told(&over, "Request failed");
}

#[test]
fn fa_28_kimi_gives_no_kind_and_writes_without_a_question() {
    of("kimi").ends(DONE);
}

#[test]
fn fa_28_goose_calls_every_tool_other_and_does_not_end_with_its_input() {
    of("goose").ends(DONE);
}

#[test]
fn fa_28_pi_never_asks_and_shows_terminals_of_its_own() {
    let over = of("pi").sandboxed().write().ends(DONE);
    assert!(
        over.result()["wrote_without_asking"]
            .to_string()
            .contains("pi.txt")
    );
}

#[test]
fn fa_28_the_old_claude_adapter_gives_no_kind_and_stays() {
    of("claude-legacy").ends(DONE);
}

#[test]
fn fa_01_agents_that_want_a_sign_in_elsewhere() {
    for name in ["cline", "auggie"] {
        of(name).ends(End(4, "error", "sign_in"));
    }
}
