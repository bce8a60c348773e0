//! Calls that take their time: progress, and being taken back.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::wire::{Talk, call};
use super::{Fake, fitting};
use crate::stdio::runtime;

fn cancel(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

fn ping(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

#[test]
fn mcp_01_a_long_call_learns_that_it_was_taken_back_and_is_not_answered() {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let host = Arc::new(Fake::with(move |seen, watch| {
        if seen.args.contains("forever") {
            let watch = watch.unwrap();
            tell.lock().unwrap().send("begun").unwrap();
            while !watch.is_cancelled() {
                std::thread::yield_now();
            }
            tell.lock().unwrap().send("stopped").unwrap();
        }
        Ok(())
    }));
    runtime().unwrap().block_on(async move {
        let mut talk = Talk::greeted(host.clone()).await;
        talk.say(&call(1, "search_text", json!({"query": "forever"})))
            .await;
        talk.say(&ping(2)).await;
        assert_eq!(talk.hear().await["id"], 2);
        assert_eq!(told.recv().unwrap(), "begun");
        talk.say(&cancel(1)).await;
        talk.say(&ping(3)).await;
        assert_eq!(talk.hear().await["id"], 3);
        assert_eq!(told.recv().unwrap(), "stopped");
        // The same call again, not taken back, is answered; nothing came for the first.
        talk.say(&call(4, "search_text", json!({"query": "once"})))
            .await;
        assert_eq!(talk.hear().await["id"], 4);
    });
}

#[test]
fn mcp_01_a_call_that_was_taken_back_while_it_waited_is_not_begun() {
    let (go, wait) = channel::<()>();
    let wait = Mutex::new(wait);
    let host = Arc::new(Fake::with(move |seen, _| {
        if seen.tool == "slate.open" {
            wait.lock().unwrap().recv().unwrap();
        }
        Ok(())
    }));
    let asked = host.clone();
    runtime().unwrap().block_on(async move {
        let mut talk = Talk::greeted(host).await;
        talk.say(&call(1, "slate.open", fitting("slate.open")))
            .await;
        talk.say(&call(2, "slate.writeSeed", fitting("slate.writeSeed")))
            .await;
        talk.say(&cancel(2)).await;
        talk.say(&call(3, "slate.close", fitting("slate.close")))
            .await;
        talk.say(&ping(4)).await;
        assert_eq!(talk.hear().await["id"], 4);
        go.send(()).unwrap();
        assert_eq!(talk.hear().await["id"], 1);
        assert_eq!(talk.hear().await["id"], 3);
    });
    let tools: Vec<_> = asked.seen().iter().map(|seen| seen.tool).collect();
    assert_eq!(tools, ["slate.open", "slate.close"]);
}

#[test]
fn mcp_01_progress_is_told_where_it_was_asked_for() {
    let (go, wait) = channel::<()>();
    let wait = Mutex::new(wait);
    let host = Arc::new(Fake::with(move |seen, watch| {
        if seen.tool == "list_files" {
            let watch = watch.unwrap();
            for (done, total) in [(3, Some(10)), (7, Some(12))] {
                watch.progress(done, total);
                // Progress never goes back, whatever a tool says.
                watch.progress(done - 1, total);
                wait.lock().unwrap().recv().unwrap();
            }
        }
        Ok(())
    }));
    runtime().unwrap().block_on(async move {
        let mut talk = Talk::greeted(host.clone()).await;
        let mut asking = call(1, "list_files", json!({}));
        asking["params"]["_meta"] = json!({"progressToken": "p"});
        talk.say(&asking).await;
        for (done, total) in [(3.0, 10.0), (7.0, 12.0)] {
            let told = talk.hear().await;
            assert_eq!(told["method"], "notifications/progress");
            let params = json!({"progressToken": "p", "progress": done, "total": total});
            assert_eq!(told["params"], params);
            go.send(()).unwrap();
        }
        assert_eq!(talk.hear().await["id"], 1);
        // The twin: without a token nothing is told.
        talk.say(&call(2, "list_files", json!({}))).await;
        go.send(()).unwrap();
        go.send(()).unwrap();
        assert_eq!(talk.hear().await["id"], 2);
    });
}
