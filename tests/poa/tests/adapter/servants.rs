//! The servants of the suite.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use zorb::dynamic::{Dynamic, DynamicServant, ServerRequest};
use zorb::poa::{AnyServant, ObjectId, PoaCurrent, Upcall};
use zorb::{Any, Interface as _, ObjectRef, Result, SystemException};
use zorb_poa_tests::desk::ActError;
use zorb_poa_tests::{Desk, DeskServant, Refused};

/// How objects are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// By a servant with generated code, active under the object's id.
    Typed,
    /// By a servant of the DSI, active under the object's id.
    Dynamic,
    /// By a default servant with generated code.
    Default,
    /// By a default servant of the DSI.
    DynamicDefault,
}

impl Kind {
    pub(crate) const ALL: &'static [Self] =
        &[Self::Typed, Self::Dynamic, Self::Default, Self::DynamicDefault];
    /// Those with active objects.
    pub(crate) const ACTIVE: &'static [Self] = &[Self::Typed, Self::Dynamic];
    /// Those without.
    pub(crate) const BY_DEFAULT: &'static [Self] = &[Self::Default, Self::DynamicDefault];

    pub(crate) fn is_by_default(self) -> bool {
        Self::BY_DEFAULT.contains(&self)
    }
}

/// What an upcall of `act` does.
pub(crate) type Action = Arc<dyn Fn(&Upcall<'_>) -> Result<(), ActError> + Send + Sync>;

/// What servants do and record, and the current of their ORB.
pub(crate) struct Book {
    pub(crate) current: PoaCurrent,
    pub(crate) action: Mutex<Action>,
    /// What has happened, in this order.
    events: Mutex<Vec<String>>,
    pub(crate) served: AtomicUsize,
    inside: AtomicUsize,
    /// How many upcalls of `stay` have overlapped at most.
    pub(crate) most: AtomicUsize,
}

impl Book {
    pub(crate) fn new(current: PoaCurrent) -> Self {
        let none = || AtomicUsize::new(0);
        let action: Action = Arc::new(|_| Ok(()));
        Self {
            current,
            action: Mutex::new(action),
            events: Mutex::default(),
            served: none(),
            inside: none(),
            most: none(),
        }
    }

    /// Records an event.
    pub(crate) fn note(&self, event: impl Into<String>) {
        self.events.lock().unwrap().push(event.into());
    }

    /// The events since the last call.
    pub(crate) fn events(&self) -> Vec<String> {
        std::mem::take(&mut *self.events.lock().unwrap())
    }

    fn act(&self, upcall: &Upcall<'_>) -> Result<(), ActError> {
        let action = Arc::clone(&self.action.lock().unwrap());
        action(upcall)
    }

    /// The id of the object being served, by the current, which must agree with `id`.
    fn served(&self, id: &ObjectId) -> Result<String> {
        self.served.fetch_add(1, Ordering::SeqCst);
        let current = self.current.object_id()?;
        assert_eq!(current, *id);
        let here: Desk = self.current.reference()?;
        assert_eq!(self.current.poa()?.id_of(&here)?, current);
        Ok(current.to_string())
    }

    fn stay(&self) {
        let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(inside, Ordering::SeqCst);
        (0..50).for_each(|_| std::thread::yield_now());
        self.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A servant with generated code.
pub(crate) struct Clerk(Arc<Book>);

impl DeskServant for Clerk {
    fn served(&self, upcall: &Upcall<'_>) -> Result<String> {
        self.0.served(upcall.object_id())
    }

    fn stay(&self, _: &Upcall<'_>) -> Result<()> {
        self.0.stay();
        Ok(())
    }

    fn act(&self, upcall: &Upcall<'_>) -> Result<(), ActError> {
        self.0.act(upcall)
    }
}

/// The same without.
pub(crate) struct DynamicClerk(Arc<Book>);

impl DynamicServant for DynamicClerk {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        Desk::REPOSITORY_ID.into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        match request.operation() {
            "served" => {
                let served = self.0.served(request.upcall()?.object_id())?;
                request.arguments(Vec::new())?;
                request.set_result(Any::new::<String>(&served)?)
            }
            "stay" => {
                self.0.stay();
                request.arguments(Vec::new()).map(|_| ())
            }
            "act" => {
                let acted = self.0.act(&request.upcall()?);
                request.arguments(Vec::new())?;
                match acted {
                    Ok(()) => Ok(()),
                    Err(ActError::Refused(refused)) => {
                        request.set_exception(Any::new::<Refused>(&refused)?)
                    }
                    Err(ActError::System(exception)) => Err(exception),
                }
            }
            _ => Err(ServerRequest::unknown_operation()),
        }
    }
}

/// A servant of its own type.
pub(crate) enum Servant {
    Typed(Arc<Clerk>),
    Dynamic(Arc<Dynamic<DynamicClerk>>),
}

impl Servant {
    pub(crate) fn new(kind: Kind, book: &Arc<Book>) -> Self {
        let book = Arc::clone(book);
        match kind {
            Kind::Typed | Kind::Default => Self::Typed(Arc::new(Clerk(book))),
            Kind::Dynamic | Kind::DynamicDefault => {
                Self::Dynamic(Arc::new(Dynamic(DynamicClerk(book))))
            }
        }
    }

    /// A servant of one of the types above.
    pub(crate) fn of(servant: &AnyServant) -> Self {
        match servant.downcast() {
            Some(typed) => Self::Typed(typed),
            None => Self::Dynamic(servant.downcast().unwrap()),
        }
    }

    /// Tells whether the servant has been dropped, without keeping it.
    pub(crate) fn is_dropped(&self) -> Box<dyn Fn() -> bool> {
        match self {
            Self::Typed(servant) => {
                let servant = Arc::downgrade(servant);
                Box::new(move || servant.strong_count() == 0)
            }
            Self::Dynamic(servant) => {
                let servant = Arc::downgrade(servant);
                Box::new(move || servant.strong_count() == 0)
            }
        }
    }

    pub(crate) fn any(&self) -> AnyServant {
        match self {
            Self::Typed(servant) => AnyServant::of::<Desk, _>(Arc::clone(servant)),
            Self::Dynamic(servant) => AnyServant::of::<ObjectRef, _>(Arc::clone(servant)),
        }
    }
}
