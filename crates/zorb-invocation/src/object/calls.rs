//! Calls by a reference: of stubs, and of the operations that every object has.

use zorb_base::object_id::OBJECT_ID;
use zorb_base::raises::Raises;
use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Wire};
use zorb_giop::{Ior, ResponseFlags};
use zorb_os::probe;
use zorb_types::SystemException;

use super::ObjectRef;
use crate::client::{Outcome, ReadReply, Request, invoke, locate, validate};
use crate::interface::Interface;

impl ObjectRef {
    /// Makes a call, as stubs do. `arguments` writes the `in` and `inout` parameters, `results` reads the
    /// result and the `inout` and `out` parameters.
    ///
    /// # Errors
    /// What the operation raises, or the system exception that prevented it.
    #[inline]
    pub fn invoke<T, E: Raises>(
        &self,
        operation: &str,
        arguments: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
        results: impl Fn(&mut CdrReader<'_>) -> CdrResult<T>,
    ) -> Result<T, E> {
        probe!(Begin);
        let request = Request { arguments, read: results, outcome: Outcome::missing() };
        let (response, reply) = (ResponseFlags::SyncWithTarget, ReadReply::Typed(&request));
        let ended = invoke(self, operation, response, &request, reply);
        probe!(Reference);
        request.outcome.after(ended)
    }

    /// Sends a one-way request without waiting.
    ///
    /// # Errors
    /// The system exception that prevented it.
    #[inline]
    pub fn invoke_oneway(
        &self,
        operation: &str,
        arguments: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        invoke(self, operation, ResponseFlags::NoResponse, &arguments, ReadReply::Nobody)
    }

    /// Asks the object whether it supports the interface `id` (`_is_a`), unless the reference has this type id.
    ///
    /// # Errors
    /// The system exception of the call.
    #[doc(alias = "_is_a")]
    pub fn is_a(&self, id: &str) -> Result<bool, SystemException> {
        if id == OBJECT_ID || self.ior().type_id == id {
            return Ok(true);
        }
        self.invoke("_is_a", |writer| writer.write_latin1(id), |reader| reader.read_bool())
    }

    /// Asks the server whether it has the object, without calling it (LocateRequest). Follows forwards.
    ///
    /// # Errors
    /// The system exception of the request.
    pub fn locate(&self) -> Result<bool, SystemException> {
        locate(self)
    }

    /// Binds the reference now, so that the next call takes no longer than later ones
    /// (`_validate_connection`): resolves routes, connects, follows forwards, negotiates code sets, and makes
    /// both sides allocate the buffers that calls need.
    ///
    /// It calls `_non_existent` twice. Each thread has its own connections unless the option
    /// `MaxCallsPerConnection` permits to share them, so bind on the thread that will call. The binding is valid
    /// until a connection is closed, for example after the server's `IdleTimeout`; binding again then
    /// connects again, and otherwise changes nothing. A reference to an object of this ORB is bound to its
    /// servant.
    ///
    /// If policies of client and server contradict each other, it fails with `INV_POLICY`;
    /// [`inconsistent_policies`](Self::inconsistent_policies) returns them.
    ///
    /// # Errors
    /// The system exception of a call; `OBJECT_NOT_EXIST` if the object does not exist.
    #[doc(alias = "_validate_connection")]
    pub fn validate_connection(&self) -> Result<(), SystemException> {
        validate(self)
    }

    /// Asks whether the object has been destroyed (`_non_existent`).
    ///
    /// # Errors
    /// The system exception of the call, except `OBJECT_NOT_EXIST`, which means `true`.
    #[doc(alias = "_non_existent")]
    pub fn non_existent(&self) -> Result<bool, SystemException> {
        let answer = self.invoke("_non_existent", |_| Ok(()), |reader| reader.read_bool());
        match answer {
            Err(SystemException {
                kind: zorb_types::SystemExceptionKind::ObjectNotExist, ..
            }) => Ok(true),
            other => other,
        }
    }

    /// Asks the object for its most derived interface (`_repository_id`), which old ORBs do not support.
    ///
    /// # Errors
    /// The system exception of the call; `BAD_OPERATION` from ORBs without it.
    #[doc(alias = "_repository_id")]
    pub fn repository_id(&self) -> Result<String, SystemException> {
        self.invoke(
            "_repository_id",
            |_| Ok(()),
            |reader| reader.read_latin1_owned("repository id"),
        )
    }

    /// Asks the object for the definition of its interface in an interface repository (`_get_interface`), an
    /// `InterfaceDef`; `None` if the server has none.
    ///
    /// # Errors
    /// The system exception of the call: `INTF_REPOS` (OMG 1) from a server without a repository.
    #[doc(alias = "_get_interface")]
    pub fn interface(&self) -> Result<Option<Self>, SystemException> {
        let ior = self.invoke::<_, SystemException>("_interface", |_| Ok(()), Ior::read)?;
        Ok((!ior.is_nil()).then(|| Self::new(self.core(), ior)))
    }

    /// Asks the object for the component that it belongs to (`_get_component`); `None` if it belongs to none, as the
    /// objects of Zorb do.
    ///
    /// # Errors
    /// The system exception of the call.
    #[doc(alias = "_get_component")]
    pub fn component(&self) -> Result<Option<Self>, SystemException> {
        let ior = self.invoke::<_, SystemException>("_component", |_| Ok(()), Ior::read)?;
        Ok((!ior.is_nil()).then(|| Self::new(self.core(), ior)))
    }

    /// Asks the object for the managers of its policy domains (`_get_domain_managers`). The objects of Zorb have none.
    ///
    /// # Errors
    /// The system exception of the call.
    #[doc(alias = "_get_domain_managers")]
    pub fn domain_managers(&self) -> Result<Vec<Self>, SystemException> {
        let iors =
            self.invoke::<_, SystemException>("_domain_managers", |_| Ok(()), <Vec<Ior>>::read)?;
        let managers = iors.into_iter().filter(|ior| !ior.is_nil());
        Ok(managers.map(|ior| Self::new(self.core(), ior)).collect())
    }

    /// A typed reference to this object, after asking whether it has this type; `None` if not.
    ///
    /// # Errors
    /// As [`is_a`](Self::is_a).
    #[doc(alias = "_narrow")]
    pub fn narrow<T: Interface>(&self) -> Result<Option<T>, SystemException> {
        Ok(self.is_a(T::REPOSITORY_ID)?.then(|| T::from_object(self.clone())))
    }

    /// A typed reference to this object, without asking.
    #[doc(alias = "_unchecked_narrow")]
    pub fn unchecked_narrow<T: Interface>(&self) -> T {
        T::from_object(self.clone())
    }
}
