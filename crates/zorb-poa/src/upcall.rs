//! The upcall of a request, or the answer to an operation that every object has.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use zorb_base::callback::discard;
use zorb_base::object_id::{OBJECT_ID, ObjectId};
use zorb_base::policy::PriorityModel;
use zorb_base::upcall_thread::{ProbeUpcall, served_connection};
use zorb_cdr::{Wire, fallible};
use zorb_giop::{Ior, ReplyStatus};
use zorb_transport::log_limited;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::active_object::ActiveObject;
use crate::call::{Interfaces, ServerCall};
use crate::current::{CurrentUpcall, serving};
use crate::error::no_memory;
use crate::reply::Served;
use crate::skeleton::{Skeleton, dispatch_to};

/// Executes the operation on the servant, or answers a pseudo-operation. `interfaces` finds the definitions of
/// interfaces for those.
#[inline(always)] // into `dispatch`, whose requests are for active objects
pub(crate) fn upcall<'a>(
    interfaces: Option<&'a dyn Interfaces>,
    object: &'a ActiveObject,
    call: &mut ServerCall<'a>,
) -> Served {
    match call.request.operation.as_borrowed_bytes() {
        Some(operation) => upcall_of(operation, interfaces, object, call),
        None => upcall_of_converted(interfaces, object, call),
    }
}

/// As [`upcall`], of an operation with this name.
#[inline(always)] // into `dispatch`
fn upcall_of<'a>(
    operation: &[u8],
    interfaces: Option<&'a dyn Interfaces>,
    object: &'a ActiveObject,
    call: &mut ServerCall<'a>,
) -> Served {
    // The current upcall is set where panics are caught, so that this remains one function.
    let served = catch_unwind(AssertUnwindSafe(|| {
        let current = CurrentUpcall { object, operation, source: Some(call.reply.source) };
        let has_underscore = begins_with_underscore(operation);
        serving(current, || {
            execute(has_underscore, interfaces, &object.id, &*object.skeleton, call)
        })
    }));
    served.unwrap_or_else(|panic| Err(panicked(panic, &object.id, &call.request.operation)))
}

/// The same for a name that is not ASCII, which no IDL operation has, but dynamic servants may serve.
#[cold]
#[inline(never)]
fn upcall_of_converted<'a>(
    interfaces: Option<&'a dyn Interfaces>,
    object: &'a ActiveObject,
    call: &mut ServerCall<'a>,
) -> Served {
    let operation = fallible::copy(call.operation()).map_err(no_memory)?;
    upcall_of(&operation, interfaces, object, call)
}

#[inline(always)] // into `upcall_of`
fn begins_with_underscore(operation: &[u8]) -> bool {
    operation.first() == Some(&b'_')
}

#[inline(always)] // into `upcall_of`
fn execute<'a>(
    has_underscore: bool,
    interfaces: Option<&'a dyn Interfaces>,
    id: &'a ObjectId,
    skeleton: &'a dyn Skeleton,
    call: &mut ServerCall<'a>,
) -> Served {
    // IDL identifiers cannot begin with an underscore, so only attributes share the first octet. A dynamic skeleton's
    // own code answers some pseudo-operations, too.
    if has_underscore {
        call.interfaces = interfaces;
        if let Some(served) = pseudo_operation(id, skeleton, call) {
            return served;
        }
    }
    dispatch_to(skeleton, call)
}

/// As [`upcall`], for the servant of an object that is not active. The current object remains that of the request.
#[cold]
#[inline(never)]
pub(crate) fn upcall_inactive<'a>(
    id: &'a ObjectId,
    skeleton: &'a dyn Skeleton,
    call: &mut ServerCall<'a>,
) -> Served {
    let interfaces = call.interfaces;
    let has_underscore = begins_with_underscore(call.operation());
    let served =
        catch_unwind(AssertUnwindSafe(|| execute(has_underscore, interfaces, id, skeleton, call)));
    served.unwrap_or_else(|panic| Err(panicked(panic, id, &call.request.operation)))
}

/// The exception for a servant's panic, which is logged: `UNKNOWN`, completed MAYBE.
#[cold]
pub fn panicked(panic: Box<dyn Any + Send>, object: &ObjectId, operation: &str) -> SystemException {
    discard(panic);
    log_limited!(error, operation, %object, "the servant panicked");
    SystemException::unknown(minor::unknown::SERVANT_PANICKED, CompletionStatus::Maybe)
}

/// Answers the operations that every object has; `None` for any other name.
#[cold]
fn pseudo_operation(
    id: &ObjectId,
    skeleton: &dyn Skeleton,
    call: &mut ServerCall<'_>,
) -> Option<Served> {
    if skeleton.serves_all_operations() {
        return None;
    }
    // Interceptors do not run, but the connection may declare its priority band.
    let model = skeleton.policies().and_then(|policies| policies.value::<PriorityModel>());
    if model.is_some() {
        call.apply_declared_band();
    }
    Some(match &*call.request.operation {
        // Old ORBs use the second spelling.
        "_non_existent" | "_not_existent" => {
            let is_gone = !skeleton.exists(id);
            call.reply.write(ReplyStatus::NoException, |writer| bool::write(&is_gone, writer))
        }
        "_is_a" | "_repository_id" | "_interface" if !skeleton.exists(id) => {
            let code = minor::object_not_exist::NO_MATCH;
            Err(SystemException::object_not_exist(code, CompletionStatus::No))
        }
        "_is_a" => call.argument::<String>().and_then(|type_id| {
            // The clients of probes ask this first, so it is as little a sign of progress as they are.
            let _probe = served_connection().map(ProbeUpcall::of);
            call.end_of_arguments()?;
            let is_a = type_id == OBJECT_ID || skeleton.is_a(id, &type_id);
            call.reply.write(ReplyStatus::NoException, |writer| bool::write(&is_a, writer))
        }),
        "_repository_id" => {
            let type_id = skeleton.type_id(id);
            call.reply.write(ReplyStatus::NoException, |writer| writer.write_latin1(&type_id))
        }
        "_interface" => {
            let type_id = skeleton.type_id(id);
            call.interface(&type_id).and_then(|definition| {
                call.reply.write(ReplyStatus::NoException, |writer| Ior::write(&definition, writer))
            })
        }
        "_component" => {
            call.reply.write(ReplyStatus::NoException, |writer| Ior::write(&Ior::NIL, writer))
        }
        // An RT-CORBA client declares its priority band before the first call; it has been applied above.
        "_bind_priority_band" => call.reply.write_empty(),
        // No domain managers: an empty sequence.
        "_domain_managers" => call.reply.write(ReplyStatus::NoException, |writer| {
            writer.write_u32(0);
            Ok(())
        }),
        _ => return None,
    })
}
