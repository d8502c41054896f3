//! What a servant's method may know about its upcall.

use std::fmt;

use zorb_base::caller::Caller;
use zorb_base::object_id::ObjectId;
use zorb_invocation::interface::Interface;
use zorb_poa::{ActiveObject, PoaError, RequestSource, ServerCall};
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::orb::Poa;
use crate::servant::AnyServant;

/// The upcall that a servant's method makes: its object, operation and client. It is what `PortableServer::Current`
/// contains (CORBA 3.3 part 1, 15.3.10), as an argument.
///
/// Methods of servants have this parameter if the operation or its interface is annotated with `@upcall`, or is named
/// in an option of the IDL compiler. Servants of the DSI get it from their request.
///
/// ```text
/// fn balance(&self, upcall: &Upcall<'_>) -> zorb::Result<i64> {
///     self.table.balance(upcall.object_id())
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Upcall<'a> {
    object: &'a ActiveObject,
    operation: &'a str,
    /// The origin of the request; `None` for a collocated call without one.
    source: Option<&'a dyn RequestSource>,
}

impl<'a> Upcall<'a> {
    /// The upcall of a request.
    ///
    /// # Errors
    /// `INTERNAL` for a request whose object has not been found yet.
    #[doc(hidden)]
    pub fn of<'c: 'a>(call: &'a ServerCall<'c>) -> Result<Self, SystemException> {
        let broken = || {
            let code = minor::internal::BROKEN_INVARIANT;
            SystemException::internal(code, CompletionStatus::No)
        };
        let object = call.object().and_then(|object| object.downcast_ref()).ok_or_else(broken)?;
        Ok(Self { object, operation: call.operation_name(), source: Some(call.source()) })
    }

    /// The upcall of a collocated call without a request.
    #[doc(hidden)]
    pub fn collocated(object: &'a ActiveObject, operation: &'a str) -> Self {
        Self { object, operation, source: None }
    }

    /// The object's id.
    #[doc(alias = "get_object_id")]
    pub fn object_id(&self) -> &'a ObjectId {
        self.object.id()
    }

    /// The name of the operation, as in the request: `_get_owner` for reading an attribute.
    pub fn operation(&self) -> &'a str {
        self.operation
    }

    /// The object's adapter.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` if it has been destroyed and dropped.
    #[doc(alias = "get_POA")]
    pub fn poa(&self) -> Result<Poa, SystemException> {
        Poa::of(self.object)
    }

    /// The object's reference, also if it is not active.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` if the adapter has been destroyed and dropped; `INITIALIZE` if no endpoint can be opened.
    #[doc(alias = "get_reference")]
    #[doc(alias = "_this")]
    pub fn reference<R: Interface>(&self) -> Result<R, PoaError> {
        self.poa()?.reference_of_object(self.object)
    }

    /// The servant that makes the upcall.
    #[doc(alias = "get_servant")]
    pub fn servant(&self) -> AnyServant {
        AnyServant::of_skeleton(&*self.object.skeleton)
    }

    /// The client: its address, and its identity if the transport authenticates it. `None` for a collocated call, and
    /// for a client that has gone.
    pub fn caller(&self) -> Option<Caller> {
        self.source?.caller()
    }
}

impl fmt::Debug for Upcall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upcall")
            .field("object_id", self.object_id())
            .field("operation", &self.operation)
            .field("caller", &self.caller())
            .finish_non_exhaustive()
    }
}
