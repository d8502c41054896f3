//! The service contexts of a request: what the connection and what policies have it say.

use zorb_giop::{ServiceContext, ServiceId};
use zorb_types::SystemException;

use super::route::Routes;
use crate::policy::{MAX_CONTEXTS, ShortContext};

/// What the policies of a reference have a request say; mostly nothing.
pub(super) type Contexts = Option<[Option<ShortContext>; MAX_CONTEXTS]>;

/// Room for the contexts of one request.
pub(super) type Joined<'a> = Option<[ServiceContext<'a>; MAX_CONTEXTS + 1]>;

/// What the policies of the reference have the calling thread's request say.
#[inline]
pub(super) fn own_contexts(routes: &Routes) -> Result<Contexts, SystemException> {
    if routes.contexts.is_empty() { Ok(None) } else { ask(routes).map(Some) }
}

#[cold]
fn ask(routes: &Routes) -> Result<[Option<ShortContext>; MAX_CONTEXTS], SystemException> {
    let mut contexts = [None; MAX_CONTEXTS];
    for (place, policy) in contexts.iter_mut().zip(&routes.contexts) {
        *place = policy.context()?;
    }
    Ok(contexts)
}

/// Both: those of the connection, and those of policies, which `joined` has room for.
#[inline]
pub(super) fn all_contexts<'j, 'a>(
    joined: &'j mut Joined<'a>,
    of_connection: &'j [ServiceContext<'a>],
    of_policies: &'a Contexts,
) -> &'j [ServiceContext<'a>] {
    match of_policies {
        None => of_connection,
        Some(of_policies) => join(joined, of_connection, of_policies),
    }
}

#[cold]
fn join<'j, 'a>(
    joined: &'j mut Joined<'a>,
    of_connection: &[ServiceContext<'a>],
    of_policies: &'a [Option<ShortContext>],
) -> &'j [ServiceContext<'a>] {
    let nothing: &[u8] = &[];
    let room = joined.insert(std::array::from_fn(|_| ServiceContext::new(ServiceId(0), nothing)));
    let of_policies = of_policies.iter().flatten().map(ShortContext::as_context);
    let mut count = 0;
    for (place, context) in room.iter_mut().zip(of_connection.iter().cloned().chain(of_policies)) {
        *place = context;
        count += 1;
    }
    room.get(..count).unwrap_or_default()
}
