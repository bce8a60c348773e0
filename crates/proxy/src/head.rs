//! The head of a request, read once and strictly: what two readers could read in two ways is no request.

use taffrail_domain::{HostError, Place};

use crate::body::Body;

/// Most bytes of a head. Servers take 8 to 16 KiB.
pub(crate) const LONGEST: usize = 16 << 10;
/// Most header lines; servers take about a hundred.
const MOST_LINES: usize = 128;
/// The port of plain HTTP.
const HTTP: u16 = 80;

/// What a client wants.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub place: Place,
    pub wish: Wish,
    /// The value of `Proxy-Authorization`.
    pub authorization: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// A tunnel.
    Tunnel,
    /// One request: its head as the server gets it, and the body that follows.
    Request { head: Vec<u8>, body: Body },
}

/// Why a text is no request that we take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BadHead {
    /// Not HTTP, or not as it must be written.
    Syntax(&'static str),
    /// Another version of HTTP.
    Version,
    /// The host is malformed; what was said.
    Host(HostError, String),
    /// The request names two hosts; what was said in its line.
    TwoHosts(String),
}

/// The length of the head at the beginning of `bytes`, its empty line included.
pub(crate) fn length(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .map(|at| at + 4)
}

/// Whether these first bytes can still become a request: a method's letters, then a space. Tells a client that speaks
/// something else at once, instead of after the limit on time.
pub(crate) fn may_be_request(bytes: &[u8]) -> bool {
    let method = bytes.iter().take_while(|byte| **byte != b' ');
    method.clone().count() <= 32 && method.copied().all(is_token)
}

/// Reads a head that ends in its empty line.
pub(crate) fn parse(bytes: &[u8]) -> Result<Head, BadHead> {
    let text = bytes.strip_suffix(b"\r\n\r\n").unwrap_or(bytes);
    let mut lines = Lines(Some(text));
    let line = lines.next().ok_or(BadHead::Syntax("it is empty"))??;
    let (method, target, version) = request_line(line)?;
    let headers = lines
        .map(|line| header(line?))
        .collect::<Result<Vec<_>, _>>()?;
    if headers.len() > MOST_LINES {
        return Err(BadHead::Syntax("it has more than 128 header lines"));
    }
    let headers = Headers(headers);
    let authorization = headers.one("proxy-authorization")?.map(str::to_owned);
    let body = headers.body()?;
    if method == "CONNECT" {
        let place = place(target, None)?;
        headers.agree(&place, target, Some(place.port))?;
        if !body.is_over() {
            return Err(BadHead::Syntax("a tunnel has no body"));
        }
        let wish = Wish::Tunnel;
        return Ok(Head {
            place,
            wish,
            authorization,
        });
    }
    let (authority, path) = absolute(target)?;
    let place = place(authority, Some(HTTP))?;
    headers.agree(&place, authority, None)?;
    let head = headers.for_server(&format!("{method} {path} {version}"), &place);
    let wish = Wish::Request { head, body };
    Ok(Head {
        place,
        wish,
        authorization,
    })
}

/// Lines that end in CR LF and hold neither elsewhere.
struct Lines<'a>(Option<&'a [u8]>);

impl<'a> Iterator for Lines<'a> {
    type Item = Result<&'a str, BadHead>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0.take()?;
        let end = rest.windows(2).position(|window| window == b"\r\n");
        let (line, rest) = match end {
            Some(at) => (rest.get(..at)?, rest.get(at + 2..)),
            None => (rest, None),
        };
        self.0 = rest;
        let plain = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~' | 0x80..);
        let text = line.iter().all(plain).then(|| std::str::from_utf8(line));
        Some(match text {
            Some(Ok(text)) => Ok(text),
            Some(Err(_)) | None => Err(BadHead::Syntax("it holds bytes that are no text")),
        })
    }
}

fn request_line(line: &str) -> Result<(&str, &str, &str), BadHead> {
    let mut parts = line.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(BadHead::Syntax(
            "its first line is not method, target, version",
        ));
    };
    if method.is_empty() || !method.bytes().all(is_token) {
        return Err(BadHead::Syntax("its method is not a word"));
    }
    match version {
        "HTTP/1.1" | "HTTP/1.0" => Ok((method, target, version)),
        _ if version.starts_with("HTTP/") => Err(BadHead::Version),
        _ => Err(BadHead::Syntax("its first line names no version of HTTP")),
    }
}

fn place(text: &str, usual: Option<u16>) -> Result<Place, BadHead> {
    Place::parse(text, usual).map_err(|why| BadHead::Host(why, first_bytes(text)))
}

/// What a malformed host said, for the record: cut, otherwise as it came.
fn first_bytes(text: &str) -> String {
    let mut end = text.len().min(256);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}

/// `http://authority/path` into its two parts. A user name before the host is not taken, nor is a fragment.
fn absolute(target: &str) -> Result<(&str, String), BadHead> {
    let (scheme, rest) = target.split_once("://").ok_or(BadHead::Syntax(
        "its target is neither a whole URL nor a tunnel's",
    ))?;
    if !scheme.eq_ignore_ascii_case("http") {
        return Err(BadHead::Syntax(
            "only http:// is forwarded; everything else needs a tunnel",
        ));
    }
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if !path
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'#')
        || path.starts_with('\\')
    {
        return Err(BadHead::Syntax("its path holds what no path may hold"));
    }
    let slash = if path.starts_with('/') { "" } else { "/" };
    Ok((authority, format!("{slash}{path}")))
}

fn header(line: &str) -> Result<(&str, &str), BadHead> {
    let (name, value) = line
        .split_once(':')
        .ok_or(BadHead::Syntax("a header line has no colon"))?;
    // A space before the colon, and a line that goes on from the one before, are read in two ways.
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(BadHead::Syntax("a header's name is not a word"));
    }
    Ok((name, value.trim_matches([' ', '\t'])))
}

const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

/// Of this connection alone, and never passed on. What frames the body stays.
const OF_ONE_HOP: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
    "host",
];
const FRAMING: &[&str] = &["content-length", "transfer-encoding"];

struct Headers<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Headers<'a> {
    fn all(&self, wanted: &'static str) -> impl Iterator<Item = &'a str> {
        let matching = self
            .0
            .iter()
            .filter(move |(name, _)| name.eq_ignore_ascii_case(wanted));
        matching.map(|(_, value)| *value)
    }

    fn one(&self, wanted: &'static str) -> Result<Option<&'a str>, BadHead> {
        let mut all = self.all(wanted);
        match (all.next(), all.next()) {
            (value, None) => Ok(value),
            (_, Some(_)) => Err(BadHead::Syntax(
                "it has a header twice that may be there once",
            )),
        }
    }

    /// A `Host` beside the target must name the same; `port` is the one that counts where it names none.
    fn agree(&self, place: &Place, said: &str, port: Option<u16>) -> Result<(), BadHead> {
        let Some(host) = self.one("host")? else {
            return Ok(());
        };
        let other = Place::parse(host, Some(port.unwrap_or(HTTP)));
        if other.as_ref() == Ok(place) {
            Ok(())
        } else {
            Err(BadHead::TwoHosts(first_bytes(&format!(
                "{said} and {host}"
            ))))
        }
    }

    fn body(&self) -> Result<Body, BadHead> {
        let coding = self.one("transfer-encoding")?;
        let length = self.one("content-length")?;
        if coding.is_some() && length.is_some() {
            return Err(BadHead::Syntax("its body has two lengths"));
        }
        match (coding, length) {
            (Some(coding), _) if coding.eq_ignore_ascii_case("chunked") => Ok(Body::chunked()),
            (Some(_), _) => Err(BadHead::Syntax(
                "its body is coded in a way that is not known",
            )),
            (None, None) => Ok(Body::length(0)),
            (None, Some(length)) => {
                let plain = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
                let length = length.parse().ok().filter(|_| plain);
                let length = length.ok_or(BadHead::Syntax("its body's length is not a number"))?;
                Ok(Body::length(length))
            }
        }
    }

    /// The head for the server: one host, no header of the hop, and the connection ends with the answer.
    fn for_server(&self, line: &str, place: &Place) -> Vec<u8> {
        let named: Vec<&str> = self
            .all("connection")
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .collect();
        let is =
            |name: &str, list: &[&str]| list.iter().any(|entry| entry.eq_ignore_ascii_case(name));
        let host = match place.port {
            HTTP => place.host.to_string(),
            _ => place.to_string(),
        };
        let mut text = format!("{line}\r\nHost: {host}\r\n");
        for (name, value) in &self.0 {
            if is(name, FRAMING) || !(is(name, OF_ONE_HOP) || is(name, &named)) {
                text.extend([name, ": ", value, "\r\n"]);
            }
        }
        text.push_str("Connection: close\r\n\r\n");
        text.into_bytes()
    }
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;
