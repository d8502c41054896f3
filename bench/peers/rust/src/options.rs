//! The command line.

use std::fmt;
use std::net::SocketAddr;

use rustix::thread::{CpuSet, sched_setaffinity};

use crate::Refusal;

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It serves calls.
    Server,
    /// It calls a server.
    Client,
}

/// By what a client reaches its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP, for which the harness asks by `iiop`.
    Tcp,
    /// Shared memory, for which it asks by `shmiop`.
    SharedMemory,
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tcp => "iiop",
            Self::SharedMemory => "shmiop",
        })
    }
}

/// The role of a process, and its options.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// The role.
    pub role: Role,
    address: Option<String>,
    path: Option<String>,
    transport: Transport,
    cpu: Option<usize>,
}

impl Options {
    /// Those of a command line. The process runs on the processor that they name.
    pub(crate) fn of_command_line(words: impl Iterator<Item = String>) -> Result<Self, Refusal> {
        let options = Self::parse(words)?;
        if let Some(cpu) = options.cpu {
            let mut set = CpuSet::new();
            if cpu >= CpuSet::MAX_CPU {
                return Err(Refusal::Failed(format!("there is no processor {cpu}")));
            }
            set.set(cpu);
            // Threads that are started later inherit it.
            sched_setaffinity(None, &set)?;
        }
        Ok(options)
    }

    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Refusal> {
        let role = match words.next().as_deref() {
            Some("server") => Role::Server,
            Some("client") => Role::Client,
            _ => return Err(Refusal::Failed("expected server or client".to_owned())),
        };
        let (address, path, cpu) = (None, None, None);
        let mut options = Self { role, address, path, transport: Transport::Tcp, cpu };
        while let Some(word) = words.next() {
            if word == "collocated" {
                return Err(Refusal::Unsupported("there are no collocated calls".to_owned()));
            }
            if !word.starts_with("--") {
                options.address = Some(word);
                continue;
            }
            let value =
                words.next().ok_or_else(|| Refusal::Failed(format!("{word} has no value")))?;
            match word.as_str() {
                "--cpu" => options.cpu = Some(value.parse()?),
                "--transport" if value == "iiop" => options.transport = Transport::Tcp,
                "--transport" if value == "shmiop" => options.transport = Transport::SharedMemory,
                "--path" => options.path = Some(value),
                // There is no limit of connections.
                "--connections" => {}
                _ => return Err(Refusal::Unsupported(format!("{word} {value}"))),
            }
        }
        Ok(options)
    }

    /// Refuses the options of another transport than the program's.
    pub(crate) fn only(self, transport: Transport) -> Result<Self, Refusal> {
        match self.transport == transport {
            true => Ok(self),
            false => Err(Refusal::Unsupported(format!("--transport {}", self.transport))),
        }
    }

    /// The server's address.
    ///
    /// # Errors
    /// There is none.
    pub fn address(&self) -> Result<SocketAddr, Refusal> {
        match &self.address {
            Some(address) => Ok(address.parse()?),
            None => Err(Refusal::Failed("expected an address".to_owned())),
        }
    }

    /// The path of the server, which it is told by an option, and its client by the address.
    ///
    /// # Errors
    /// There is none.
    pub fn path(&self) -> Result<&str, Refusal> {
        let path = self.path.as_deref().or(self.address.as_deref());
        path.ok_or_else(|| Refusal::Failed("expected a path".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, Refusal> {
        Options::parse(line.split(' ').map(str::to_owned))
    }

    #[test]
    fn options_of_a_client_and_a_server() {
        let client = parsed("client 127.0.0.1:9 --transport iiop --cpu 1").unwrap();
        assert_eq!((client.role, client.cpu), (Role::Client, Some(1)));
        assert_eq!(client.address().unwrap(), ([127, 0, 0, 1], 9).into());
        let server = parsed("server --path x --connections 9 --transport shmiop").unwrap();
        assert_eq!((server.role, server.cpu, server.path().unwrap()), (Role::Server, None, "x"));
        assert!(server.address().is_err());
        let client = parsed("client x --transport shmiop").unwrap();
        assert_eq!((client.path().unwrap(), client.address().is_err()), ("x", true));
    }

    #[test]
    fn what_a_program_does_not_support_is_no_error() {
        for line in ["server --transport uiop", "server --socket-queue 9", "client collocated"] {
            assert!(matches!(parsed(line), Err(Refusal::Unsupported(_))), "{line}");
        }
        let other = parsed("server --transport shmiop").unwrap().only(Transport::Tcp);
        assert!(matches!(other, Err(Refusal::Unsupported(_))), "{other:?}");
        for line in ["server --cpu x", "server --cpu", "--cpu 1"] {
            assert!(matches!(parsed(line), Err(Refusal::Failed(_))), "{line}");
        }
    }
}
