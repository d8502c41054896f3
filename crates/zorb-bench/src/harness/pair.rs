//! The server and the client of one peer, as two processes.

use std::time::Duration;

use tempfile::TempDir;

use super::setup::{Process, Setup};
use crate::child::LineChild;
use crate::driver::{Answer, Command, Traces};
use crate::error::{Error, Result};
use crate::peer::{COLLOCATED, MARK, Role, TRACE, UNSUPPORTED};

/// Timeout for the start of a program; runtimes like the JVM are slow.
const BEGIN: Duration = Duration::from_secs(60);
/// Timeout for a command.
const ANSWER: Duration = Duration::from_secs(300);

/// A running peer.
#[derive(Debug)]
pub struct Pair {
    /// The peer's name.
    pub name: String,
    address: String,
    // Fields are dropped in this order: the client ends before its server.
    holder: Option<LineChild>,
    client: LineChild,
    hop: Option<LineChild>,
    server: Option<LineChild>,
    _folder: TempDir,
}

impl Pair {
    /// Starts both processes; the server accepts at least `connections` connections. `None` if the programs do not
    /// support the setup.
    ///
    /// # Errors
    /// A program is missing or fails.
    pub fn start(setup: &Setup, name: &str, connections: usize) -> Result<Option<Self>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("socket");
        let process = Process::Server { path: &path, connections };
        let server = begin(setup, name, process).map_err(|error| error.during("its server"))?;
        match server {
            Some((server, address)) => Self::with(setup, name, folder, Some(server), address),
            None => Ok(None),
        }
    }

    /// Starts only a client, which serves the object itself.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_collocated(setup: &Setup, name: &str) -> Result<Option<Self>> {
        Self::with(setup, name, tempfile::tempdir()?, None, COLLOCATED.to_owned())
    }

    /// Starts a process that runs the search algorithm of this name.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_search(setup: &Setup, name: &str) -> Result<Self> {
        let started = begin(setup, name, Process::Search)?;
        let Some((client, address)) = started else { return Err(Error::new("it cannot search")) };
        let folder = tempfile::tempdir()?;
        let name = name.to_owned();
        let (holder, hop, server) = (None, None, None);
        Ok(Self { name, address, holder, client, hop, server, _folder: folder })
    }

    /// Starts Zorb's client over one transport and its server over another, with a bridge or relay in
    /// between, whose name the pair has.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_through(
        hop: Role,
        near: &Setup,
        far: &Setup,
        connections: usize,
    ) -> Result<Option<Self>> {
        let folder = tempfile::tempdir()?;
        let (path, between) = (folder.path().join("socket"), folder.path().join("between"));
        let process = Process::Server { path: &path, connections };
        let server = begin(far, "zorb", process).map_err(|error| error.during("its server"))?;
        let Some((server, address)) = server else { return Ok(None) };
        let process = Process::Hop { hop, to: &address, path: &between };
        let started = begin(near, "zorb", process).map_err(|error| error.during(hop.name()))?;
        let Some((process, address)) = started else { return Ok(None) };
        let pair = Self::with(near, "zorb", folder, Some(server), address)?;
        Ok(pair.map(|pair| Self { name: hop.name().to_owned(), hop: Some(process), ..pair }))
    }

    fn with(
        setup: &Setup,
        name: &str,
        folder: TempDir,
        server: Option<LineChild>,
        address: String,
    ) -> Result<Option<Self>> {
        let client = begin(setup, name, Process::Client { address: &address });
        let client = client.map_err(|error| error.during("its client"))?;
        let name = name.to_owned();
        Ok(client.map(|(client, _)| Self {
            name,
            address,
            holder: None,
            client,
            hop: None,
            server,
            _folder: folder,
        }))
    }

    /// Sends a command to the client, and waits for the answer.
    ///
    /// # Errors
    /// There is no answer, or an invalid one.
    pub fn ask(&mut self, command: &Command) -> Result<Answer> {
        self.client.write_line(&command.to_string())?;
        let Some(line) = self.client.line(ANSWER)? else {
            let status = self.client.wait()?;
            return Err(Error::new(format!("its client ended: {status}")));
        };
        let timed = !matches!(command, Command::Flood(_));
        Answer::parse(&line, timed).map_err(Error::new)
    }

    /// Resets the time probes of both processes.
    ///
    /// # Errors
    /// The program has no probes.
    pub fn mark(&mut self) -> Result<()> {
        for process in [Some(&mut self.client), self.server.as_mut()].into_iter().flatten() {
            process.write_line(MARK)?;
            process.expect_word("marked", ANSWER)?;
        }
        Ok(())
    }

    /// The traces of client and server since the [mark](Self::mark).
    ///
    /// # Errors
    /// As [`mark`](Self::mark).
    pub fn traces(&mut self) -> Result<[Traces; 2]> {
        let Some(server) = &mut self.server else {
            return Err(Error::new("this pair has no server"));
        };
        let ask = |process: &mut LineChild| -> Result<Traces> {
            process.write_line(TRACE)?;
            let line = process.line(ANSWER)?;
            Traces::parse(&line.unwrap_or_default()).map_err(Error::new)
        };
        Ok([ask(&mut self.client)?, ask(server)?])
    }

    /// Opens idle connections to the server from a third process, `connections` in total.
    ///
    /// # Errors
    /// They cannot be opened.
    pub fn hold(&mut self, setup: &Setup, connections: usize) -> Result<()> {
        if self.holder.is_none() {
            let process = Process::Holder { address: &self.address };
            self.holder = begin(setup, &self.name, process)?.map(|(holder, _)| holder);
        }
        let Some(holder) = &mut self.holder else {
            return Err(Error::new("this transport's connections cannot be held"));
        };
        holder.write_line(&connections.to_string())?;
        holder.expect_word("held", ANSWER)?;
        Ok(())
    }

    /// Stops the processes.
    ///
    /// # Errors
    /// One of them failed.
    pub fn stop(self) -> Result<()> {
        let ended = |what: &'static str| move |error: Error| error.during(what);
        if let Some(holder) = self.holder {
            holder.stop().map_err(ended("its held connections"))?;
        }
        self.client.stop().map_err(ended("its client"))?;
        if let Some(hop) = self.hop {
            hop.stop().map_err(ended("what is between"))?;
        }
        match self.server {
            Some(server) => server.stop().map_err(ended("its server")),
            None => Ok(()),
        }
    }
}

/// Starts a process, waits until it is ready, and returns its address.
fn begin(setup: &Setup, name: &str, process: Process<'_>) -> Result<Option<(LineChild, String)>> {
    let mut command = setup.command(name, process)?;
    let mut child = LineChild::start(&mut command)
        .map_err(|error| error.during(command.get_program().display()))?;
    match child.line(BEGIN)? {
        Some(line) if line.split(' ').next() == Some("ready") => {
            let address = line.strip_prefix("ready ").unwrap_or_default().to_owned();
            Ok(Some((child, address)))
        }
        Some(line) => Err(Error::new(format!("expected `ready`, got {line:?}"))),
        None => match child.wait()? {
            status if status.code() == Some(i32::from(UNSUPPORTED)) => Ok(None),
            status => Err(Error::new(format!("it ended before it was ready: {status}"))),
        },
    }
}
