//! The options that all services have.

use std::str::FromStr;
use std::time::Duration;

use zorb::options::{OptionKind, OptionSpec, OptionValue};

zorb::transport::options! {
    /// The options that all services have. They are part of an ORB's option table if its program adds them with
    /// `Orb::builder().declare(ServiceOptions::default())`, as `zorb serve` does.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ServiceOptions of "service", set by (trait SetServiceOptions) {
        /// Clients that may change what services have, such as names, separated by ;, by subject, dns:NAME, ip:ADDRESS,
        /// uri:URI, email:ADDRESS or sha256:DIGITS of their TLS certificates; all clients may read; empty for all, and in
        /// the implementation repository for those of this machine.
        "ServiceWriters" service_writers: Writers = Writers::default();
        /// Lease with which services are bound in the naming service, which has to be Zorb's: the names of a program
        /// that has ended are removed after it. In whole seconds, at least 1; renewed three times in this time; 0 to
        /// bind without a lease.
        "ServiceLease" service_lease: Duration = Duration::ZERO, 0..=86_400_000, "ms";
    }
}

/// The value of the option `ServiceWriters`: names of clients, or none. Text has them separated by `;`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writers(Vec<String>);

impl Writers {
    /// The names, without spaces around them.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

impl FromStr for Writers {
    type Err = String;

    /// # Errors
    /// There are separators and no name: everybody is permitted only by an empty text.
    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split(';').map(str::trim).filter(|name| !name.is_empty());
        let names: Vec<_> = names.map(str::to_owned).collect();
        match names.is_empty() && !text.is_empty() {
            true => Err("it names nobody; leave it empty to permit all".to_owned()),
            false => Ok(Self(names)),
        }
    }
}

impl OptionValue for Writers {
    const KIND: OptionKind = OptionKind::Text;

    fn take(&mut self, text: &str, _: &OptionSpec) -> Result<(), String> {
        *self = text.parse()?;
        Ok(())
    }

    fn text(&self, _: &str) -> String {
        self.0.join(";")
    }
}
