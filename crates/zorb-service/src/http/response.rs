//! Responses of HTTP.

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    status: u16,
    content_type: &'static str,
    /// What a page may do.
    policy: String,
    body: String,
    has_body: bool,
}

/// What is a page for nobody may do nothing.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

impl Response {
    /// A page.
    pub(crate) fn page(content_type: &'static str, body: String) -> Self {
        Self { status: 200, content_type, policy: NOTHING.to_owned(), body, has_body: true }
    }

    /// A document of HTML that may do what its content security policy says.
    #[cfg(feature = "console")]
    pub(crate) fn document(policy: String, body: String) -> Self {
        Self { policy, ..Self::page("text/html; charset=utf-8", body) }
    }

    /// A refusal, or a state that is not good.
    pub(crate) fn error(status: u16, why: &str) -> Self {
        let body = format!("{why}\n");
        Self { status, ..Self::page("text/plain; charset=utf-8", body) }
    }

    /// The answer to a request for something that is not there.
    pub(crate) fn not_found() -> Self {
        Self::error(404, "there is no such page")
    }

    /// The same without the body.
    pub(super) fn without_body(self) -> Self {
        Self { has_body: false, ..self }
    }

    #[cfg(test)]
    pub(super) fn status(&self) -> u16 {
        self.status
    }

    /// The octets to send.
    pub(super) fn into_octets(self) -> Vec<u8> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            _ => "Error",
        };
        let mut text = format!(
            "HTTP/1.1 {} {reason}\r\n\
             Content-Type: {}\r\n\
             Content-Length: {}\r\n\
             Cache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\n\
             Content-Security-Policy: {}\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\n\
             Referrer-Policy: no-referrer\r\n\
             Connection: close\r\n\r\n",
            self.status,
            self.content_type,
            self.body.len(),
            self.policy
        );
        if self.has_body {
            text.push_str(&self.body);
        }
        text.into_bytes()
    }
}
