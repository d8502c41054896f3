//! Settings of a naming service.

use std::time::Duration;

/// Settings of a [`NamingService`](super::NamingService), with defaults for hundreds of thousands of names.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The limits of what clients may store.
    pub limits: Limits,
    /// The maximum number of binding iterators. Beyond it, the one that has not been used for longest is destroyed.
    /// Default: 1,000.
    pub iterators: usize,
    /// How long an iterator may remain unused. Default: 10 minutes.
    pub iterator_lifetime: Duration,
    /// The maximum number of bindings in one reply of `list` and `next_n`; an iterator returns the rest. Default: 10,000.
    pub listed: usize,
    /// The maximum number of calls to naming contexts of other servers at the same time; 0 to make none. Operations
    /// beyond it raise `CannotProceed`, and the client may continue with the other context itself. Default: 32.
    pub foreign_calls: usize,
    /// How long such a call may take. Default: 5 seconds.
    pub foreign_timeout: Duration,
}

/// The limits of what clients may store in a naming service.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The components of a name; longer ones are invalid (`InvalidName`). Default: 128.
    pub name_components: usize,
    /// The octets of id and kind of a component together, in UTF-8, at most 64,999; longer ones are invalid
    /// (`InvalidName`). Default: 4,096.
    pub component_octets: usize,
    /// The octets of a reference, without its type id and about 10 octets for each profile; longer ones have
    /// `IMP_LIMIT`. Default: 65,536.
    pub reference_octets: usize,
    /// Maximum number of bindings of a context; beyond it, `IMP_LIMIT`. Default: 10,000,000.
    pub bindings_per_context: usize,
    /// Maximum memory for all contexts and bindings, in octets; beyond it, `IMP_LIMIT`. Default: 1 GiB.
    pub octets: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            iterators: 1_000,
            iterator_lifetime: Duration::from_secs(600),
            listed: 10_000,
            foreign_calls: 32,
            foreign_timeout: Duration::from_secs(5),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            name_components: 128,
            component_octets: 4096,
            reference_octets: 1 << 16,
            bindings_per_context: 10_000_000,
            octets: 1 << 30,
        }
    }
}
