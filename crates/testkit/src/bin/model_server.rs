//! `model-server --port N [--script FILE]… [--log FILE]`: the scripted model server by itself, for running real agents
//! by hand. Runs until it is killed. `FILE` of `--script` is JSON, see `Scripts::with_json`.
// It is a program of the test kit, and a line on standard output is how a script learns the port.
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use serde_json::json;
use taffrail_testkit::{ModelServer, Recorded, Scripts};

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read(std::env::args().skip(1))?;
    let server = ModelServer::start_on(options.port, options.scripts)?;
    println!("listening on {}", server.url());
    std::io::stdout().flush()?;
    let Some(path) = options.log else {
        wait_for_ever()
    };
    let mut log = std::fs::File::create(path)?;
    let mut written = 0;
    loop {
        server.wait_for_requests(written + 1, Duration::from_secs(3600));
        for request in server.requests().iter().skip(written) {
            writeln!(log, "{}", line(request))?;
            written += 1;
        }
    }
}

fn wait_for_ever() -> ! {
    loop {
        std::thread::park();
    }
}

/// Everything but the headers, which carry keys.
fn line(request: &Recorded) -> String {
    json!({"method": request.method, "path": request.path, "tools": request.tools, "body": request.body})
        .to_string()
}

struct Options {
    port: u16,
    scripts: Scripts,
    log: Option<String>,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            port: 0,
            scripts: Scripts::built_in(),
            log: None,
        };
        while let Some(word) = words.next() {
            let value = words
                .next()
                .ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--port" => options.port = value.parse()?,
                "--script" => {
                    options.scripts = options
                        .scripts
                        .with_json(&std::fs::read_to_string(&value)?)?;
                }
                "--log" => options.log = Some(value),
                _ => return Err(format!("unknown option {word}").into()),
            }
        }
        Ok(options)
    }
}
