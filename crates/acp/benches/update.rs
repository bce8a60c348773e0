//! What one update message costs through frame reader and session machine, beside a bare split at newlines (CLI-06).

use std::time::Duration;

use taffrail_acp::{Client, Event, Frames, Limits, Plan};

/// How many messages one round has.
const MESSAGES: usize = 1000;
/// A pipe's worth at a time.
const PIECE: usize = 64 << 10;

fn main() {
    divan::main();
}

/// The wire of a message chunk, of a tool call's step, and of output that comes again with every line.
fn wire(kind: &str) -> Vec<u8> {
    let output = "a line of output\n".repeat(256).replace('\n', "\\n");
    let update = match kind {
        "chunk" => r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a few words"}}"#.to_owned(),
        "tool" => r#"{"sessionUpdate":"tool_call_update","toolCallId":"call_1","status":"in_progress","locations":[{"path":"/w/a"}],"rawInput":{"file_path":"/w/a"}}"#.to_owned(),
        _ => format!(r#"{{"sessionUpdate":"tool_call_update","toolCallId":"call_1","content":[{{"type":"content","content":{{"type":"text","text":"{output}"}}}}]}}"#),
    };
    let line = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{{\"sessionId\":\"s\",\"update\":{update}}}}}\n"
    );
    line.repeat(MESSAGES).into_bytes()
}

fn client() -> Client {
    let mut client = Client::new(Plan::default());
    client.on(Duration::ZERO, Event::Begun);
    let answers = concat!(
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":\"s\"}}\n",
    );
    for frame in Frames::new(Limits::default()).push(answers.as_bytes()) {
        client.on(Duration::ZERO, Event::Received(frame.incoming));
    }
    client
}

#[divan::bench(args = ["chunk", "tool", "cumulative"], counters = [divan::counter::ItemsCount::new(MESSAGES)])]
fn through_the_machine(bencher: divan::Bencher<'_, '_>, kind: &str) {
    let wire = wire(kind);
    bencher
        .with_inputs(|| (client(), Frames::new(Limits::default())))
        .bench_local_values(|(mut client, mut frames)| {
            let mut effects = 0;
            for piece in wire.chunks(PIECE) {
                for frame in frames.push(piece) {
                    effects += client
                        .on(Duration::ZERO, Event::Received(frame.incoming))
                        .len();
                }
            }
            assert!(effects >= MESSAGES);
            client
        });
}

#[divan::bench(args = ["chunk", "tool", "cumulative"], counters = [divan::counter::ItemsCount::new(MESSAGES)])]
fn bare_lines(bencher: divan::Bencher<'_, '_>, kind: &str) {
    let wire = wire(kind);
    bencher.bench_local(|| {
        let mut lines = 0;
        for line in wire.split_inclusive(|at| *at == b'\n') {
            divan::black_box(line.to_vec());
            lines += 1;
        }
        assert_eq!(lines, MESSAGES);
    });
}
