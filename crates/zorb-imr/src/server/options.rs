//! The options of an implementation repository.

use std::time::Duration;

/// A day, in milliseconds.
const DAY_MS: u64 = 86_400_000;

zorb::transport::options! {
    /// The options of an [`ImplementationRepository`](super::ImplementationRepository). They are part of an ORB's option
    /// table if its program adds them with `Orb::builder().declare(ImrOptions::default())`, as `zorb serve` does.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ImrOptions of "the implementation repository", set by (trait SetImrOptions) {
        /// Maximum number of servers; beyond it, IMP_LIMIT.
        "ImrServers" imr_servers: usize = 10_000, 1..=1_000_000;
        /// Maximum number of processes of one server; beyond it, IMP_LIMIT.
        "ImrInstances" imr_instances: usize = 64, 1..=65_536;
        /// Maximum size of a server's definition, and of the addresses with which one of its processes registers; beyond
        /// it, IMP_LIMIT.
        "ImrDefinitionOctets" imr_definition_octets: usize = 65_536, 1..=1_048_576, "octets";
        /// Maximum number of iterators over servers; beyond it, of the IP address with most, the one not used for longest is
        /// destroyed. 0 for none.
        "ImrIterators" imr_iterators: usize = 100, 0..=1_000_000;
        /// Time for which an iterator may be unused; it is then destroyed.
        "ImrIteratorLifetime" imr_iterator_lifetime: Duration = Duration::from_secs(600), 1..=DAY_MS, "ms";
        /// Maximum size of the servers in one reply; a larger server is returned alone. An iterator returns the rest.
        "ImrListedOctets" imr_listed_octets: usize = 1_048_576, 1..=1_073_741_824, "octets";
        /// Maximum number of servers that start at the same time; others wait.
        "ImrStartsAtOnce" imr_starts_at_once: usize = 4, 1..=1024;
        /// Maximum number of starts of one server per minute; further ones wait.
        "ImrStartsPerMinute" imr_starts_per_minute: usize = 30, 1..=1_000_000;
        /// Maximum time from starting a process until it registers; then it is killed.
        "ImrStartTimeout" imr_start_timeout: Duration = Duration::from_secs(60), 1..=DAY_MS, "ms";
        /// Time between a start that has failed and the next one; it doubles with each failure.
        "ImrBackOff" imr_back_off: Duration = Duration::from_millis(100), 1..=DAY_MS, "ms";
        /// Maximum of that time; also the time for which requests are refused when the server's limit of failed starts
        /// is reached.
        "ImrMaxBackOff" imr_max_back_off: Duration = Duration::from_secs(10), 1..=DAY_MS, "ms";
        /// Time for a server to end after it has been asked to shut down, and again after SIGTERM; then it is killed.
        "ImrStopGrace" imr_stop_grace: Duration = Duration::from_secs(10), 0..=DAY_MS, "ms";
        /// Time between two checks of the servers that the repository has not started itself.
        "ImrCheckInterval" imr_check_interval: Duration = Duration::from_secs(1), 1..=DAY_MS, "ms";
        /// Folder for the output of servers, each in a file NAME.log; made if it does not exist; empty for the standard
        /// error of the repository's process.
        "ImrServerLogs" imr_server_logs: String = String::new();
    }
}
