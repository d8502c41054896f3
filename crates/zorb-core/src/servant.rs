//! Servants: the Rust values that implement objects.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use zorb_base::object_id::ObjectId;
use zorb_invocation::interface::Interface;
use zorb_poa::{ServantObject, Served, ServerCall, Skeleton};

/// An interface that a servant of type `S` can serve.
///
/// Generated code implements it for each interface and every type that implements the interface's servant
/// trait. A type can thus serve several interfaces.
#[diagnostic::on_unimplemented(
    message = "`{S}` is not a servant of `{Self}`",
    label = "`{Self}` is not an interface that `{S}` implements",
    note = "annotate the type of the reference, as in `let greeter: Greeter = poa.activate(servant)?`",
    note = "implement the interface's servant trait, such as `GreeterServant`"
)]
pub trait ServedBy<S>: Interface {
    /// Decodes the arguments of `call`, makes the upcall and writes the reply.
    ///
    /// # Errors
    /// The system exception to reply with: `MARSHAL` if the arguments cannot be decoded, `BAD_OPERATION` if the
    /// operation does not exist.
    fn dispatch(servant: &S, call: &mut ServerCall<'_>) -> Served;

    /// The repository id of the most derived interface of the servant's object `id`, for its references and
    /// `_repository_id`. Default: that of this interface; servants of the DSI override it.
    fn type_id<'s>(servant: &'s S, id: &ObjectId) -> Cow<'s, str> {
        let _ = (servant, id);
        Cow::Borrowed(Self::REPOSITORY_ID)
    }

    /// The answer to `_is_a` for the servant's object `id`.
    fn is_a(servant: &S, id: &ObjectId, type_id: &str) -> bool {
        let _ = (servant, id);
        Self::TYPE_IDS.contains(&type_id)
    }

    /// Whether the object `id` exists, for `_non_existent` and the other operations that every object has. Default:
    /// it does. Default servants, whose objects may end, override it; their operations raise `OBJECT_NOT_EXIST`.
    fn exists(servant: &S, id: &ObjectId) -> bool {
        let _ = (servant, id);
        true
    }

    /// The servant as an `Arc<T>`, where `wanted` is the type id of `T`: the trait object of the servant trait of
    /// this interface or of one of its bases. If it is `None`, the default, collocated calls are marshalled.
    fn servant_object(servant: &Arc<S>, wanted: TypeId) -> Option<ServantObject> {
        let _ = (servant, wanted);
        None
    }
}

/// A servant of one interface, with its type erased: `PortableServer::Servant`. Servant managers and default servants
/// are passed as such.
///
/// ```text
/// poa.set_servant(AnyServant::of::<Account, _>(Arc::new(Accounts::default())))?;
/// ```
#[doc(alias = "Servant")]
pub struct AnyServant(Box<dyn Skeleton>);

impl AnyServant {
    /// The servant of objects with the interface `R`.
    pub fn of<R, S>(servant: Arc<S>) -> Self
    where
        S: Send + Sync + 'static,
        R: ServedBy<S>,
    {
        Self(Box::new(Tie::<S, R>::new(servant)))
    }

    /// The servant as its own type; `None` if it is not an `S`.
    pub fn downcast<S: Send + Sync + 'static>(&self) -> Option<Arc<S>> {
        self.0.servant().downcast().ok()
    }

    pub(crate) fn of_skeleton(skeleton: &dyn Skeleton) -> Self {
        Self(skeleton.without_policies())
    }

    pub(crate) fn from_skeleton(skeleton: Box<dyn Skeleton>) -> Self {
        Self(skeleton)
    }

    pub(crate) fn into_skeleton(self) -> Box<dyn Skeleton> {
        self.0
    }

    /// The address of the servant: equal for handles to the same one.
    pub(crate) fn identity(&self) -> usize {
        self.0.identity()
    }
}

impl Clone for AnyServant {
    fn clone(&self) -> Self {
        Self::of_skeleton(&*self.0)
    }
}

/// Whether both are the same servant.
impl PartialEq for AnyServant {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for AnyServant {}

impl fmt::Debug for AnyServant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyServant").finish_non_exhaustive()
    }
}

/// Erases the type of a servant, for the interface `R`.
pub(crate) struct Tie<S, R> {
    servant: Arc<S>,
    interface: PhantomData<fn() -> R>,
}

impl<S, R> Tie<S, R> {
    pub(crate) fn new(servant: Arc<S>) -> Self {
        Self { servant, interface: PhantomData }
    }
}

impl<S: Send + Sync + 'static, R: ServedBy<S>> Skeleton for Tie<S, R> {
    fn type_id(&self, id: &ObjectId) -> Cow<'_, str> {
        R::type_id(&self.servant, id)
    }

    fn is_a(&self, id: &ObjectId, type_id: &str) -> bool {
        R::is_a(&self.servant, id, type_id)
    }

    fn exists(&self, id: &ObjectId) -> bool {
        R::exists(&self.servant, id)
    }

    fn dispatch(&self, call: &mut ServerCall<'_>) -> Served {
        R::dispatch(&self.servant, call)
    }

    fn servant_object(&self, wanted: TypeId) -> Option<ServantObject> {
        R::servant_object(&self.servant, wanted)
    }

    fn servant(&self) -> Arc<dyn Any + Send + Sync> {
        Arc::<S>::clone(&self.servant)
    }

    fn without_policies(&self) -> Box<dyn Skeleton> {
        Box::new(Self::new(Arc::clone(&self.servant)))
    }

    fn identity(&self) -> usize {
        servant_identity(&self.servant)
    }
}

/// The address of a servant's allocation: equal for clones of one `Arc`.
pub(crate) fn servant_identity<S>(servant: &Arc<S>) -> usize {
    Arc::as_ptr(servant).addr()
}
