//! Calls to objects of the same ORB that need no message: the stub calls the servant.
//!
//! A reference that leads to an object of its own ORB knows its target: the servant, and
//! the manager that a request has to pass. The object adapter makes references forget it when the object is
//! deactivated. Readers take no lock and touch no count that threads share: whoever is in a call guards the
//! target, and the last one out drops it. So the end of the last call is the end of the servant too, and a
//! shutdown that waits for targets waits for calls.

mod call;
mod has_servant;
mod local_target;
mod upcall;

use zorb_transport::{OptionKind, OptionValue};

pub(crate) use call::{Collocated, pass_exception, pass_results, raised};
pub use has_servant::HasServant;
pub(crate) use local_target::{Collocation, hold};
pub(crate) use upcall::{Upcall, in_upcall_of};

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
