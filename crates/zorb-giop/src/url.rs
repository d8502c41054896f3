//! Object URLs: `IOR:`, `corbaloc:`, `corbaname:`, `file:` (CORBA 3.3 part 2, 7.6.10).

mod address;
mod escape;
mod parse;
mod string_name;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use zorb_cdr::CdrError;

pub use address::{DEFAULT_IIOP_PORT, HostPort, HostPortError};
pub use escape::{Escaped, unescape};
pub use string_name::{StringName, StringNameComponent, StringNameError};

use crate::{GiopVersion, Ior};

/// The maximum length of a URL other than `IOR:`, in characters.
pub const MAX_URL: usize = 64 * 1024;
/// The maximum number of addresses in a `corbaloc:` or `corbaname:`.
pub const MAX_ADDRESSES: usize = 256;

/// A parsed argument of `string_to_object`.
///
/// ```
/// use zorb_giop::ObjectUrl;
///
/// let url = ObjectUrl::parse("corbaloc::1.2@example.org:2809/Name%20Service")?;
/// let ObjectUrl::Corbaloc(corbaloc) = &url else { unreachable!() };
/// assert_eq!(corbaloc.key, b"Name Service");
/// assert_eq!(url.to_string(), "corbaloc:iiop:1.2@example.org:2809/Name%20Service");
/// # Ok::<(), zorb_giop::UrlError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectUrl {
    /// `IOR:`, a stringified reference.
    Ior(Ior),
    /// `corbaloc:` with addresses.
    Corbaloc(Corbaloc),
    /// `corbaloc:rir:`, an initial reference of this ORB.
    Rir {
        /// Its name; `NameService` if the URL has none.
        key: String,
    },
    /// `corbaname:`, a name in a naming context.
    Corbaname(Corbaname),
    /// `file:`, the path of a file with another URL.
    File(String),
}

/// Addresses and an object key: a reference without a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Corbaloc {
    /// The addresses, in any order; at least one.
    pub addresses: Vec<CorbalocAddress>,
    /// The object key, unescaped; empty if the URL has none.
    pub key: Vec<u8>,
}

/// One address of a [`Corbaloc`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CorbalocAddress {
    /// The protocol in lower case; `iiop` if the URL omits it.
    pub protocol: String,
    /// The highest GIOP version to use; `None` means 1.0 by the standard.
    pub version: Option<GiopVersion>,
    /// The address in the format of the protocol; for IIOP see [`HostPort`].
    pub address: String,
}

impl CorbalocAddress {
    /// The version to use: 1.0 if the URL has none.
    pub fn effective_version(&self) -> GiopVersion {
        self.version.unwrap_or(GiopVersion::V1_0)
    }
}

/// A name in a naming context.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Corbaname {
    /// The naming context.
    pub context: NamingContextAddress,
    /// The stringified name, unescaped; empty for the context itself.
    pub name: String,
}

/// The naming context of a [`Corbaname`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NamingContextAddress {
    /// Addresses and key; the key is `NameService` if the URL has none.
    Corbaloc(Corbaloc),
    /// An initial reference of this ORB.
    Rir {
        /// Its name; `NameService` if the URL has none.
        key: String,
    },
}

impl fmt::Display for ObjectUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ior(ior) => f.write_str(&ior.to_stringified().map_err(|_| fmt::Error)?),
            Self::Corbaloc(corbaloc) => write!(f, "corbaloc:{corbaloc}"),
            Self::Rir { key } => write!(f, "corbaloc:rir:/{}", Escaped(key.as_bytes())),
            Self::Corbaname(Corbaname { context, name }) => {
                match context {
                    NamingContextAddress::Corbaloc(corbaloc) => write!(f, "corbaname:{corbaloc}")?,
                    NamingContextAddress::Rir { key } => {
                        write!(f, "corbaname:rir:/{}", Escaped(key.as_bytes()))?;
                    }
                }
                if name.is_empty() { Ok(()) } else { write!(f, "#{}", Escaped(name.as_bytes())) }
            }
            Self::File(path) => {
                let prefix = if path.starts_with('/') { "file://" } else { "file:" };
                write!(f, "{prefix}{}", Escaped(path.as_bytes()))
            }
        }
    }
}

/// Without the scheme.
impl fmt::Display for Corbaloc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, address) in self.addresses.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{address}")?;
        }
        if self.key.is_empty() {
            return Ok(());
        }
        let after_path = self.addresses.last().is_some_and(CorbalocAddress::is_path);
        write!(f, "{}{}", if after_path { '|' } else { '/' }, Escaped(&self.key))
    }
}

impl fmt::Display for CorbalocAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.protocol)?;
        if let Some(version) = self.version {
            write!(f, "{version}@")?;
        }
        f.write_str(&self.address)
    }
}

impl CorbalocAddress {
    /// Whether the address is a path, which may contain `/`, so that `|` precedes the key.
    pub(crate) fn is_path(&self) -> bool {
        is_path(&self.protocol, &self.address)
    }
}

fn is_path(protocol: &str, address: &str) -> bool {
    // TAO's addresses of shared memory are host and port, Zorb's are names of Unix-domain sockets.
    is_over("uiop", protocol) || is_over("shmiop", protocol) && address.starts_with(['/', '@'])
}

/// Whether the protocol is `base`, or that with any messaging protocol, as in `lite+uiop`.
fn is_over(base: &str, protocol: &str) -> bool {
    let before = protocol.strip_suffix(base);
    before.is_some_and(|before| before.is_empty() || before.ends_with('+'))
}

/// The reason why text is not an object URL: a BAD_PARAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrlError {
    /// The violated rule.
    pub kind: UrlErrorKind,
    /// The position in the text, in octets from its start.
    pub position: usize,
    /// The reason.
    pub reason: &'static str,
    /// What to do about it.
    pub hint: &'static str,
    /// The decoding error of an `IOR:`.
    pub cause: Option<CdrError>,
}

/// The violated rule of URLs, each with its own minor code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UrlErrorKind {
    /// An unknown scheme: minor OMG 7.
    BadScheme,
    /// A malformed address: minor OMG 8.
    BadAddress,
    /// A malformed key or other scheme-specific part: minor OMG 9.
    BadSchemeSpecificPart,
    /// Anything else: minor OMG 10.
    Other,
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at position {}", self.reason, self.position)?;
        if let Some(cause) = self.cause {
            write!(f, " ({cause})")?;
        }
        Ok(())
    }
}

impl core::error::Error for UrlError {}
