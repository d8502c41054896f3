//! Requests of HTTP.

use std::net::IpAddr;

use super::Response;

/// A request, without its headers and body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The path, without the query.
    pub(crate) path: String,
    /// Whether the response has no body: `HEAD`.
    pub(crate) is_head: bool,
}

impl Request {
    /// Parses a request; `None` if it is incomplete. If this server listens at the loopback interface alone, `is_local`,
    /// the request must name this machine: otherwise a page of any site, whose name leads to this machine, could read
    /// what the server answers in the browser of a user of this machine.
    ///
    /// # Errors
    /// The response to a request that is malformed or not permitted.
    pub(super) fn parse(octets: &[u8], is_local: bool) -> Result<Option<Self>, Response> {
        let Some(end) = octets.windows(4).position(|window| window == b"\r\n\r\n") else {
            return Ok(None);
        };
        let malformed = || Response::error(400, "the request is malformed");
        let head = std::str::from_utf8(octets.get(..end).unwrap_or_default());
        let mut lines = head.map_err(|_| malformed())?.split("\r\n");
        let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
        let [method, target, "HTTP/1.0" | "HTTP/1.1"] = words[..] else { return Err(malformed()) };
        let is_head = match method {
            "GET" => false,
            "HEAD" => true,
            _ => return Err(Response::error(405, "only GET and HEAD are possible")),
        };
        let path = target.split(['?', '#']).next().unwrap_or_default();
        if !path.starts_with('/') {
            return Err(malformed());
        }
        let mut host = None;
        for line in lines {
            let (name, value) = line.split_once(':').ok_or_else(malformed)?;
            if name.eq_ignore_ascii_case("host") {
                host = Some(value.trim());
            }
        }
        if is_local && host.is_some_and(|host| !is_this_machine(host)) {
            return Err(Response::error(403, "the request names another host"));
        }
        Ok(Some(Self { path: path.to_owned(), is_head }))
    }
}

/// Whether the value of a header `Host` is an address or `localhost`.
fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<Request>, u16> {
        Request::parse(text.as_bytes(), true).map_err(|refused| refused.status())
    }

    #[test]
    fn requests_are_parsed_when_they_are_complete() {
        let whole = "GET /metrics?x=1 HTTP/1.1\r\nHost: localhost:9187\r\nAccept: */*\r\n\r\n";
        for end in 0..whole.len() {
            assert_eq!(parse(&whole[..end]), Ok(None));
        }
        let path = "/metrics".to_owned();
        assert_eq!(parse(whole), Ok(Some(Request { path: path.clone(), is_head: false })));
        let head = parse("HEAD /metrics HTTP/1.0\r\n\r\nmore");
        assert_eq!(head, Ok(Some(Request { path, is_head: true })));
    }

    #[test]
    fn other_requests_are_refused() {
        for (text, status) in [
            ("POST / HTTP/1.1\r\n\r\n", 405),
            ("GET / HTTP/2\r\n\r\n", 400),
            ("GET  / HTTP/1.1\r\n\r\n", 400),
            ("GET http://x/ HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
            ("\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
        ] {
            assert_eq!(parse(text), Err(status), "{text:?}");
        }
        assert_eq!(Request::parse(b"\xff / HTTP/1.1\r\n\r\n", true).unwrap_err().status(), 400);
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]:80", "10.0.0.1"] {
            parse(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")).unwrap();
        }
        let elsewhere = b"GET / HTTP/1.1\r\nHost: server.example\r\n\r\n";
        Request::parse(elsewhere, false).unwrap();
    }
}
