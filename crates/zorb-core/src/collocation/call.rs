//! The call from a stub to the servant.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, Context};
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, Transfer};

use super::bond::tie;
use super::upcall::Upcall;
use super::{CollocationStrategy, HasServant};
use crate::client::{LOCAL_TEXT, decoding, unlisted};
use crate::object::ObjectRef;
use crate::orb::OrbCore;
use crate::poa::ActiveObject;
use crate::raises::Raises;
use crate::serving::panicked;

/// Calls the servant of `object` if it is of this ORB and nothing stands in the way; `None` has
/// the stub make the call by messages, which then waits, fails or succeeds as any other.
///
/// `as_is` says whether the arguments may be handed over as they are.
#[inline]
pub fn call_here<I: HasServant, T, E: Raises>(
    object: &ObjectRef,
    operation: &'static str,
    as_is: impl FnOnce(&Context) -> bool,
    upcall: impl FnOnce(&I::Servant) -> Result<T, E>,
) -> Option<Result<T, E>> {
    let place = &object.shared().place;
    let strategy = object.collocation();
    if strategy == CollocationStrategy::Direct
        && let Some(active) = place.direct()
    {
        if !object.core().is_running() || !as_is(object.core()) {
            return None;
        }
        let face = active.face::<I>()?;
        return Some(guarded(active, operation, || upcall(face)));
    }
    if place.is_elsewhere()
        || strategy == CollocationStrategy::Marshalled
        || !object.core().is_running()
        || !as_is(object.core())
    {
        return None;
    }
    through_poa::<I, T, E>(object, operation, upcall)
}

/// The call through the object adapter.
#[inline(never)]
fn through_poa<I: HasServant, T, E: Raises>(
    object: &ObjectRef,
    operation: &'static str,
    upcall: impl FnOnce(&I::Servant) -> Result<T, E>,
) -> Option<Result<T, E>> {
    let place = &object.shared().place;
    let mut bond = place.bond();
    if bond.is_none() {
        tie(object);
        bond = place.bond();
    }
    let bond = bond.as_ref()?;
    if !bond.manager.is_active() {
        return None;
    }
    let active = &*bond.object;
    let face = active.face::<I>()?;
    if object.collocation() == CollocationStrategy::Direct {
        place.make_direct(bond);
    }
    let _upcall = Upcall::enter(object.core());
    Some(guarded(active, operation, || upcall(face)))
}

/// Makes a call by messages, apart from the code of the way without them, which is short.
#[inline(never)]
pub fn apart<T>(call: impl FnOnce() -> T) -> T {
    call()
}

/// Makes the upcall; a servant's panic ends the call alone.
#[inline]
fn guarded<T, E: Raises>(
    active: &ActiveObject,
    operation: &'static str,
    upcall: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    match catch_unwind(AssertUnwindSafe(upcall)) {
        Ok(outcome) => outcome.map_err(|raised| in_upcall(raised, operation)),
        Err(_) => Err(panicked(active, operation).into()),
    }
}

/// What the servant raised; a system exception without a context gets one.
#[cold]
fn in_upcall<E: Raises>(raised: E, operation: &str) -> E {
    match raised.into_system() {
        Ok(exception) if exception.context().is_none() => {
            let context = ErrorContext::new(Phase::Upcall).with_operation(operation);
            exception.with_context(context).into()
        }
        Ok(exception) => exception.into(),
        Err(raised) => raised,
    }
}

/// Hands what the servant answered over to the caller: as it is if it may be, else as it would
/// have arrived.
#[inline]
pub fn hand_over<T, E: Raises>(
    object: &ObjectRef,
    outcome: Result<T, E>,
    as_is: impl FnOnce(&T, &Context) -> bool,
    write: impl FnOnce(&T, &mut CdrWriter<'_>) -> CdrResult<()>,
    read: impl FnOnce(&mut CdrReader<'_>) -> CdrResult<T>,
) -> Result<T, E> {
    let core = object.core();
    match outcome {
        Ok(results) if as_is(&results, core) => Ok(results),
        Ok(results) => carry(core, |writer| write(&results, writer), read).map_err(E::from),
        Err(raised) if raised.passes_as_is(core) => Err(raised),
        Err(raised) => Err(carry_exception(core, &raised)),
    }
}

/// Writes a value and reads it.
#[cold]
fn carry<T>(
    core: &Arc<OrbCore>,
    write: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
    read: impl FnOnce(&mut CdrReader<'_>) -> CdrResult<T>,
) -> Result<T, SystemException> {
    let order = ByteOrder::NATIVE;
    let mut octets = Vec::new();
    write(&mut CdrWriter::new(&mut octets, order).with_text(LOCAL_TEXT)).map_err(|error| {
        SystemException::from_cdr(error, CompletionStatus::Yes, Transfer::SendReply)
    })?;
    let reader = CdrReader::new(&octets, order).with_text(LOCAL_TEXT);
    read(&mut reader.with_context(core)).map_err(decoding)
}

#[cold]
fn carry_exception<E: Raises>(core: &Arc<OrbCore>, raised: &E) -> E {
    let carried = carry(
        core,
        |writer| raised.write(writer),
        |reader| {
            let id = reader.read_latin1("exception id")?;
            E::read(&id, reader)
        },
    );
    match carried {
        Ok(Some(raised)) => raised,
        Ok(None) => unlisted(raised.repository_id()).into(),
        Err(exception) => exception.into(),
    }
}
