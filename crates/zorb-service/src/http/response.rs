//! Responses of HTTP.

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    status: u16,
    content_type: &'static str,
    body: String,
    has_body: bool,
}

impl Response {
    /// A page.
    pub(crate) fn page(content_type: &'static str, body: String) -> Self {
        Self { status: 200, content_type, body, has_body: true }
    }

    /// A refusal, or a state that is not good.
    pub(crate) fn error(status: u16, why: &str) -> Self {
        let body = format!("{why}\n");
        Self { status, content_type: "text/plain; charset=utf-8", body, has_body: true }
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
             Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; \
             style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'\r\n\
             Connection: close\r\n\r\n",
            self.status,
            self.content_type,
            self.body.len()
        );
        if self.has_body {
            text.push_str(&self.body);
        }
        text.into_bytes()
    }
}
