//! What an implementation repository knows of an ORB.

use zorb_invocation::object::ObjectRef;

/// What the repository knows of this server.
#[derive(Default)]
pub(super) struct Registration {
    /// The repository.
    pub(super) repository: Option<ObjectRef>,
    /// The server's object.
    pub(super) server: Option<ObjectRef>,
    /// The names that the repository knows.
    pub(super) names: Vec<String>,
}
