//! `fake-agent`: an ACP agent that plays a script over its own pipes, see `agent/README.md`.
// It is a program of the test kit: what it reads of its surroundings is what a test gives it.
#![allow(clippy::disallowed_methods)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    taffrail_testkit::fake_agent_main(&args)
}
