//! As much of HTTP/1.1 as model clients use: keep-alive, bodies by length or in chunks, answers whole or as events.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// Largest request body; a model request with a long history stays far below.
const MAX_BODY: u64 = 64 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value)
    }

    /// The next request of a connection; `None` when the client closed it between two.
    pub(super) fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Self>> {
        let start = read_line(stream)?;
        let mut words = start.split(' ');
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Ok(None);
        };
        let mut request = Self {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: read_headers(stream)?,
            body: Vec::new(),
        };
        if request
            .header("expect")
            .eq_ignore_ascii_case("100-continue")
        {
            stream
                .get_mut()
                .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        request.body = read_body(stream, &request)?;
        Ok(Some(request))
    }
}

fn read_line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    stream.take(64 * 1024).read_line(&mut line)?;
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(line)
}

fn read_headers(stream: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let line = read_line(stream)?;
        let Some((name, value)) = line.split_once(':') else {
            return Ok(headers);
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

fn read_body(stream: &mut impl BufRead, request: &Request) -> io::Result<Vec<u8>> {
    if request
        .header("transfer-encoding")
        .eq_ignore_ascii_case("chunked")
    {
        return read_chunks(stream);
    }
    let length: u64 = request.header("content-length").parse().unwrap_or(0);
    read_exactly(stream, length)
}

fn read_chunks(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(stream)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "a chunk without a size"))?;
        if size == 0 {
            read_headers(stream)?;
            return Ok(body);
        }
        body.extend(read_exactly(stream, size)?);
        read_line(stream)?;
    }
}

fn read_exactly(stream: &mut impl BufRead, length: u64) -> io::Result<Vec<u8>> {
    if length > MAX_BODY {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a body over 64 MiB",
        ));
    }
    let mut body = Vec::new();
    stream.take(length).read_to_end(&mut body)?;
    if body.len() as u64 == length {
        Ok(body)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

pub(super) fn send_json(stream: &mut impl Write, status: u16, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        reason(status),
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}

/// One server-sent event.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    pub(super) name: Option<String>,
    pub(super) data: String,
}

impl Event {
    pub(super) fn unnamed(data: &Value) -> Self {
        Self {
            name: None,
            data: data.to_string(),
        }
    }

    /// Named by the `type` of its data, as Anthropic and OpenAI's responses do.
    pub(super) fn typed(data: &Value) -> Self {
        let name = data.get("type").and_then(Value::as_str).map(str::to_owned);
        Self {
            name,
            data: data.to_string(),
        }
    }
}

/// Sends `events` as chunks. `whole` says whether the last chunk follows; without it the client sees a broken answer.
pub(super) fn send_events(
    stream: &mut impl Write,
    events: &[Event],
    whole: bool,
) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\
                transfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    for event in events {
        let name = event
            .name
            .as_ref()
            .map(|name| format!("event: {name}\n"))
            .unwrap_or_default();
        let text = format!("{name}data: {}\n\n", event.data);
        stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())?;
        stream.flush()?;
    }
    if whole {
        stream.write_all(b"0\r\n\r\n")
    } else {
        Ok(())
    }
}
