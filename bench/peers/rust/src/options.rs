//! The command line.

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

/// The role of a process, and its options.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// The role.
    pub role: Role,
    address: Option<SocketAddr>,
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
        let mut options = Self { role, address: None, cpu: None };
        while let Some(word) = words.next() {
            if word == "collocated" {
                return Err(Refusal::Unsupported("there are no collocated calls".to_owned()));
            }
            if !word.starts_with("--") {
                options.address = Some(word.parse()?);
                continue;
            }
            let value = words.next().ok_or_else(|| Refusal::Failed(format!("{word} has no value")))?;
            match word.as_str() {
                "--cpu" => options.cpu = Some(value.parse()?),
                "--transport" if value == "iiop" => {}
                // There is no socket with a path, and no limit of connections.
                "--path" | "--connections" => {}
                _ => return Err(Refusal::Unsupported(format!("{word} {value}"))),
            }
        }
        Ok(options)
    }

    /// The server's address.
    ///
    /// # Errors
    /// There is none.
    pub fn address(&self) -> Result<SocketAddr, Refusal> {
        self.address.ok_or_else(|| Refusal::Failed("expected an address".to_owned()))
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
        let address = Some(([127, 0, 0, 1], 9).into());
        assert_eq!(client, Options { role: Role::Client, address, cpu: Some(1) });
        let server = parsed("server --path x --connections 9 --transport iiop").unwrap();
        assert_eq!(server, Options { role: Role::Server, address: None, cpu: None });
        assert!(server.address().is_err());
    }

    #[test]
    fn what_a_program_does_not_support_is_no_error() {
        for line in ["server --transport uiop", "server --socket-queue 9", "client collocated"] {
            assert!(matches!(parsed(line), Err(Refusal::Unsupported(_))), "{line}");
        }
        for line in ["server --cpu x", "server --cpu", "client 127.0.0.1", "--cpu 1"] {
            assert!(matches!(parsed(line), Err(Refusal::Failed(_))), "{line}");
        }
    }
}
