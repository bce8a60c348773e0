//! On which thread, and in which order.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use serde_json::json;

use super::wire::{Talk, answer_to, call, initialize, initialized, lines, talk};
use super::{Fake, STDIO, fitting};
use crate::stdio::runtime;

#[test]
fn mcp_01_quick_calls_of_one_connection_are_made_in_the_order_of_their_arrival() {
    let host = Arc::new(Fake::default());
    let mut messages = vec![initialize("2025-11-25"), initialized()];
    for at in 0..1_000 {
        let seed = json!({"externalSessionId": "a", "text": format!("seed {at}.")});
        messages.push(call(at, "slate.writeSeed", seed));
    }
    let answers = talk(&host, &STDIO, lines(&messages));
    assert_eq!(answers.len(), 1_001);
    for (at, seen) in host.seen().iter().enumerate() {
        assert!(
            seen.args.contains(&format!("\"seed {at}.\"")),
            "{at}: {}",
            seen.args
        );
    }
    for at in 0..1_000 {
        let text = &answer_to(&answers, &json!(at))["result"]["structuredContent"]["text"];
        assert_eq!(text, &format!("seed {at}."));
    }
}

#[test]
fn mcp_01_a_call_that_waits_for_the_disk_does_not_hold_up_the_protocol() {
    let (go, wait) = channel::<()>();
    let wait = Mutex::new(wait);
    let host = Arc::new(Fake::with(move |seen, _| {
        if seen.tool == "slate.open" {
            wait.lock().unwrap().recv().unwrap();
        }
        Ok(())
    }));
    runtime().unwrap().block_on(async move {
        let mut talk = Talk::greeted(host).await;
        talk.say(&call(1, "slate.open", fitting("slate.open")))
            .await;
        talk.say(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}))
            .await;
        assert_eq!(talk.hear().await["id"], 2);
        // Long calls have threads of their own.
        talk.say(&call(3, "search_text", fitting("search_text")))
            .await;
        assert_eq!(talk.hear().await["id"], 3);
        go.send(()).unwrap();
        assert_eq!(talk.hear().await["id"], 1);
    });
}

#[test]
fn mcp_01_many_long_calls_wait_for_one_another_and_hold_up_nothing_else() {
    let (go, wait) = channel::<()>();
    let wait = Mutex::new(wait);
    let host = Arc::new(Fake::with(move |seen, _| {
        if seen.tool == "search_text" {
            wait.lock().unwrap().recv().unwrap();
        }
        Ok(())
    }));
    runtime().unwrap().block_on(async move {
        let mut talk = Talk::greeted(host.clone()).await;
        for id in 0..20 {
            talk.say(&call(id, "search_text", fitting("search_text")))
                .await;
        }
        talk.say(&call(100, "slate.close", fitting("slate.close")))
            .await;
        assert_eq!(talk.hear().await["id"], 100);
        let running = host.seen().len() - 1;
        assert!(
            running <= crate::server::LONG_CALLS,
            "{running} run at once"
        );
        let mut answered = Vec::new();
        for _ in 0..20 {
            go.send(()).unwrap();
            answered.push(talk.hear().await["id"].as_u64().unwrap());
        }
        answered.sort_unstable();
        assert_eq!(answered, (0..20).collect::<Vec<_>>());
    });
}
