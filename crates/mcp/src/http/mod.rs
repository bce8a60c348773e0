//! The server over HTTP on loopback: the SDK's streamable HTTP behind our own gate (MCP-01, WEB-02).

pub(crate) mod gate;
mod sessions;

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use taffrail_domain::hex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::about::About;
use crate::catalog::Offer;
use crate::error::ServeError;
use crate::host::Host;
use crate::server::Server;
use crate::stdio::{runtime, server, stop_on_signals};
use gate::{BODY_LIMIT, Gate, PATH, Word};
use sessions::Sessions;

/// What one client may take of the server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// So many connections at once; more wait in the system's line.
    pub(crate) connections: usize,
    /// A request's head must be whole within this time, and an idle connection is closed after it.
    pub(crate) head: Duration,
    /// A request's body must be whole within this time.
    pub(crate) body: Duration,
}

pub(crate) const LIMITS: Limits = Limits {
    connections: 64,
    head: Duration::from_secs(10),
    body: Duration::from_secs(30),
};

/// Where and for whom to serve.
#[derive(Clone)]
pub struct HttpOptions {
    /// The port on 127.0.0.1; 0 for any that is free.
    pub port: u16,
    /// Random bytes; whoever has them may call.
    pub token: [u8; 32],
}

/// Not the token: what is printed for debugging ends in logs.
impl std::fmt::Debug for HttpOptions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("HttpOptions")
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

type Answer = Response<BoxBody<Bytes, Infallible>>;

pub(crate) struct Door {
    limits: Limits,
    gate: Gate,
    sessions: Sessions,
    service: StreamableHttpService<Server, LocalSessionManager>,
}

/// Serves on 127.0.0.1 and nowhere else, until a SIGTERM or SIGINT comes. `announce` is given the URL and the token (64
/// hexadecimal digits) once the port is bound.
///
/// # Errors
/// [`ServeError::AddressTaken`] where another program listens on the port, or what the system refused.
pub fn serve_http(
    host: Arc<dyn Host>,
    offer: &Offer,
    about: &About,
    options: &HttpOptions,
    announce: impl FnOnce(&str, &str),
) -> Result<(), ServeError> {
    let runtime = runtime()?;
    let server = server(host, *offer, about)?;
    let served = runtime.block_on(async {
        let stop = stop_on_signals()?;
        let (listener, port) = bound(options.port).await?;
        let token = hex(&options.token);
        let door = Arc::new(Door::new(server, &token, port, &stop));
        announce(&format!("http://127.0.0.1:{port}{PATH}"), &token);
        serve_connections(&listener, &door, &stop).await;
        Ok(())
    });
    runtime.shutdown_background();
    served
}

pub(crate) async fn bound(port: u16) -> Result<(TcpListener, u16), ServeError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .map_err(|source| match source.kind() {
            ErrorKind::AddrInUse => ServeError::AddressTaken { port },
            _ => ServeError::Port { port, source },
        })?;
    let at = listener
        .local_addr()
        .map_err(ServeError::io("cannot listen on loopback"))?;
    Ok((listener, at.port()))
}

pub(crate) async fn serve_connections(
    listener: &TcpListener,
    door: &Arc<Door>,
    stop: &CancellationToken,
) {
    let room = Arc::new(Semaphore::new(door.limits.connections));
    loop {
        let accepted = async {
            let place = room.clone().acquire_owned().await.ok()?;
            Some((listener.accept().await, place))
        };
        let accepted = tokio::select! {
            accepted = accepted => accepted,
            () = stop.cancelled() => return,
        };
        let Some((accepted, place)) = accepted else {
            return;
        };
        let Ok((stream, _)) = accepted else {
            // Out of descriptors: one that ends gives one back.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (door, stop) = (door.clone(), stop.clone());
        drop(tokio::spawn(async move {
            tokio::select! {
                () = serve_connection(stream, door) => {}
                () = stop.cancelled() => {}
            }
            drop(place);
        }));
    }
}

async fn serve_connection(stream: TcpStream, door: Arc<Door>) {
    // A connection that breaks concerns nobody but its client.
    drop(stream.set_nodelay(true));
    let head = door.limits.head;
    let answer = service_fn(move |request| {
        let door = door.clone();
        async move { Ok::<_, Infallible>(door.answer(request).await) }
    });
    drop(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(head)
            .max_buf_size(64 * 1024)
            .serve_connection(TokioIo::new(stream), answer)
            .await,
    );
}

impl Door {
    pub(crate) fn new(server: Server, token: &str, port: u16, stop: &CancellationToken) -> Self {
        let gate = Gate::new(token, port);
        let sessions = Sessions::default();
        // The SDK checks hosts and origins once more, should the gate ever be walked round.
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(gate.hosts().iter().cloned())
            .with_allowed_origins(gate.origins().iter().cloned())
            .enforce_origin_validation()
            .with_max_request_body_bytes(usize::try_from(BODY_LIMIT).unwrap_or(usize::MAX))
            .with_cancellation_token(stop.child_token());
        let make = move || Ok(server.clone());
        Self {
            limits: LIMITS,
            service: StreamableHttpService::new(make, sessions.manager(), config),
            gate,
            sessions,
        }
    }

    #[cfg(test)]
    pub(crate) fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (parts, body) = request.into_parts();
        if let Word::Refused(status, why) =
            self.gate.word(&parts.method, &parts.uri, &parts.headers)
        {
            return refused(status, why);
        }
        let body = match whole(body, self.limits.body).await {
            Ok(body) => body,
            Err((status, why)) => return refused(status, why),
        };
        self.sessions.enter(&parts.headers).await;
        let request = Request::from_parts(parts, Full::new(body));
        let mut answer = self.service.handle(request).await;
        self.sessions.leave(answer.headers());
        guarded(&mut answer);
        answer
    }
}

/// The whole body, within its limits of size and time.
async fn whole(body: Incoming, within: Duration) -> Result<Bytes, (StatusCode, &'static str)> {
    let limit = usize::try_from(BODY_LIMIT).unwrap_or(usize::MAX);
    match timeout(within, Limited::new(body, limit).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err((StatusCode::PAYLOAD_TOO_LARGE, "the body exceeds 4 MiB"))
        }
        Ok(Err(_)) => Err((StatusCode::BAD_REQUEST, "the body broke off")),
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the body took too long")),
    }
}

/// A refusal closes its connection: what is left of the request is not read.
fn refused(status: StatusCode, why: &'static str) -> Answer {
    let body = serde_json::json!({"error": why}).to_string();
    let mut answer = Response::new(Full::new(Bytes::from(body)).boxed());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    guarded(&mut answer);
    answer
}

/// No answer is a page, whatever a browser thinks of it, and none is kept.
fn guarded(answer: &mut Answer) {
    let headers = answer.headers_mut();
    headers.insert(
        "x-content-type-options",
        HeaderValue::from_static("nosniff"),
    );
    headers
        .entry("cache-control")
        .or_insert(HeaderValue::from_static("no-store"));
}
