//! The option `CollocationStrategy`.

use zorb_transport::{OptionKind, OptionValue};

/// How a stub calls an object of its own ORB.
///
/// Results and exceptions are those of a remote call with every strategy. A stub therefore falls back on
/// [`Marshalled`](Self::Marshalled) where the others would differ: for values that have no encoding or that
/// change when they are marshalled, for objects whose POA manager is not active, and for calls without a stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CollocationStrategy {
    /// Through the object adapter: each call checks that the ORB runs, that the POA manager is active, and that
    /// the object is active, and counts as a request in progress. The default.
    #[default]
    ThruPoa,
    /// Directly on the servant. The first call goes through the adapter; later ones only check that the ORB
    /// runs. They reach the servant even after the object was deactivated or its manager has left the state
    /// active; the reference keeps the servant alive; a shutdown does not wait for them.
    Direct,
    /// By a request and a reply in memory, as if the object were remote.
    Marshalled,
}

zorb_transport::option_words!(CollocationStrategy {
    "thru_poa" => ThruPoa,
    "direct" => Direct,
    "marshalled" => Marshalled,
});

impl CollocationStrategy {
    /// The strategies' names in the option `CollocationStrategy`.
    pub const NAMES: &'static [&'static str] = match <Self as OptionValue>::KIND {
        OptionKind::OneOf(names) => names,
        _ => &[],
    };
}
