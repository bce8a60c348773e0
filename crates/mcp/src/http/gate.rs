//! The gate of the HTTP server: one pure function over method, path and headers, before anything else looks at a
//! request (WEB-02, MCP-01).

use hyper::header::{
    ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap,
    HeaderName, ORIGIN,
};
use hyper::{Method, StatusCode, Uri};

/// The one path.
pub(crate) const PATH: &str = "/mcp";

/// A request's largest body, in bytes; the same as a line's over standard input.
pub(crate) const BODY_LIMIT: u64 = crate::lines::LINE_LIMIT as u64;

/// What the gate compares with.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    /// 64 hexadecimal digits.
    token: String,
    hosts: [String; 3],
    origins: [String; 3],
}

/// The gate's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// Go on.
    Allowed,
    /// Not with this status; the text says why without repeating anything of the request.
    Refused(StatusCode, &'static str),
}

impl Gate {
    pub(crate) fn new(token: &str, port: u16) -> Self {
        let hosts = [
            format!("127.0.0.1:{port}"),
            format!("localhost:{port}"),
            format!("[::1]:{port}"),
        ];
        let origins = hosts.clone().map(|host| format!("http://{host}"));
        Self {
            token: token.to_owned(),
            hosts,
            origins,
        }
    }

    /// The origins that a page of our own would have.
    pub(crate) fn origins(&self) -> &[String] {
        &self.origins
    }

    /// The hosts by which the server is known.
    pub(crate) fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// The token first: who has none learns nothing, not even what else is wrong.
    pub(crate) fn word(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Word {
        if !self.has_token(headers) {
            return Word::Refused(StatusCode::UNAUTHORIZED, "a bearer token is needed");
        }
        if !self.has_host(uri, headers) {
            return Word::Refused(StatusCode::FORBIDDEN, "not a host of this server");
        }
        if !self.has_origin(headers) || headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
            return Word::Refused(StatusCode::FORBIDDEN, "not an origin of this server");
        }
        if uri.path() != PATH {
            return Word::Refused(StatusCode::NOT_FOUND, "there is only /mcp");
        }
        body(method, headers)
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let Some(value) = only(headers, AUTHORIZATION) else {
            return false;
        };
        let given = value
            .split_once(' ')
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map_or("", |(_, token)| token.trim());
        same(given.as_bytes(), self.token.as_bytes())
    }

    /// A page elsewhere whose name was made to mean this machine still sends its own name (DNS rebinding).
    fn has_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let in_line = uri.authority().is_none_or(|at| self.is_ours(at.as_str()));
        in_line && only(headers, HOST).is_some_and(|host| self.is_ours(host))
    }

    fn is_ours(&self, host: &str) -> bool {
        self.hosts
            .iter()
            .any(|ours| ours.eq_ignore_ascii_case(host))
    }

    /// None at all (no browser), or exactly our own.
    fn has_origin(&self, headers: &HeaderMap) -> bool {
        if !headers.contains_key(ORIGIN) {
            return true;
        }
        only(headers, ORIGIN).is_some_and(|given| self.origins.iter().any(|ours| ours == given))
    }
}

fn body(method: &Method, headers: &HeaderMap) -> Word {
    if method == Method::GET || method == Method::DELETE {
        return Word::Allowed;
    }
    if method != Method::POST {
        return Word::Refused(StatusCode::METHOD_NOT_ALLOWED, "GET, POST or DELETE");
    }
    if !is_json(headers) {
        let why = "the content type must be application/json";
        return Word::Refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, why);
    }
    let length = only(headers, CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if length.is_some_and(|length| length > BODY_LIMIT) {
        return Word::Refused(StatusCode::PAYLOAD_TOO_LARGE, "the body exceeds 4 MiB");
    }
    Word::Allowed
}

fn is_json(headers: &HeaderMap) -> bool {
    only(headers, CONTENT_TYPE).is_some_and(|value| {
        let essence = value.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("application/json")
    })
}

/// A header's value where it is there exactly once: two might be read differently by whoever comes after.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() {
        return None;
    }
    first.to_str().ok()
}

/// Equal, in a time that tells nothing of where the first difference is.
fn same(given: &[u8], ours: &[u8]) -> bool {
    let mut different = u8::from(given.len() != ours.len());
    for (at, byte) in ours.iter().enumerate() {
        different |= byte ^ given.get(at).copied().unwrap_or_default();
    }
    std::hint::black_box(different) == 0
}
