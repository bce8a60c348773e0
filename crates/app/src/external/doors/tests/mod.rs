//! The doors of a run, from the agent's side: over real FIFOs, with the pipe that an agent starts, and with ends of its own.

mod attacks;
mod findings;
mod tools;
mod transport;

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};
use taffrail_confine::env::Environment;
use taffrail_domain::RunId;
use taffrail_mcp::client::Client;
use taffrail_mcp::{ClientName, Names};

use super::{Broker, DoorsOf, MethodCall, RunDoors, Serving, pipe};
use crate::AppError;
use crate::a_world::{World, world};
use crate::external::McpScope;

pub(super) const TOKEN: [u8; 32] = [7; 32];

/// A run whose agent is the test.
pub(super) struct Scene {
    pub world: World,
    pub doors: Arc<RunDoors>,
    pub folder: PathBuf,
    pub checkout: PathBuf,
    pub environment: Environment,
    calls: Arc<Mutex<Vec<MethodCall>>>,
    serving: Option<Serving>,
    _scratch: tempfile::TempDir,
}

pub(super) fn scene() -> Scene {
    scene_with(McpScope::Checkout)
}

pub(super) fn scene_with(scope: McpScope) -> Scene {
    let world = world();
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().canonicalize().unwrap();
    let checkout = root.join("wt");
    std::fs::create_dir(&checkout).unwrap();
    put(&checkout.join("a.txt"), "in the checkout\n");
    put(&world.app.inputs.cwd.join("a.txt"), "in the project\n");
    let calls: Arc<Mutex<Vec<MethodCall>>> = Arc::default();
    let told = Arc::clone(&calls);
    let of = DoorsOf {
        run: RunId::new(1_764_460_800_000, [9; 10]),
        agent: "fake-acp".to_owned(),
        checkout: checkout.clone(),
        project: world.app.inputs.cwd.clone(),
        scope,
        names: Names::Dotted,
    };
    let on_call = Box::new(move |call| told.lock().unwrap().push(call));
    let doors = Arc::new(RunDoors::new(&world.app, of, on_call).unwrap());
    let broker = Broker::open(&root, TOKEN).unwrap();
    let environment = environment(broker.env());
    let folder = PathBuf::from(environment.get("TAFFRAIL_BROKER_DIR").unwrap());
    let serving = broker.serve(doors.clone(), Names::Dotted).unwrap();
    Scene {
        world,
        doors,
        folder,
        checkout,
        environment,
        calls,
        serving: Some(serving),
        _scratch: scratch,
    }
}

impl Scene {
    /// A client behind a pipe, as an agent has one.
    pub fn connect(&self) -> Piped {
        piped(&self.environment)
    }

    pub fn calls(&self) -> Vec<MethodCall> {
        self.calls.lock().unwrap().clone()
    }

    pub fn stop(&mut self) {
        self.serving.take().unwrap().stop().unwrap();
    }
}

/// A pipe in a thread, and the streams that its agent holds.
pub(super) struct Piped {
    pub thread: JoinHandle<Result<(), AppError>>,
    pub input: File,
    pub output: File,
}

impl Piped {
    /// What a pipe ended with that its run did not take.
    pub fn refused(self) -> String {
        self.thread.join().unwrap().unwrap_err().to_string()
    }

    pub fn client(self) -> Client {
        let name = ClientName {
            name: "tester".to_owned(),
            version: "1".to_owned(),
        };
        Client::over_pipes(self.output, self.input, &name).unwrap()
    }
}

pub(super) fn piped(environment: &Environment) -> Piped {
    let pair = || rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
    let ((theirs_in, input), (output, theirs_out)) = (pair(), pair());
    let environment = environment.clone();
    Piped {
        thread: std::thread::spawn(move || pipe(&environment, theirs_in, theirs_out)),
        input: input.into(),
        output: output.into(),
    }
}

pub(super) fn environment(pairs: Vec<(String, String)>) -> Environment {
    let pairs = pairs.into_iter();
    Environment::new(pairs.map(|(name, value)| (name.into(), value.into())))
}

pub(crate) fn put(path: &std::path::Path, text: &str) {
    let root = taffrail_confine::fs::Root::open(path.parent().unwrap()).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let name = taffrail_domain::RepoPath::new(name).unwrap();
    root.write_new(&name, text.as_bytes(), 0o600).unwrap();
}

pub(super) fn read(client: &Client, path: &str) -> String {
    let read = client.call("read_file", json!({"path": path})).unwrap();
    read["content"].as_str().unwrap().to_owned()
}

/// Every memory of the home.
pub(super) fn memories(app: &crate::App) -> Vec<taffrail_store::MemoryRow> {
    let filter = taffrail_store::MemoryFilter::default();
    app.store.memories(&filter).unwrap().rows
}

/// One message as a line.
pub(super) fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}
