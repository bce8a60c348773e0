//! The proxy itself: accepts, keeps the number of connections within bounds, ends when it is told to.

use std::io::{self, PipeReader, PipeWriter};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use taffrail_domain::HostRule;
use thiserror::Error;

use crate::answer::Answer;
use crate::base64;
use crate::connection;
use crate::judge::{Ask, Judge, Names, Questions};
use crate::poll::{self, is_ready};
use crate::visit::Visit;

/// The user name beside [`Settings::password`].
const USER: &str = "taffrail";
/// The stack of a thread that serves: the system's look-up of names needs the most of it.
const STACK: usize = 512 << 10;
/// How long [`Proxy::stop`] waits for threads. They see it at once, but for one that is inside the system's look-up.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long nothing is accepted after the system could not give a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Bounds of the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at the same time; one more is answered and closed.
    pub connections: usize,
    /// How long a client has for the head of its request.
    pub head: Duration,
    /// How long all addresses of a host have to answer.
    pub connect: Duration,
    /// How long nothing may move on a connection. A model that thinks is silent for minutes.
    pub idle: Duration,
    /// How long one connection waits for a person's answer.
    pub ask: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 64,
            head: Duration::from_secs(10),
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(600),
            ask: Duration::from_secs(120),
        }
    }
}

/// What a proxy does, and whom it tells.
#[derive(Clone)]
pub struct Settings {
    /// What may be reached.
    pub rules: Vec<HostRule>,
    /// What a client must show as the password of the user `taffrail`, where others than the run can meet the port.
    pub password: Option<String>,
    /// Who looks up names.
    pub names: Arc<dyn Names>,
    /// Who is asked for a place that no rule allows. With nobody it is refused.
    pub ask: Option<Arc<Ask>>,
    /// Who is told of each connection when it is over, from the thread that served it.
    pub told: Arc<dyn Fn(&Visit) + Send + Sync>,
    /// The bounds.
    pub limits: Limits,
}

/// What is done with what comes in at a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// It speaks to the proxy.
    Proxy,
    /// It is passed on to this address as it is.
    Pass(SocketAddr),
}

/// Why a proxy could not be started.
#[derive(Debug, Error)]
pub enum ProxyError {
    /// The system gives no descriptor or no thread.
    #[error("the proxy cannot {doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The system's answer.
        source: io::Error,
    },
}

/// A proxy that serves any number of listeners. Ends with the value.
pub struct Proxy {
    shared: Arc<Shared>,
    /// Closed to stop.
    running: Mutex<Option<PipeWriter>>,
}

pub(crate) struct Shared {
    pub judge: Judge,
    pub limits: Limits,
    /// Readable for good once the proxy stops.
    pub stop: PipeReader,
    password: Option<String>,
    told: Arc<dyn Fn(&Visit) + Send + Sync>,
    /// Threads that accept or serve.
    threads: Mutex<usize>,
    /// Connections that are served.
    serving: AtomicUsize,
    ended: Condvar,
}

/// One thread more, as long as it lives: also where it is never started, or panics.
struct Counted(Arc<Shared>);

impl Counted {
    fn new(shared: &Arc<Shared>) -> Self {
        *shared.threads() += 1;
        Self(Arc::clone(shared))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        *self.0.threads() -= 1;
        self.0.ended.notify_all();
    }
}

/// One connection more, as long as it is served.
struct Slot(Counted);

impl Slot {
    /// `None` where no more are served at the same time.
    fn take(shared: &Arc<Shared>) -> Option<Self> {
        let slot = Self(Counted::new(shared));
        let before = shared.serving.fetch_add(1, Ordering::SeqCst);
        (before < shared.limits.connections).then_some(slot)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.0.serving.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Proxy {
    /// A proxy that serves nobody yet.
    ///
    /// # Errors
    /// [`ProxyError::Io`].
    pub fn new(settings: Settings) -> Result<Self, ProxyError> {
        let (stop, running) = io::pipe().map_err(failed("make a pipe"))?;
        let limits = settings.limits;
        let shared = Shared {
            judge: Judge {
                rules: settings.rules,
                names: settings.names,
                questions: settings.ask.map(|ask| Questions::new(ask, limits.ask)),
            },
            limits,
            stop,
            password: settings
                .password
                .map(|password| base64::basic(USER, &password)),
            told: settings.told,
            threads: Mutex::default(),
            serving: AtomicUsize::new(0),
            ended: Condvar::new(),
        };
        Ok(Self {
            shared: Arc::new(shared),
            running: Mutex::new(Some(running)),
        })
    }

    /// Accepts on these listeners in a thread of its own, until the proxy stops or, where `over` is given, until that
    /// becomes readable or its other end closes. Connections that stand then go on.
    ///
    /// # Errors
    /// [`ProxyError::Io`].
    pub fn serve(
        &self,
        doors: Vec<(TcpListener, Service)>,
        over: Option<OwnedFd>,
    ) -> Result<(), ProxyError> {
        for (listener, _) in &doors {
            let ready = listener.set_nonblocking(true);
            ready.map_err(failed("prepare a listener"))?;
        }
        let own = Counted::new(&self.shared);
        let thread = thread::Builder::new().name("proxy".to_owned());
        let accepts = move || {
            accept(&own.0, &doors, over.as_ref());
            // Closed before this thread counts as ended: whoever waited for the end meets no listener any more.
            drop((doors, over));
        };
        let started = thread.stack_size(STACK).spawn(accepts);
        started.map(drop).map_err(failed("start a thread"))
    }

    /// Ends every connection and waits for what was to be told, two seconds at most. True: everything was told.
    pub fn stop(&self) -> bool {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        drop(running.take());
        let until = Instant::now() + PATIENCE;
        let mut threads = self.shared.threads();
        while *threads > 0 {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.shared.ended.wait_timeout(threads, left);
            threads = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Threads that hear of it too late hold nothing but their own connection.
        let _in_time = self.stop();
    }
}

impl Shared {
    pub fn tell(&self, visit: &Visit) {
        (self.told)(visit);
    }

    /// Limit on silence, and what ends everything: what carrying bytes needs to know.
    pub const fn bounds(&self) -> (Duration, &PipeReader) {
        (self.limits.idle, &self.stop)
    }

    /// Whether a client may speak to the proxy. The comparison takes as long for every wrong text of the same length.
    pub fn knows(&self, authorization: Option<&str>) -> bool {
        let Some(expect) = &self.password else {
            return true;
        };
        let Some(said) = authorization else {
            return false;
        };
        let pairs = expect.bytes().zip(said.bytes());
        let differs = pairs.fold(0, |differs, (left, right)| differs | (left ^ right));
        expect.len() == said.len() && differs == 0
    }

    fn threads(&self) -> MutexGuard<'_, usize> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn accept(shared: &Arc<Shared>, doors: &[(TcpListener, Service)], over: Option<&OwnedFd>) {
    loop {
        let ends = [Some(shared.stop.as_fd()), over.map(AsFd::as_fd)];
        let mut set: Vec<PollFd<'_>> = Vec::new();
        for end in ends.into_iter().flatten() {
            set.push(PollFd::from_borrowed_fd(end, PollFlags::IN));
        }
        let first = set.len();
        for (listener, _) in doors {
            set.push(PollFd::new(listener, PollFlags::IN));
        }
        poll::wait(&mut set, Instant::now() + Duration::from_secs(3_600));
        if (0..first).any(|at| is_ready(&set, at)) {
            return;
        }
        for (place, (listener, service)) in doors.iter().enumerate() {
            if is_ready(&set, first + place) && !take(shared, listener, *service) {
                // No descriptor is left: whoever waits is taken when one is.
                poll::wait(
                    &mut [PollFd::new(&shared.stop, PollFlags::IN)],
                    Instant::now() + PAUSE,
                );
            }
        }
    }
}

/// False: the system cannot give a connection now.
fn take(shared: &Arc<Shared>, listener: &TcpListener, service: Service) -> bool {
    let client = match listener.accept() {
        Ok((client, _)) => client,
        Err(why) => {
            let gone = [
                io::ErrorKind::WouldBlock,
                io::ErrorKind::ConnectionAborted,
                io::ErrorKind::Interrupted,
            ];
            return gone.contains(&why.kind());
        }
    };
    let Some(slot) = Slot::take(shared) else {
        busy(&client);
        return true;
    };
    let serves = move || {
        // Where the system does not say, it is the system's own default.
        client.set_nodelay(true).unwrap_or_default();
        let shared = &slot.0.0;
        match service {
            Service::Proxy => connection::serve(shared, &client),
            Service::Pass(to) => connection::pass(shared, &client, to),
        }
    };
    let thread = thread::Builder::new().name("proxy".to_owned());
    thread.stack_size(STACK).spawn(serves).is_ok()
}

/// Said without waiting: the one who accepts has no time for one client.
fn busy(client: &TcpStream) {
    Answer::new("503 Service Unavailable", "too many connections at once").say(client);
}

/// A listener on a port of this machine's loopback that the system picks.
///
/// # Errors
/// [`ProxyError::Io`].
pub fn listen_here() -> Result<(TcpListener, u16), ProxyError> {
    let listen = failed("listen on the loopback");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(listen)?;
    let at = listener.local_addr();
    let at = at.map_err(failed("listen on the loopback"))?;
    Ok((listener, at.port()))
}

/// Whether something listens on this port of this machine's 127.0.0.1.
pub fn answers_here(port: u16) -> bool {
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&at, PAUSE).is_ok()
}

fn failed(doing: &'static str) -> impl FnOnce(io::Error) -> ProxyError {
    move |source| ProxyError::Io { doing, source }
}
