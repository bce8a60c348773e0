//! An application in a folder of its own, for the tests of this crate: an empty home, a clock that stands still, nobody to ask.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_confine::env::Environment;
use taffrail_domain::{Clock, Millis};

use crate::{App, AppInputs};

/// The time of every row: 2025-11-30, midnight.
pub const NOW: Millis = Millis(1_764_460_800_000);

struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> Millis {
        NOW
    }
}

/// The application, with the folder that goes with it.
pub struct World {
    _folder: tempfile::TempDir,
    /// The open application.
    pub app: App,
}

/// A world whose working directory is `work`.
pub fn world() -> World {
    world_at(Arc::new(Fixed))
}

/// The same with a clock of the test's own.
pub fn world_at(clock: Arc<dyn Clock>) -> World {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = |name: &str| -> PathBuf { root.join(name) };
    for name in ["home", "work"] {
        std::fs::create_dir(path(name)).unwrap();
    }
    let environment = Environment::new([
        ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
        ("TAFFRAIL_HOME".into(), path("taffrail").into_os_string()),
    ]);
    let app = App::open(AppInputs {
        environment,
        cwd: path("work"),
        exe: Path::new("/bin/true").into(),
        user_home: path("home"),
        clock,
        ask: Arc::new(crate::secrets::Nobody),
    });
    World {
        _folder: folder,
        app: app.unwrap(),
    }
}
