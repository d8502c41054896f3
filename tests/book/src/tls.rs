//! TLS set up by the program.

use std::path::Path;
use std::sync::Arc;

use zorb::tls::{Pem, Settings, SsliopProtocol};
use zorb::{Caller, Orb};

/// A server that takes clients of one domain.
pub fn for_consoles(folder: &Path) -> Result<Orb, Box<dyn std::error::Error>> {
    let tls = Settings::new()
        .certificate(Pem::file(folder.join("server.pem")), Pem::file(folder.join("server.key")))
        .roots(Pem::file(folder.join("ca.pem")))
        .admit(|client| client.dns_names().any(|name| name.ends_with(".example.com")))
        .build()?;
    let ssliop = SsliopProtocol::new(tls)?;
    Ok(Orb::builder().protocol(Arc::new(ssliop)).listen("ssliop://127.0.0.1:0").build()?)
}

/// Whether the call that this thread is serving comes from `name`.
pub fn caller_is(name: &str) -> bool {
    let identity = Caller::current().and_then(|caller| caller.identity());
    identity.is_some_and(|identity| identity.has_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_settings_are_named() {
        let error = format!("{:?}", for_consoles(Path::new("/no/such/folder")).unwrap_err());
        assert!(error.contains("/no/such/folder/server.pem"), "{error}");
        assert!(!caller_is("CN=client,O=Example"), "nobody calls");
    }
}
