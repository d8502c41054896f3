//! Calls to objects of the same ORB that need no message: the stub calls the servant.
//!
//! A reference to an object of its own ORB caches its target: the servant, and the manager that requests have to
//! pass. The object adapter revokes it when the object is deactivated. Calls take no lock and write no shared
//! count: each guards the target, and the last one drops it. The servant is therefore dropped after its last
//! call, and a shutdown that waits for targets waits for calls.

mod call;
mod find;
mod has_servant;
mod local_target;

pub use call::{CollocatedCall, Passed, call_one_way, call_two_way, writer};
pub(crate) use find::hold;
pub use has_servant::HasServant;
pub(crate) use local_target::{Collocation, LocalTarget};
