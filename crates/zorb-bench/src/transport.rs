//! Schemes of transports.

/// The scheme of the transport below the messaging protocol: `uiop` for `lite+uiop`. Below TLS it is
/// TCP, as for `iiop`.
pub(crate) fn bare_transport(scheme: &str) -> &str {
    match scheme.rsplit('+').next() {
        Some("ssliop") => "iiop",
        Some(bare) => bare,
        None => scheme,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_without_messaging_protocols_and_tls() {
        let bare = ["iiop", "lite+uiop", "shmiop", "ssliop"].map(bare_transport);
        assert_eq!(bare, ["iiop", "uiop", "shmiop", "iiop"]);
    }
}
