//! The upcall that the calling thread makes: the content of `PortableServer::Current`.

use zorb_os::scoped::{Borrowing, Scoped};

use crate::active_object::ActiveObject;
use crate::reply::RequestSource;

thread_local! {
    static CURRENT: Scoped<Upcalls> = const { Scoped::new() };
}

/// An upcall.
#[derive(Clone, Copy)]
pub struct CurrentUpcall<'a> {
    /// The object that is served.
    pub object: &'a ActiveObject,
    /// The octets of the operation's name, as in a request.
    pub operation: &'a [u8],
    /// The origin of the request; `None` for a collocated call without one.
    pub source: Option<&'a dyn RequestSource>,
}

impl std::fmt::Debug for CurrentUpcall<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CurrentUpcall")
            .field("object", self.object.id())
            .field("operation", &String::from_utf8_lossy(self.operation))
            .finish_non_exhaustive()
    }
}

struct Upcalls;

impl Borrowing for Upcalls {
    type Value<'a> = CurrentUpcall<'a>;

    fn shorten<'s, 'l: 's>(value: &'s CurrentUpcall<'l>) -> &'s CurrentUpcall<'s> {
        value
    }
}

/// Makes an upcall, which is the [current](with_current) one meanwhile.
#[inline(always)] // into the request path: a few stores
pub fn serving<T>(current: CurrentUpcall<'_>, upcall: impl FnOnce() -> T) -> T {
    Scoped::set(&CURRENT, current, upcall)
}

/// Calls `work` with the innermost upcall of the calling thread; `None` outside of upcalls.
pub fn with_current<T>(work: impl for<'u> FnOnce(Option<&'u CurrentUpcall<'u>>) -> T) -> T {
    Scoped::with(&CURRENT, work)
}

/// Whether the calling thread makes an upcall of the object, also one around the innermost upcall.
pub(crate) fn is_serving(mut is: impl FnMut(&ActiveObject) -> bool) -> bool {
    Scoped::any(&CURRENT, |upcall| is(upcall.object))
}
