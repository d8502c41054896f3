//! Typed references: the trait behind every IDL interface, and how one travels in CDR.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use zorb_base::options::CollocationStrategy;
use zorb_base::policy::Policies;
use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, Context, Wire};
use zorb_giop::Ior;
use zorb_types::{SystemException, TypeDesc, Typed};

use crate::client::ClientCore;
use crate::loan::Loan;
use crate::object::ObjectRef;
pub use zorb_base::object_id::OBJECT_ID;

/// An IDL interface in Rust: a cloneable reference whose methods are the stubs.
///
/// Generated code implements it; programs use it as a bound, as in `orb.resolve::<Greeter>(url)`.
pub trait Interface: Clone + Send + Sync + Sized + 'static {
    /// The interface's repository id.
    const REPOSITORY_ID: &'static str;
    /// The interface's IDL name, without its scope.
    const NAME: &'static str;
    /// The ids of the interface and of all its bases, most derived first, `CORBA::Object` last.
    const TYPE_IDS: &'static [&'static str];

    /// A typed reference to `object`, without checking its type.
    fn from_object(object: ObjectRef) -> Self;

    /// The untyped reference inside.
    fn as_object(&self) -> &ObjectRef;

    /// The reference as text: `IOR:` and hexadecimal digits (`object_to_string`).
    fn to_ior_string(&self) -> String {
        self.as_object().to_ior_string()
    }

    /// The same object, with calls that wait at most `timeout`; see [`ObjectRef::with_timeout`].
    #[must_use]
    fn with_timeout(&self, timeout: Duration) -> Self {
        Self::from_object(self.as_object().with_timeout(timeout))
    }

    /// The same object, called with these policies; see [`ObjectRef::with_policies`].
    ///
    /// # Errors
    /// `NO_PERMISSION` for a policy that a reference cannot have.
    fn with_policies(&self, policies: &Policies) -> Result<Self, SystemException> {
        self.as_object().with_policies(policies).map(Self::from_object)
    }

    /// The same object for one call with these policies; see [`ObjectRef::for_call`].
    ///
    /// # Errors
    /// `NO_PERMISSION` for a policy that a call cannot have.
    fn for_call(&self, policies: &Policies) -> Result<Self, SystemException> {
        self.as_object().for_call(policies).map(Self::from_object)
    }

    /// Allocates a buffer for arguments of calls to the object; see [`ObjectRef::loan`].
    ///
    /// # Errors
    /// Those of connecting: `TRANSIENT`, `TIMEOUT`, `NO_PERMISSION`.
    fn loan(&self, len: usize) -> Result<Loan, SystemException> {
        self.as_object().loan(len)
    }

    /// The same object with another `strategy` of calls within its ORB; see [`ObjectRef::with_collocation`].
    #[must_use]
    fn with_collocation(&self, strategy: CollocationStrategy) -> Self {
        Self::from_object(self.as_object().with_collocation(strategy))
    }
}

impl Interface for ObjectRef {
    const REPOSITORY_ID: &'static str = OBJECT_ID;
    const NAME: &'static str = "Object";
    const TYPE_IDS: &'static [&'static str] = &[OBJECT_ID];

    fn from_object(object: ObjectRef) -> Self {
        object
    }

    fn as_object(&self) -> &ObjectRef {
        self
    }
}

/// The IDL type "reference to `T`": its values are `Option<T>`, with `None` for nil.
#[derive(Clone, Copy, Debug)]
pub struct Ref<T>(PhantomData<fn() -> T>);

impl<T: Interface> Ref<T> {
    /// Appends a reference or nil.
    ///
    /// # Errors
    /// Those of writing an IOR: a string with a NUL inside, more than 2³²-1 octets.
    pub fn write_option(value: Option<&T>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        write(value.map(T::as_object), writer)
    }

    /// Whether a receiver in the ORB of `context` would get an identical reference: nil, or one of this ORB
    /// without state that is not sent.
    #[doc(hidden)]
    pub fn passes_as_is_option(value: Option<&T>, context: &Context) -> bool {
        let Some(reference) = value else { return true };
        let core = (context as &dyn Any).downcast_ref::<Arc<ClientCore>>();
        core.is_some_and(|core| reference.as_object().is_plain(core))
    }
}

impl<T: Interface> Typed for Ref<T> {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::interface(T::REPOSITORY_ID, T::NAME) }
    }
}

impl<T: Interface> zorb_interp::Tabled for Ref<T> {
    const TABLE: zorb_interp::Table<Self> = zorb_interp::Table::named();
}

impl<T: Interface> zorb_interp::Named for Ref<T> {
    const NAME: &'static str = T::NAME;

    fn read_named(name: &'static str, reader: &mut CdrReader<'_>) -> CdrResult<Option<T>> {
        Ok(read(name, reader)?.map(T::from_object))
    }
}

impl<T: Interface> Wire for Ref<T> {
    type Value = Option<T>;
    type View = Option<T>;
    type Borrowed<'a> = Option<T>;
    // A nil reference: an empty string (5 octets) and a count (4).
    const MIN_SIZE: usize = 9;

    fn view(value: &Option<T>) -> &Option<T> {
        value
    }

    fn write(value: &Option<T>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        Self::write_option(value.as_ref(), writer)
    }

    fn passes_as_is(value: &Option<T>, context: &Context) -> bool {
        Self::passes_as_is_option(value.as_ref(), context)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Option<T>> {
        Ok(read(T::NAME, reader)?.map(T::from_object))
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Option<T>> {
        Self::read(reader)
    }
}

/// Writes a reference to an object of any interface, or nil.
fn write(object: Option<&ObjectRef>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    Ior::write(object.map_or(&Ior::NIL, ObjectRef::ior), writer)
}

/// Reads a reference to an object of the interface with this name, or nil.
fn read(name: &'static str, reader: &mut CdrReader<'_>) -> CdrResult<Option<ObjectRef>> {
    let ior = Ior::read(reader)?;
    if ior.is_nil() {
        return Ok(None);
    }
    let core = reader
        .context::<Arc<ClientCore>>()
        .ok_or_else(|| reader.error(CdrErrorKind::BadReference, name))?;
    Ok(Some(ObjectRef::new(core, ior)))
}
