//! `taffrail serve-mcp`: the tools of an MCP server over standard input and output, or over HTTP on loopback.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use taffrail_app::external::doors;
use taffrail_app::serve_mcp::{Server, token};
use taffrail_confine::env::Environment;
use taffrail_domain::{ErrorCode, ExitCode, Transport};
use taffrail_mcp::{About, HttpOptions, Offer, OfferedTo, ServeError, serve_http, serve_stdio};
use taffrail_redact::Options;

use super::Ending;
use crate::cli::ServeMcpArgs;
use crate::failure::Failure;
use crate::output::{Listener, Output};
use crate::startup::Invocation;

/// For whoever typed it to see what it does.
const FOR_A_PROGRAM: &str = "another program starts this and speaks MCP with it, a line each (taffrail connect); Ctrl-D ends it";

/// Where the server is, and what it asks for: one line on standard output.
#[derive(Serialize)]
struct Announced<'a> {
    url: &'a str,
    token: &'a str,
}

pub fn run(invocation: &Invocation, args: &ServeMcpArgs) -> Ending {
    if !args.http && invocation.output.can_ask() {
        invocation.output.say(FOR_A_PROGRAM);
    }
    let mut inputs = invocation.serving(Arc::new(Listener));
    if let Some(cwd) = &args.cwd {
        inputs.cwd = folder(&inputs.cwd.join(cwd))?;
    }
    let server = Arc::new(Server::new(inputs));
    let offer = Offer {
        read_only: args.read_only,
        transport: if args.http {
            Transport::Http
        } else {
            Transport::Stdio
        },
        to: OfferedTo::Program,
    };
    let about = About {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        redaction: Options::default(),
    };
    let served = if args.http {
        let options = HttpOptions {
            port: args.port,
            token: token()?,
        };
        let output = &invocation.output;
        serve_http(server, &offer, &about, &options, |url, token| {
            announce(output, url, token);
        })
    } else {
        serve_stdio(server, &offer, &about)
    };
    served.map(|()| ExitCode::Done).map_err(failed)
}

/// `--broker`: bytes between the streams of an agent and the process of its run, and nothing else.
pub fn broker(environment: &Environment) -> std::process::ExitCode {
    let piped = doors::pipe(environment, std::io::stdin(), std::io::stdout());
    match piped.map_err(Failure::from) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(failure) => failure.report(&Output::new(true, None), false),
    }
}

/// A program reads it; one that is gone reads nothing, and the server goes on until it is told to end.
fn announce(output: &Output, url: &str, token: &str) {
    if let Ok(line) = serde_json::to_string(&Announced { url, token }) {
        drop(output.data(format!("{line}\n").as_bytes()));
    }
}

fn folder(path: &Path) -> Result<std::path::PathBuf, Failure> {
    let real = path.canonicalize().ok().filter(|real| real.is_dir());
    real.ok_or_else(|| {
        let message = format!("--cwd {} is not a folder", path.display());
        Failure::new(ErrorCode::Usage, &message)
    })
}

#[allow(clippy::needless_pass_by_value)] // the shape of `map_err`
fn failed(error: ServeError) -> Failure {
    let code = match &error {
        ServeError::AddressTaken { .. } => ErrorCode::AddressTaken,
        _ => ErrorCode::Io,
    };
    let failure = Failure::new(code, &error.to_string());
    match error {
        ServeError::Port { .. } => failure.hinting("taffrail serve-mcp --http --port 0"),
        _ => failure,
    }
}
