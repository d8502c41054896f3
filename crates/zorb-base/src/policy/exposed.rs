//! Policies in references: the component `TAG_POLICIES` (CORBA 3.3 part 2, 7.6.6.3).

use zorb_cdr::{ByteOrder, CdrReader, CdrResult};
use zorb_giop::{PolicyValue, TaggedComponent};

use super::{Policies, TypedPolicy};

/// The component with those of `policies` that clients must know; `None` if there are none.
///
/// # Errors
/// A policy has no encoding.
pub fn component(policies: &Policies) -> CdrResult<Option<TaggedComponent>> {
    let order = ByteOrder::NATIVE;
    let exposed = policies.iter().filter(|policy| policy.is_exposed());
    let values = exposed.map(|policy| policy.to_wire(order)).collect::<CdrResult<Vec<_>>>()?;
    if values.is_empty() {
        return Ok(None);
    }
    TaggedComponent::with_body(&zorb_giop::Policies(values), order).map(Some)
}

/// The policy of type `P` among those of a reference.
///
/// # Errors
/// The policy is malformed.
pub fn exposed_by<P: TypedPolicy>(values: &[PolicyValue]) -> CdrResult<Option<P>> {
    let Some(known) = values.iter().find(|value| value.policy_type == P::POLICY_TYPE.0) else {
        return Ok(None);
    };
    P::read(&mut CdrReader::for_encapsulation(&known.value)?).map(Some)
}
