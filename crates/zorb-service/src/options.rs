//! The options that all services have.

zorb::transport::options! {
    /// The options that all services have. They are part of an ORB's option table if its program adds them with
    /// `Orb::builder().declare(ServiceOptions::default())`, as `zorb serve` does.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ServiceOptions of "service", set by (trait SetServiceOptions) {
        /// Clients that may change what services have, such as names, separated by ;, by subject, dns:NAME, ip:ADDRESS,
        /// uri:URI, email:ADDRESS or sha256:DIGITS of their TLS certificates; all clients may read; empty for all, and in
        /// the implementation repository for those of this machine.
        "ServiceWriters" service_writers: String = String::new();
    }
}
