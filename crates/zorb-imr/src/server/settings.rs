//! Settings of an implementation repository.

use std::path::PathBuf;
use std::time::Duration;

/// Settings of an [`ImplementationRepository`](super::ImplementationRepository).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The maximum number of servers; beyond it, `IMP_LIMIT`. Default: 10,000.
    pub servers: usize,
    /// The maximum number of processes of one server. Default: 64.
    pub instances: usize,
    /// The maximum size of a server's definition in octets; beyond it, `IMP_LIMIT`. Default: 64 KiB.
    pub definition_octets: usize,
    /// The maximum number of iterators over servers; beyond it, the oldest is destroyed. Default: 100.
    pub iterators: usize,
    /// The maximum number of servers that start at the same time; others wait. Default: 4.
    pub starts_at_once: usize,
    /// The maximum number of starts of one server per minute; further ones wait. Default: 30.
    pub starts_per_minute: usize,
    /// The maximum time from starting a process until it registers; then it is killed. Default: 60 seconds.
    pub start_timeout: Duration,
    /// The time between a start that has failed and the next one; it doubles with each failure. Default: 100 ms.
    pub back_off: Duration,
    /// The maximum of that time, and how long requests are refused after as many starts have failed as the server's limit
    /// permits. Default: 10 seconds.
    pub max_back_off: Duration,
    /// The time in which a server must end that is asked to, and again after `SIGTERM`; then it is killed. Default:
    /// 10 seconds.
    pub stop_grace: Duration,
    /// The time between two looks at servers that the repository has not started itself. Default: 1 second.
    pub check_interval: Duration,
    /// The folder for the output of servers, in the file `NAME.log`; without it, they write to the standard error of the
    /// repository's process.
    pub log_folder: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            servers: 10_000,
            instances: 64,
            definition_octets: 1 << 16,
            iterators: 100,
            starts_at_once: 4,
            starts_per_minute: 30,
            start_timeout: Duration::from_secs(60),
            back_off: Duration::from_millis(100),
            max_back_off: Duration::from_secs(10),
            stop_grace: Duration::from_secs(10),
            check_interval: Duration::from_secs(1),
            log_folder: None,
        }
    }
}
