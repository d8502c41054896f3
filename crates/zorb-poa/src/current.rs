//! The object that the calling thread serves: the content of `PortableServer::Current`.

use zorb_os::scoped::Scoped;

use crate::active_object::ActiveObject;

thread_local! {
    static CURRENT: Scoped<ActiveObject> = const { Scoped::new() };
}

/// Makes an upcall for `object`, which is the [current](with_current) one meanwhile.
#[inline(always)] // into the request path: three instructions
pub fn serving<T>(object: &ActiveObject, upcall: impl FnOnce() -> T) -> T {
    Scoped::set(&CURRENT, object, upcall)
}

/// Calls `work` with the object of the innermost upcall of the calling thread; `None` outside of upcalls.
pub fn with_current<T>(work: impl FnOnce(Option<&ActiveObject>) -> T) -> T {
    Scoped::with(&CURRENT, work)
}

/// Whether the calling thread makes an upcall of the object, also one around the innermost upcall.
pub(crate) fn is_serving(is: impl FnMut(&ActiveObject) -> bool) -> bool {
    Scoped::any(&CURRENT, is)
}
