//! The policies that apply to a call: those of its reference, its thread and its ORB.

use std::sync::Arc;

use zorb_base::interceptor::end_of_nested_calls;
use zorb_base::policy::{EffectivePolicies, TypedPolicy};
use zorb_types::SystemException;

use super::connection_policies::ConnectionPolicies;
use super::core::ClientCore;
use super::level_policies::{CallParameters, ClientPolicies, in_use};
use super::thread_policies::policies_of_thread;
use crate::object::ObjectRef;

/// The parameters of a call of `object` if no policies can apply to it.
#[inline]
pub(crate) fn plain_parameters(object: &ObjectRef) -> Option<&CallParameters> {
    (object.overrides().is_none() && !in_use()).then(|| object.core().plain_parameters())
}

/// The parameters of a call of `object`.
///
/// # Errors
/// `TIMEOUT`, completed NO, if an end time has passed.
#[cold]
pub(crate) fn parameters(object: &ObjectRef) -> Result<CallParameters, SystemException> {
    let mut given = object.overrides().map(|policies| policies.parameters).unwrap_or_default();
    let mut selects_connections = false;
    let mut inherited = None;
    if in_use() {
        let core = object.core();
        let of_orb = core.policies().load();
        selects_connections = of_orb.connections.is_some();
        if let Some(of_thread) = policies_of_thread(core) {
            given = given.or(of_thread.parameters);
            selects_connections |= of_thread.connections.is_some();
        }
        given = given.or(of_orb.parameters);
        inherited = end_of_nested_calls();
    }
    let parameters = given.or_options(object.core().options());
    let is_redirected = parameters.is_redirected || selects_connections;
    let reply_end = given.reply_end.into_iter().chain(inherited).min();
    CallParameters { is_redirected, ..parameters }.until(given.request_end, reply_end)
}

/// Calls `use_policies` with the policies that apply to calls of `object` by the calling thread.
pub(crate) fn with_policies<T>(
    object: &ObjectRef,
    use_policies: impl FnOnce(EffectivePolicies<'_>) -> T,
) -> T {
    let core = object.core();
    let overrides = object.overrides();
    let (of_call, of_object) = (overrides.map(|it| &it.call), overrides.map(|it| &it.object));
    if !in_use() {
        return use_policies(EffectivePolicies::new([of_call, of_object, None, None]));
    }
    let (of_thread, of_orb) = (policies_of_thread(core), core.policies().load());
    use_policies(EffectivePolicies::new([
        of_call,
        of_object,
        of_thread.as_ref().map(|known| &known.policies),
        Some(&of_orb.policies),
    ]))
}

/// The policies of type `P` of the calling thread and of the ORB.
pub fn policy_of_thread_and_orb<P: TypedPolicy>(core: &Arc<ClientCore>) -> (Option<P>, Option<P>) {
    let of_thread = policies_of_thread(core).and_then(|known| known.policies.value().cloned());
    (of_thread, core.policies().load().policies.value().cloned())
}

/// The policy of type `P` that applies to calls of `object` by the calling thread, without defaults.
pub fn policy_of<P: TypedPolicy>(object: &ObjectRef) -> Option<P> {
    with_policies(object, |policies| policies.value().cloned())
}

/// The policies about connections of all levels for calls of `object` by the calling thread.
pub(crate) fn connection_policies(object: &ObjectRef) -> ConnectionPolicies {
    let core = object.core();
    let copy = |policies: &ClientPolicies| policies.connections.as_deref().cloned();
    let own = object.overrides().and_then(|overrides| overrides.connections().cloned());
    let of_thread = policies_of_thread(core);
    let of_thread = of_thread.and_then(|policies| copy(&policies));
    let of_orb = copy(&core.policies().load());
    let [own, of_thread, of_orb] =
        [own.map(Arc::unwrap_or_clone), of_thread, of_orb].map(Option::unwrap_or_default);
    own.or(&of_thread).or(&of_orb)
}
