//! Requests of HTTP.

use std::net::{IpAddr, SocketAddr};

use super::Response;

/// Which hosts requests may name. A page of any site, whose name an attacker leads to this server, could otherwise read
/// what it answers in the browser of a user who can reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hosts {
    /// All.
    Any,
    /// Addresses, `localhost`, and this name.
    Own(String),
}

impl Hosts {
    /// All, unless the server listens at the loopback interface alone.
    pub(crate) fn at(address: SocketAddr) -> Self {
        if address.ip().is_loopback() { Self::Own(String::new()) } else { Self::Any }
    }

    /// The name in what an operator has said about where the server listens: `host:port`, or a port.
    #[cfg(feature = "console")]
    pub(crate) fn of(text: &str) -> Self {
        Self::Own(text.rsplit_once(':').map_or("", |(host, _)| host).to_owned())
    }

    /// Whether requests may have this value of the header `Host`.
    fn permit(&self, host: &str) -> bool {
        let Self::Own(own) = self else { return true };
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        let is_own = ["localhost", own].iter().any(|known| name.eq_ignore_ascii_case(known));
        (is_own && !name.is_empty()) || name.parse::<IpAddr>().is_ok()
    }
}

/// A request, without its headers and body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The path, without the query.
    pub(crate) path: String,
    /// The query, without the question mark; empty if there is none.
    pub(crate) query: String,
    /// Whether the response has no body: `HEAD`.
    pub(crate) is_head: bool,
}

impl Request {
    /// Parses a request; `None` if it is incomplete.
    ///
    /// # Errors
    /// The response to a request that is malformed or not permitted.
    pub(super) fn parse(octets: &[u8], hosts: &Hosts) -> Result<Option<Self>, Response> {
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
        let target = target.split('#').next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        if !path.starts_with('/') {
            return Err(malformed());
        }
        let mut host = None;
        for line in lines {
            let (name, value) = line.split_once(':').ok_or_else(malformed)?;
            if name.eq_ignore_ascii_case("host") && host.replace(value.trim()).is_some() {
                return Err(malformed());
            }
        }
        if host.is_some_and(|host| !hosts.permit(host)) {
            return Err(Response::error(403, "the request names another host"));
        }
        Ok(Some(Self { path: path.to_owned(), query: query.to_owned(), is_head }))
    }
}

impl Request {
    /// The value of a parameter of the query, as it is sent; empty if it is missing.
    #[cfg(feature = "console")]
    pub(crate) fn parameter(&self, name: &str) -> &str {
        let parameters = self.query.split('&').filter_map(|parameter| parameter.split_once('='));
        parameters.filter(|(of, _)| *of == name).map(|(_, value)| value).next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: Hosts = Hosts::Own(String::new());

    fn parse(text: &str) -> Result<Option<Request>, u16> {
        Request::parse(text.as_bytes(), &LOCAL).map_err(|refused| refused.status())
    }

    #[test]
    fn requests_are_parsed_when_they_are_complete() {
        let whole = "GET /metrics?x=1 HTTP/1.1\r\nHost: localhost:9187\r\nAccept: */*\r\n\r\n";
        for end in 0..whole.len() {
            assert_eq!(parse(&whole[..end]), Ok(None));
        }
        let request = |query: &str, is_head| {
            Ok(Some(Request { path: "/metrics".to_owned(), query: query.to_owned(), is_head }))
        };
        assert_eq!(parse(whole), request("x=1", false));
        assert_eq!(parse("HEAD /metrics#y?z HTTP/1.0\r\n\r\nmore"), request("", true));
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
            ("GET / HTTP/1.1\r\nHost:\r\n\r\n", 403),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
        ] {
            assert_eq!(parse(text), Err(status), "{text:?}");
        }
        assert_eq!(Request::parse(b"\xff / HTTP/1.1\r\n\r\n", &LOCAL).unwrap_err().status(), 400);
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]:80", "10.0.0.1"] {
            parse(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")).unwrap();
        }
        let elsewhere = b"GET / HTTP/1.1\r\nHost: server.example\r\n\r\n";
        Request::parse(elsewhere, &Hosts::Any).unwrap();
        Request::parse(elsewhere, &Hosts::Own("SERVER.example".to_owned())).unwrap();
        let loopback = "127.0.0.1:1".parse().unwrap();
        assert_eq!(
            (Hosts::at(loopback), Hosts::at("192.0.2.7:1".parse().unwrap())),
            (LOCAL, Hosts::Any)
        );
    }
}
