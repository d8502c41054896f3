//! The options of a naming service.

use std::time::Duration;

use zorb_os::machine;

/// A day, in milliseconds.
const DAY_MS: u64 = 86_400_000;

zorb::transport::options! {
    /// The options of a [`NamingService`](super::NamingService). They are part of an ORB's option table if its program
    /// adds them with `Orb::builder().declare(NamingOptions::default())`, as `zorb serve` does.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct NamingOptions of "naming", set by (trait SetNamingOptions) {
        /// Maximum number of components of a name; longer ones are invalid (InvalidName).
        "NamingNameComponents" naming_name_components: usize = 128, 1..=65_536;
        /// Maximum size of id and kind of a component together, in UTF-8; longer ones are invalid (InvalidName).
        "NamingComponentOctets" naming_component_octets: usize = 4096, 1..=64_999, "octets";
        /// Maximum size of the profiles of a bound reference; beyond it, IMP_LIMIT.
        "NamingReferenceOctets" naming_reference_octets: usize = 65_536, 1..=1_048_576, "octets";
        /// Maximum number of bindings of a context; beyond it, IMP_LIMIT.
        "NamingContextBindings" naming_context_bindings: usize = 10_000_000, 1..=u32::MAX as u64;
        /// Maximum memory of all contexts and bindings; beyond it, IMP_LIMIT; 0 for a quarter of the memory that the
        /// process can have, at most 1 GiB.
        "NamingMemory" naming_memory: usize = 0, 0..=1_u64 << 40, "octets";
        /// Maximum number of binding iterators; beyond it, of the IP address with most, the one not used for longest is
        /// destroyed.
        "NamingIterators" naming_iterators: usize = 1000, 1..=10_000_000;
        /// Time for which an iterator may be unused; it is then destroyed.
        "NamingIteratorLifetime" naming_iterator_lifetime: Duration = Duration::from_secs(600), 1..=DAY_MS, "ms";
        /// Maximum number of bindings in one reply of list and next_n; an iterator has the rest.
        "NamingListedBindings" naming_listed_bindings: usize = 10_000, 1..=1_000_000;
        /// Maximum size of the bindings in one reply of list and next_n; a larger binding is returned alone. An
        /// iterator returns the rest.
        "NamingListedOctets" naming_listed_octets: usize = 1_048_576, 1..=1_073_741_824, "octets";
        /// Maximum number of calls to naming contexts of other servers at a time, half of them for clients at one IP address;
        /// 0 to make none. Beyond it, clients get CannotProceed, and may continue with the other context themselves.
        "NamingForeignCalls" naming_foreign_calls: usize = 32, 0..=65_536;
        /// Maximum number of these calls to one server, so that one that does not answer leaves room for others.
        "NamingForeignCallsPerServer" naming_foreign_calls_per_server: usize = 8, 1..=65_536;
        /// Maximum time of a call to a naming context of another server.
        "NamingForeignTimeout" naming_foreign_timeout: Duration = Duration::from_secs(5), 1..=DAY_MS, "ms";
        /// Maximum number of bindings with leases; beyond it, IMP_LIMIT.
        "NamingLeases" naming_leases: usize = 100_000, 0..=10_000_000;
        /// Maximum time of a lease; beyond it, IMP_LIMIT.
        "NamingLongestLease" naming_longest_lease: Duration = Duration::from_secs(86_400), 1000..=30 * DAY_MS, "ms";
    }
}

/// The most memory for names, in octets, where the option does not say more.
const MOST_MEMORY: usize = 1 << 30;

impl NamingOptions {
    /// The octets that contexts and bindings may have.
    pub(super) fn memory(&self) -> usize {
        match self.naming_memory {
            0 => share(machine::memory()),
            octets => octets,
        }
    }
}

/// The part of a process's memory for names.
fn share(memory: Option<u64>) -> usize {
    let quarter = memory.and_then(|octets| usize::try_from(octets / 4).ok());
    quarter.unwrap_or(MOST_MEMORY).min(MOST_MEMORY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_part_of_the_memory() {
        let shares = [Some(400 << 20), Some(64 << 30), None].map(share);
        assert_eq!(shares, [100 << 20, MOST_MEMORY, MOST_MEMORY]);
        let options = |naming_memory| NamingOptions { naming_memory, ..NamingOptions::default() };
        assert_eq!((options(5000).memory(), options(0).memory()), (5000, share(machine::memory())));
    }
}
