//! What the ORB tells of itself while a command runs: `--log`.

use std::time::Duration;

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use zorb_rt::LogQueue;

use crate::failure::Failure;

/// How much of it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// Nothing
    Off,
    /// What is lost: threads, endpoints
    Error,
    /// What a peer or the system has refused, and what breaks the protocol
    Warn,
    /// Where the program listens
    Info,
    /// Connections that come and go
    Debug,
}

/// How long the end of a command waits for what has not been written.
const LAST_LINES: Duration = Duration::from_secs(1);

/// The log of a command, which ends with it.
pub(crate) struct Log(Option<LogQueue>);

impl Log {
    /// Has the ORB tell so much on standard error, or nothing. No thread of the ORB waits for that.
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
        tracing_subscriber::fmt()
            .with_max_level(filter)
            .with_ansi(false)
            .with_writer(move || lines.line())
            .init();
        Ok(Self(Some(queue)))
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Some(queue) = &self.0 {
            // Standard error may be stuck.
            let _ = queue.flush(LAST_LINES);
        }
    }
}
