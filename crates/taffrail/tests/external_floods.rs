//! Agents that send more than anybody wants: each run ends by the named limit, or goes on, and the memory of taffrail stays
//! below 128 MiB throughout (FA-27). Measured is the peak of the process itself, as the kernel counts it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims
#![allow(clippy::print_stdout)] // figures and tables are for whoever asked for them

mod common;
mod external;

use external::{Case, DONE, End, Over, case};
use taffrail_testkit::eventually;

/// FA-27.
const MOST_KIB: u64 = 128 * 1024;

/// Runs the case to its end, and says how much memory taffrail held at its peak, in KiB.
fn measured(case: Case) -> (Over, u64) {
    let mut begun = case.start();
    let pid = begun.running.pid();
    let mut peak = 0;
    eventually(external::LIMIT, || {
        peak = peak.max(peak_of(pid).unwrap_or(0));
        !begun.running.is_running()
    });
    assert!(peak > 1024, "the peak was not read: {peak} KiB");
    (begun.wait(), peak)
}

/// `VmHWM` of a process, in KiB.
fn peak_of(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[track_caller]
fn stays_small(name: &str, case: Case, end: End) -> Over {
    let (over, peak) = measured(case);
    println!("{name}: peak {} MiB, {:?}", peak / 1024, over.ran.took);
    assert!(peak <= MOST_KIB, "{name}: {peak} KiB");
    over.ends(end)
}

#[test]
fn fa_27_yes_on_standard_error() {
    let over = stays_small(
        "yes on stderr",
        case("open\nflood stderr forever"),
        End(5, "budget", "stderr_limit"),
    );
    // 16 MiB by default; what is kept of it is its beginning and its end.
    assert!(over.show().to_string().len() < 4 << 20);
}

#[test]
fn fa_27_standard_error_up_to_its_own_limit() {
    stays_small(
        "stderr below",
        case("open\nflood stderr 900KiB\ndone").entry("max_stderr_bytes = 1048576"),
        DONE,
    );
    stays_small(
        "stderr above",
        case("open\nflood stderr 1100KiB\nhang").entry("max_stderr_bytes = 1048576"),
        End(5, "budget", "stderr_limit"),
    );
}

#[test]
fn fa_27_a_line_that_never_ends() {
    stays_small(
        "line of 65 MiB",
        case("open\nflood line 65MiB\nhang"),
        End(5, "budget", "line_limit"),
    );
    stays_small(
        "endless line",
        case("flood line forever"),
        End(5, "budget", "line_limit"),
    );
}

#[test]
fn fa_27_a_legal_array_of_almost_64_mib_is_counted_and_dropped() {
    let over = stays_small(
        "array",
        case("open\nflood array 63MiB\nsay after\ndone"),
        DONE,
    );
    assert!(over.said().contains("after"));
    assert!(over.record("frames.jsonl").len() < 1 << 20);
}

#[test]
fn fa_27_lists_within_lists() {
    stays_small(
        "nested",
        case("open\nflood nested 63MiB\nflood nested 3MiB\nsay after\ndone"),
        DONE,
    );
}

#[test]
fn fa_27_legal_arrays_that_are_small_enough_to_be_parsed() {
    stays_small(
        "4 MiB arrays",
        case("open\nrepeat 6 { flood array 4000KiB }\ndone"),
        DONE,
    );
}

#[test]
fn fa_27_one_message_of_63_mib_and_many_of_four() {
    stays_small(
        "63 MiB message",
        case("open\nflood string 63MiB\ndone"),
        DONE,
    );
    stays_small(
        "messages of 3 MiB",
        case("open\nrepeat 40 { flood string 3MiB }\ndone"),
        End(5, "budget", "output_limit"),
    );
}

#[test]
fn fa_27_fifty_thousand_updates() {
    let update = "update {\"sessionUpdate\":\"agent_thought_chunk\",\"content\":{\"type\":\"text\",\"text\":\"n${n} \"}}";
    let over = stays_small(
        "50,000 updates",
        case(&format!("open\nrepeat 50000 {{ {update} }}\ndone")),
        DONE,
    );
    assert!(over.ran.stdout.contains("n49999 "));
}

#[test]
fn fa_27_fifty_thousand_tool_calls() {
    let call = "update {\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t${n}\",\"title\":\"call ${n}\",\"kind\":\"read\"}";
    stays_small(
        "50,000 tool calls",
        case(&format!("open\nrepeat 50000 {{ {call} }}\ndone")),
        DONE,
    );
}

/// Each is told with the title of its call.
#[test]
fn fa_27_a_call_that_changes_its_status_without_end() {
    let update = |status: &str| {
        format!(
            "update {{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t\",\"title\":\"${{pad:4KiB}}\",\"status\":\"{status}\"}}"
        )
    };
    let both = format!("{} ; {}", update("pending"), update("in_progress"));
    stays_small(
        "statuses",
        case(&format!("open\nrepeat 2500 {{ {both} }}\ndone")),
        End(5, "budget", "output_limit"),
    );
}

#[test]
fn fa_27_each_update_carries_all_output_so_far() {
    // 200 updates of up to 200 KiB for one call: 20 MiB of frames of which one snapshot is of use.
    let mut script = "open\nset out \"\"\n".to_owned();
    script.push_str(
        "repeat 200 { set out \"${out}${pad:1KiB}\" ; update {\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t\",\"rawOutput\":\"${out}\"} }\ndone",
    );
    let over = stays_small("cumulative output", case(&script), DONE);
    assert!(over.show().to_string().len() < 8 << 20);
}

#[test]
fn fa_27_noise_without_end() {
    let (over, peak) = measured(case("open\nflood noise forever").flag("--timeout=20s"));
    println!("noise: peak {} MiB", peak / 1024);
    assert!(peak <= MOST_KIB, "{peak} KiB");
    assert_eq!(over.ran.code, 5, "{}", over.result());
}

#[test]
fn fa_27_a_question_of_5_mib() {
    stays_small(
        "question of 5 MiB",
        case(
            "open\nask q {\"toolCall\":{\"toolCallId\":\"t\",\"title\":\"${pad:5MiB}\"}}\nmust ${q.outcome} error\ndone",
        ),
        DONE,
    );
}

#[test]
fn fa_27_questions_without_end() {
    // Answered with a no, each on record, until all are answered or the time is over: each is a write that reaches the
    // disk. An ending takes seconds more on a busy machine, for which the whole has to have room.
    let (over, peak) = measured(
        case("open\nrepeat 2000 { ask q {\"toolCall\":{\"toolCallId\":\"t${n}\",\"title\":\"${pad:16KiB}\"}} }\ndone")
            .flag("--timeout=20s"),
    );
    println!("questions: peak {} MiB, {:?}", peak / 1024, over.ran.took);
    assert!(peak <= MOST_KIB, "{peak} KiB");
    assert!([0, 5].contains(&over.ran.code), "{}", over.result());
}

#[test]
fn fa_27_edits_that_all_wait_for_a_person_at_once() {
    let script = r#"
open
set big ${pad:1MiB}
repeat 60 { ask-later q${n} {"toolCall":{"toolCallId":"t${n}","kind":"edit","title":"w","content":[{"type":"diff","path":"f${n}.txt","newText":"${big}"}]}} }
await q59
exit 0
"#;
    // Nobody sits there: each would wait for the inbox. The first one does; what would wait beside it is refused.
    let (over, peak) = measured(case(script).attended().flag("--write"));
    println!(
        "waiting edits: peak {} MiB, {:?}",
        peak / 1024,
        over.ran.took
    );
    assert!(peak <= MOST_KIB, "{peak} KiB");
    let refused = over.events_of("decision");
    let unfit = refused.iter().filter(|at| at["ground"] == "unfit").count();
    assert!(unfit >= 1, "{refused:#?}");
}
