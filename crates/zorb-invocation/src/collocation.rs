//! Calls to objects of the same ORB that need no message: the stub calls the servant.
//!
//! A reference that leads to an object of its own ORB knows its target: the servant, and
//! the manager that a request has to pass. The object adapter makes references forget it when the object is
//! deactivated. Readers take no lock and touch no count that threads share: whoever is in a call guards the
//! target, and the last one out drops it. So the end of the last call is the end of the servant too, and a
//! shutdown that waits for targets waits for calls.

mod call;
mod find;
mod has_servant;
mod local_target;
mod upcall;

pub use call::{Collocated, CollocatedCall, Written};
pub(crate) use find::hold;
pub use has_servant::HasServant;
pub(crate) use local_target::Collocation;
pub use upcall::{Upcall, in_upcall_of};
