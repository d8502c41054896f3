//! Addresses of transports.

use core::fmt;
use core::net::SocketAddr;

#[cfg(feature = "unix")]
pub use name::SocketName;

/// Where a server listens, and what a client connects to. Each kind is a transport; all but TCP are features of the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// TCP.
    Tcp(SocketAddr),
    /// A Unix-domain socket.
    #[cfg(feature = "unix")]
    Unix(SocketName),
    /// UDP, a datagram for each request. There are no replies: it is for one-way calls.
    #[cfg(feature = "udp")]
    Udp(SocketAddr),
}

impl Address {
    /// The IP address and port, of an address that has them.
    pub fn ip(self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) => Some(address),
            #[cfg(feature = "unix")]
            Self::Unix(_) => None,
            #[cfg(feature = "udp")]
            Self::Udp(address) => Some(address),
        }
    }

    /// The port; 0 if it has none.
    pub fn port(self) -> u16 {
        self.ip().map_or(0, |address| address.port())
    }

    /// The same with another port, if it has one.
    pub(crate) fn with_port(mut self, port: u16) -> Self {
        match &mut self {
            Self::Tcp(address) => address.set_port(port),
            #[cfg(feature = "unix")]
            Self::Unix(_) => {}
            #[cfg(feature = "udp")]
            Self::Udp(address) => address.set_port(port),
        }
        self
    }

    /// Whether each message is a datagram, which nothing answers.
    pub(crate) fn is_datagram(self) -> bool {
        match self {
            #[cfg(feature = "udp")]
            Self::Udp(_) => true,
            _ => false,
        }
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp(address)
    }
}

/// As in URLs: `192.0.2.7:2809`, `/run/sensor.sock`, `@sensor`.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            #[cfg(feature = "unix")]
            Self::Unix(name) => name.fmt(f),
            #[cfg(feature = "udp")]
            Self::Udp(address) => address.fmt(f),
        }
    }
}

#[cfg(feature = "unix")]
mod name {
    use core::fmt;

    use zorb_types::{SystemExceptionKind, minor};

    use crate::SystemException;

    /// The room for a name in `sockaddr_un`, without a NUL.
    const MAX_NAME: usize = 107;

    /// The name of a Unix-domain socket: an absolute path, or `@` and an abstract name.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub struct SocketName {
        /// The name and NULs.
        octets: [u8; MAX_NAME + 1],
        /// At least 2.
        length: u8,
    }

    impl SocketName {
        /// A name of at most 107 octets, which begins with `/` or `@`.
        ///
        /// # Errors
        /// `BAD_PARAM`, minor `BAD_ADDRESS`: the text is neither.
        pub fn new(name: &[u8]) -> Result<Self, SystemException> {
            let bad = const {
                SystemException::before(
                    SystemExceptionKind::BadParam,
                    minor::bad_param::BAD_ADDRESS,
                )
            };
            let is_name = matches!(name, [b'/' | b'@', _, ..]) && !name.contains(&0);
            let length = u8::try_from(name.len()).map_err(|_| bad)?;
            if !is_name || name.len() > MAX_NAME {
                return Err(bad);
            }
            let mut octets = [0; MAX_NAME + 1];
            for (place, octet) in octets.iter_mut().zip(name) {
                *place = *octet;
            }
            Ok(Self { octets, length })
        }

        /// The octets of the path, or of `@` and the abstract name.
        pub fn as_octets(&self) -> &[u8] {
            self.octets.get(..usize::from(self.length)).unwrap_or_default()
        }

        /// The same and a NUL: never `None`.
        #[cfg(feature = "linux")]
        pub(crate) fn with_nul(&self) -> Option<&[u8]> {
            self.octets.get(..=usize::from(self.length))
        }

        #[cfg(feature = "linux")]
        pub(crate) fn is_abstract(&self) -> bool {
            self.as_octets().starts_with(b"@")
        }
    }

    /// Octets that are not ASCII are escaped.
    impl fmt::Display for SocketName {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.as_octets().escape_ascii().fmt(f)
        }
    }

    impl fmt::Debug for SocketName {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            fmt::Display::fmt(self, f)
        }
    }

    #[cfg(test)]
    mod tests {
        use alloc::string::ToString;

        use super::SocketName;

        #[test]
        fn names_are_absolute_paths_or_abstract() {
            for name in ["/run/a.sock", "@a"] {
                let parsed = SocketName::new(name.as_bytes()).map(|name| name.to_string());
                assert_eq!(parsed.as_deref(), Ok(name));
            }
            assert!(SocketName::new(&[b'/'; 107]).is_ok());
            let refused: [&[u8]; 6] = [b"", b"/", b"@", b"a.sock", b"/a\0b", &[b'/'; 108]];
            for name in refused {
                assert!(SocketName::new(name).is_err(), "{name:?}");
            }
        }
    }
}
