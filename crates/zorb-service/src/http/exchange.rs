//! One connection: a request, its response, and the end.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::{Hosts, Request, Response};

/// The maximum size of a request, in octets; after the response as many are read once more, and ignored.
const MAX_REQUEST: usize = 8 << 10;

/// The most octets that are read at once.
const CHUNK: usize = 1024;

/// Answers requests. It must not block.
pub(super) type Handler = dyn Fn(&Request) -> Response + Send + Sync;

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// More of the request, or the end of the connection.
    Reads,
    /// Room for the response; whether it has not waited for that before.
    Writes { is_first: bool },
    /// Nothing: it is to be closed.
    Over,
}

/// A connection, whose socket does not block.
#[derive(Debug)]
pub(super) struct Exchange {
    stream: TcpStream,
    peer: IpAddr,
    end: Instant,
    step: Step,
}

#[derive(Debug)]
enum Step {
    /// The octets of the request so far.
    Request(Vec<u8>),
    /// The octets of the response, how many of them have been sent, and whether there was no room for all.
    Response { octets: Vec<u8>, sent: usize, has_waited: bool },
    /// What the client has sent beyond its request would reset the connection. How many octets of it have been read.
    Rest(usize),
}

impl Exchange {
    /// A connection of this client, which closes at `end`.
    pub(super) fn new(stream: TcpStream, peer: IpAddr, end: Instant) -> Self {
        Self { stream, peer, end, step: Step::Request(Vec::new()) }
    }

    pub(super) fn end(&self) -> Instant {
        self.end
    }

    pub(super) fn peer(&self) -> IpAddr {
        self.peer
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Goes on as far as the connection does without waiting.
    ///
    /// # Errors
    /// The connection has failed.
    pub(super) fn advance(&mut self, hosts: &Hosts, handler: &Handler) -> io::Result<Progress> {
        let mut chunk = [0; CHUNK];
        loop {
            match &mut self.step {
                Step::Request(octets) => match answer(octets, hosts, handler) {
                    Some(response) => {
                        let octets = response.into_octets();
                        self.step = Step::Response { octets, sent: 0, has_waited: false };
                    }
                    None => match unless_blocked(self.stream.read(&mut chunk))? {
                        None => return Ok(Progress::Reads),
                        Some(0) => return Ok(Progress::Over),
                        Some(count) => {
                            octets.extend_from_slice(chunk.get(..count).unwrap_or_default());
                        }
                    },
                },
                Step::Response { octets, sent, has_waited } => {
                    let left = octets.get(*sent..).unwrap_or_default();
                    if left.is_empty() {
                        self.stream.shutdown(Shutdown::Write)?;
                        self.step = Step::Rest(0);
                        continue;
                    }
                    match unless_blocked(self.stream.write(left))? {
                        None => {
                            let is_first = !std::mem::replace(has_waited, true);
                            return Ok(Progress::Writes { is_first });
                        }
                        Some(0) => return Ok(Progress::Over),
                        Some(count) => *sent += count,
                    }
                }
                Step::Rest(read) => match unless_blocked(self.stream.read(&mut chunk))? {
                    None => return Ok(Progress::Reads),
                    Some(count) => {
                        *read += count;
                        if count == 0 || *read >= MAX_REQUEST {
                            return Ok(Progress::Over);
                        }
                    }
                },
            }
        }
    }
}

/// The response to a request; `None` as long as it is incomplete.
fn answer(octets: &[u8], hosts: &Hosts, handler: &Handler) -> Option<Response> {
    match Request::parse(octets, hosts) {
        Ok(Some(request)) if request.is_head => Some(page(&request, handler).without_body()),
        Ok(Some(request)) => Some(page(&request, handler)),
        Ok(None) if octets.len() < MAX_REQUEST => None,
        Ok(None) => Some(Response::error(431, "the request is too long")),
        Err(refused) => Some(refused),
    }
}

/// The response of the handler. A page that panics ends only itself: the thread that shows it shows the others, too.
fn page(request: &Request, handler: &Handler) -> Response {
    catch_unwind(AssertUnwindSafe(|| handler(request)))
        .unwrap_or_else(|_| Response::error(500, "the page has failed"))
}

/// `None` if the connection has to wait.
fn unless_blocked(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(count) => Ok(Some(count)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}
