//! The network of a run by host (CNF-08): our proxy, the way to it from inside the sandbox, and what the record says.
//!
//! A [`Gate`] belongs to one run and serves every start in its box: the setup command, the agent, a later `box enter`.
//! With bubblewrap each start has a network of its own, and the proxy accepts on a listener that the warden opened in
//! there; without it, on a port of this machine that asks for the run's own password. Must not know: who asks a person.

mod asking;
mod environment;
mod ledger;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use taffrail_confine::env::ChildEnv;
use taffrail_confine::sandbox::Policy;
use taffrail_confine::supervise::{self, Door};
use taffrail_domain::{HostRule, Net, Place, RunId, Rung, hex};
use taffrail_proxy::{Ask, Limits, Proxy, Service, Settings, SystemNames, Visit};

pub use asking::{Asks, HostAsked, asking};
pub use ledger::HostRow;

use crate::boxes::facts::clean_json;
use crate::{App, AppError};
use ledger::Ledger;

/// Where the proxy is met in a network of the run's own: the port that proxies are known by, or the next one that the
/// agent does not use itself.
const PORT: u16 = 3_128;

/// The kind of the event that holds what a run reached.
const EVENT: &str = "network";

/// Those of an agent's own ports on which something of this machine answers now. It is passed through into a network of
/// the run's own; on the others the agent may listen itself.
pub fn that_answer(ports: &[u16]) -> Vec<u16> {
    let most = supervise::MOST_PORTS - 1;
    let answering = ports
        .iter()
        .copied()
        .filter(|port| taffrail_proxy::answers_here(*port));
    answering.take(most).collect()
}

/// The way of one run to its hosts.
pub struct Gate(Option<Opened>);

struct Opened {
    proxy: Arc<Proxy>,
    /// Where the run meets the proxy.
    port: u16,
    /// What others that could meet it do not know; none in a network of the run's own.
    password: Option<String>,
    /// Ports of this machine that are passed through into a network of the run's own.
    passed: Vec<u16>,
    own_network: bool,
    asks_person: bool,
    ledger: Arc<Ledger>,
    asks: Arc<Asked>,
}

/// Who is asked, once it is known.
type Asked = Mutex<Option<Arc<Ask>>>;

impl Gate {
    /// The gate of a run whose network is this, on this rung. Not by host, or without a sandbox: there is nothing to open.
    ///
    /// # Errors
    /// [`AppError::Proxy`]; [`AppError::Random`].
    pub fn open(net: &Net, rung: Rung, agents_own: &[u16]) -> Result<Self, AppError> {
        match (net, rung) {
            (
                Net::Hosts {
                    allowed,
                    ask,
                    loopback,
                },
                Rung::Full | Rung::Partial,
            ) => Opened::new((allowed, *ask, loopback), rung, agents_own)
                .map(|opened| Self(Some(opened))),
            (Net::Hosts { .. }, Rung::None) | (Net::Off | Net::Ports(_), _) => Ok(Self(None)),
        }
    }

    /// Whether a person is asked for hosts that no rule names.
    pub fn asks(&self) -> bool {
        self.0.as_ref().is_some_and(|opened| opened.asks_person)
    }

    /// Whom to ask for a host that no rule names, where the network is `ask`. Called from a thread of the proxy, one
    /// question at a time. Until somebody is named here, and where nobody answers in two minutes, the host is refused.
    pub fn ask_with(&self, ask: Arc<Ask>) {
        if let Some(opened) = &self.0 {
            *opened.asks.lock().unwrap_or_else(PoisonError::into_inner) = Some(ask);
        }
    }

    /// From here on every host that no rule names is refused.
    pub fn ask_nobody(&self) {
        if let Some(opened) = &self.0 {
            *opened.asks.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// What the sandbox has to know.
    pub fn apply(&self, policy: &mut Policy) {
        policy.proxy = self.0.as_ref().map(|opened| opened.port);
    }

    /// The environment with what makes programs use the proxy.
    pub fn environment(&self, env: ChildEnv) -> ChildEnv {
        match &self.0 {
            Some(opened) => environment::with_proxy(env, opened.port, opened.password.as_deref()),
            None => env,
        }
    }

    /// The door of one start; none where the proxy is met without one.
    ///
    /// # Errors
    /// [`AppError::Proxy`].
    pub fn door(&self) -> Result<Option<Door>, AppError> {
        match &self.0 {
            Some(opened) if opened.own_network => opened.door().map(Some),
            Some(_) | None => Ok(None),
        }
    }

    /// What was reached and refused so far, by host.
    pub fn hosts(&self) -> Vec<HostRow> {
        self.0
            .as_ref()
            .map(|opened| opened.ledger.rows())
            .unwrap_or_default()
    }

    /// Ends every connection and puts what was reached and refused on record, as one event of the run. Without a visit
    /// there is none.
    ///
    /// # Errors
    /// The store's.
    pub fn record(&self, app: &App, run: &RunId) -> Result<(), AppError> {
        let Some(opened) = &self.0 else { return Ok(()) };
        // A connection inside the system's look-up of a name has carried nothing yet.
        opened.proxy.stop();
        let Some(body) = opened.ledger.body() else {
            return Ok(());
        };
        Ok(app
            .store
            .add_event(run, EVENT, &clean_json(&app.redactor, &body))?)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if let Some(opened) = &self.0 {
            opened.proxy.stop();
        }
    }
}

impl Opened {
    fn new(
        (allowed, ask, loopback): (&[String], bool, &[u16]),
        rung: Rung,
        agents_own: &[u16],
    ) -> Result<Self, AppError> {
        let (ledger, asks) = (Arc::new(Ledger::default()), Arc::new(Asked::default()));
        let own_network = rung == Rung::Full;
        let password = if own_network { None } else { Some(password()?) };
        let (told, asked) = (Arc::clone(&ledger), Arc::clone(&asks));
        let proxy = Arc::new(Proxy::new(Settings {
            rules: rules(allowed, loopback)?,
            password: password.clone(),
            names: Arc::new(SystemNames),
            ask: ask.then(|| -> Arc<Ask> { Arc::new(move |place: &Place| put(&asked, place)) }),
            told: Arc::new(move |visit: &Visit| told.note(visit)),
            limits: Limits::default(),
        })?);
        let port = if own_network {
            let is_free = |port: &u16| !loopback.contains(port) && !agents_own.contains(port);
            (PORT..).find(is_free).unwrap_or(PORT)
        } else {
            let (listener, port) = taffrail_proxy::listen_here()?;
            proxy.serve(vec![(listener, Service::Proxy)], None)?;
            port
        };
        let passed = if own_network {
            loopback.to_vec()
        } else {
            Vec::new()
        };
        Ok(Self {
            proxy,
            port,
            password,
            passed,
            own_network,
            asks_person: ask,
            ledger,
            asks,
        })
    }

    /// The proxy serves what comes through the door until the run on its other side is over.
    fn door(&self) -> Result<Door, AppError> {
        let failed = |source| {
            AppError::Proxy(taffrail_proxy::ProxyError::Io {
                doing: "open a door",
                source,
            })
        };
        let (door, doorway) = supervise::door().map_err(failed)?;
        let here = |port: &u16| Service::Pass(SocketAddr::from((Ipv4Addr::LOCALHOST, *port)));
        let services: Vec<Service> = std::iter::once(Service::Proxy)
            .chain(self.passed.iter().map(here))
            .collect();
        let proxy = Arc::clone(&self.proxy);
        let waits = move || {
            // A start that failed opens no door, and what cannot be served is refused inside: the proof finds it.
            if let Ok(Some(listeners)) = doorway.listeners() {
                let doors = listeners.into_iter().zip(services).collect();
                drop(proxy.serve(doors, Some(doorway.into())));
            }
        };
        let thread = thread::Builder::new().name("door".to_owned());
        thread.spawn(waits).map_err(failed)?;
        Ok(door)
    }
}

/// The rules of the run, and this machine's ports that are passed through, for a program that sends these to its proxy too.
fn rules(allowed: &[String], loopback: &[u16]) -> Result<Vec<HostRule>, AppError> {
    let here = loopback
        .iter()
        .flat_map(|port| [format!("127.0.0.1:{port}"), format!("localhost:{port}")]);
    let texts = allowed.iter().cloned().chain(here);
    let rule = |text: String| {
        text.parse()
            .map_err(|why| AppError::HostRule { rule: text, why })
    };
    texts.map(rule).collect()
}

fn put(asks: &Asked, place: &Place) -> bool {
    let ask = asks.lock().unwrap_or_else(PoisonError::into_inner).clone();
    ask.is_some_and(|ask| ask(place))
}

fn password() -> Result<String, AppError> {
    Ok(hex(&crate::context::random::<16>()?))
}
