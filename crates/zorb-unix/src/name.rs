//! The address grammar: paths, abstract names, and options of listening.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use socket2::SockAddr;
use zorb_transport::{Endpoint, EndpointError};

#[cfg(test)]
mod tests;

/// The maximum length of a socket's path or abstract name in octets: `sun_path` has room for 108,
/// one of which is the NUL after a path or before an abstract name.
pub const MAX_NAME_LEN: usize = 107;

/// The name of a socket. Displayed as the address in a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SocketName {
    /// An absolute path without `.` and empty components.
    Path(String),
    /// An abstract name, without its `@`.
    Abstract(String),
}

impl SocketName {
    /// Parses `/path` or `@name`.
    pub(crate) fn parse(address: &str) -> Result<Self, EndpointError> {
        let fail = |reason: &str| Err(error(address, reason));
        if let Some(name) = address.strip_prefix('@') {
            return match name.len() {
                0 => fail("a name must follow the '@'"),
                1..=MAX_NAME_LEN => Ok(Self::Abstract(name.to_owned())),
                len => {
                    fail(&format!("an abstract name has at most 107 octets, this one has {len}"))
                }
            };
        }
        if address.is_empty() {
            return fail("a path is missing, as in /tmp/name.sock");
        }
        if !address.starts_with('/') {
            return fail(
                "a path starts at the root, as in /tmp/name.sock: a relative one \
                 would mean another file to each process",
            );
        }
        let mut path = String::with_capacity(address.len().min(MAX_NAME_LEN + 1));
        // Not `..`, which only the file system can resolve.
        let mut len = 0;
        for part in address.split('/').filter(|part| !matches!(*part, "" | ".")) {
            len += 1 + part.len();
            if len <= MAX_NAME_LEN {
                path.push('/');
                path.push_str(part);
            }
        }
        if len == 0 || address.ends_with('/') || address.ends_with("/.") {
            return fail("this is a folder; a socket's path must end with a file name");
        }
        if len > MAX_NAME_LEN {
            return fail(&format!("a socket's path has at most 107 octets, this one has {len}"));
        }
        Ok(Self::Path(path))
    }

    /// The canonical endpoint of this name.
    pub(crate) fn to_endpoint(&self, scheme: &str) -> Result<Endpoint, EndpointError> {
        Endpoint::new(scheme, &self.to_string())
    }

    /// The name as a socket address.
    pub(crate) fn to_address(&self) -> io::Result<SockAddr> {
        match self {
            Self::Path(path) => SockAddr::unix(path),
            Self::Abstract(name) => SockAddr::unix(Path::new(&format!("\0{name}"))),
        }
    }
}

impl fmt::Display for SocketName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.write_str(path),
            Self::Abstract(name) => write!(f, "@{name}"),
        }
    }
}

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location {
    /// At this name.
    Named(SocketName),
    /// At a new path.
    NewPath,
    /// At a new path in this folder.
    NewPathIn(PathBuf),
    /// At a new abstract name.
    NewAbstract,
}

/// An address to listen at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListenAddress {
    pub(crate) location: Location,
    /// The permission bits of the socket's file.
    pub(crate) mode: Option<u32>,
}

impl ListenAddress {
    /// Parses `[/path|/folder/|@[name]][?option=value[&option=value]...]`.
    pub(crate) fn parse(address: &str) -> Result<Self, EndpointError> {
        let (location, options) = address.split_once('?').unwrap_or((address, ""));
        let location = match location {
            "" => Location::NewPath,
            "@" => Location::NewAbstract,
            folder if folder.starts_with('/') && folder.ends_with('/') => {
                // Checked with a file name, which is then removed.
                let file = SocketName::parse(&format!("{folder}x"))?.to_string();
                Location::NewPathIn(file.trim_end_matches('x').into())
            }
            name => Location::Named(SocketName::parse(name)?),
        };
        let mut mode = None;
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("mode", digits)) => mode = Some(parse_mode(digits)?),
                _ => return Err(error(option, "unknown option; the only one is mode=OCTAL")),
            }
        }
        let is_abstract =
            matches!(location, Location::NewAbstract | Location::Named(SocketName::Abstract(_)));
        if is_abstract && mode.is_some() {
            return Err(error(address, "an abstract name has no file, and thus no mode"));
        }
        Ok(Self { location, mode })
    }
}

fn parse_mode(digits: &str) -> Result<u32, EndpointError> {
    // `from_str_radix` would accept a sign.
    let mode = digits.bytes().all(|o| o.is_ascii_digit()).then(|| u32::from_str_radix(digits, 8));
    match mode {
        Some(Ok(mode)) if mode <= 0o777 => Ok(mode),
        _ => Err(error(digits, "a mode is an octal number from 0 to 777")),
    }
}

/// An error that quotes at most the beginning of `text`.
pub(crate) fn error(text: &str, reason: &str) -> EndpointError {
    let shown: String = text.chars().take(80).collect();
    EndpointError::new(&shown, reason)
}

/// A number unique in this process, for generated names.
pub(crate) fn next_number() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// The name of a new socket.
pub(crate) fn new_file_name() -> String {
    format!("zorb-{}-{}.sock", std::process::id(), next_number())
}

/// The process in a name like that of [`new_file_name`].
pub(crate) fn process_of_name(name: &str) -> Option<u32> {
    let (process, number) = name.strip_prefix("zorb-")?.strip_suffix(".sock")?.split_once('-')?;
    number.parse::<u64>().ok()?;
    process.parse().ok()
}

/// A new abstract name.
pub(crate) fn new_abstract_name() -> String {
    format!("zorb-{}-{}", std::process::id(), next_number())
}

/// The process in a name like that of [`new_abstract_name`].
pub(crate) fn process_of_abstract_name(name: &str) -> Option<u32> {
    process_of_name(&format!("{name}.sock"))
}
