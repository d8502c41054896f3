//! The ORB's log during a command: `--log`.

use std::time::Duration;

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;
use zorb_rt::LogQueue;

use crate::failure::Failure;

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// Nothing
    Off,
    /// Losses: threads, endpoints
    Error,
    /// Refusals by a peer or the system, and protocol violations
    Warn,
    /// Endpoints of the program, and options that the operator overrides
    Info,
    /// Connections opened and closed
    Debug,
}

/// Maximum wait for unwritten log lines at the end of a command.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// The log of a command; dropping it flushes the log.
pub(crate) struct Log(Option<LogQueue>);

impl Log {
    /// Logs to standard error at this level. Threads of the ORB never wait for the output.
    pub(crate) fn start(level: LogLevel) -> Result<Self, Failure> {
        let filter = match level {
            LogLevel::Off => return Ok(Self(None)),
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
        };
        let queue = LogQueue::builder().write_to(std::io::stderr());
        let queue = queue.map_err(|error| Failure::from(error).during("the log"))?;
        let lines = queue.clone();
        // The SCTP stack warns of every packet that it rejects, and anybody can send many.
        let targets =
            Targets::new().with_default(filter).with_target("sctp_proto", LevelFilter::ERROR);
        tracing_subscriber::fmt()
            .with_max_level(filter)
            .with_ansi(false)
            .with_writer(move || lines.line())
            .finish()
            .with(targets)
            .init();
        Ok(Self(Some(queue)))
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Some(queue) = &self.0 {
            // Standard error may be blocked.
            let _ = queue.flush(FLUSH_TIMEOUT);
        }
    }
}
