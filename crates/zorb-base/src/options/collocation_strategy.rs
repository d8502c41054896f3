//! The option `CollocationStrategy`.

use zorb_transport::{OptionKind, OptionValue};

/// How a stub calls an object of its own ORB.
///
/// Whatever the strategy, results and exceptions are those of a call from elsewhere. A stub falls
/// back on [`Marshalled`](Self::Marshalled) where the others cannot be told from it otherwise: for
/// values that have no encoding or that mean something else at their destination, for objects
/// behind a manager that is not active, and for calls without a stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CollocationStrategy {
    /// Through the object adapter: each call asks whether the ORB runs, the adapter's manager lets
    /// requests through and the object is active, and counts as a running request.
    #[default]
    ThruPoa,
    /// Straight to the servant. The first call goes through the adapter; those after it only ask
    /// whether the ORB runs. They reach the servant whatever became of the object and of its
    /// manager, keep it alive as long as the reference lives, and no shutdown waits for them.
    Direct,
    /// By a request and a reply in memory, as if the object were elsewhere.
    Marshalled,
}

zorb_transport::option_words!(CollocationStrategy {
    "thru_poa" => ThruPoa,
    "direct" => Direct,
    "marshalled" => Marshalled,
});

impl CollocationStrategy {
    /// The strategies' names, as the option `CollocationStrategy` takes them.
    pub const NAMES: &'static [&'static str] = match <Self as OptionValue>::KIND {
        OptionKind::OneOf(names) => names,
        _ => &[],
    };
}
