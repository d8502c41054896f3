//! A client's policies in the service context `INVOCATION_POLICIES` of its requests.
//!
//! ```text
//! +------------+---------+------------------------+
//! | byte order | padding | sequence<PolicyValue>: |
//! +------------+---------+------------------------+------------------------------+
//! | ulong policy type: 64 (CompressionEnabling) or 65 (CompressorIdLevelList)     |
//! | sequence<octet>, an encapsulation of the policy                               |
//! +-------------------------------------------------------------------------------+
//! ```

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter};
use zorb_core::policy::{Policy, TypedPolicy};
use zorb_giop::{ComponentBody, Policies, PolicyValue};

use crate::policy::{CompressionEnabling, CompressorIdLevelList};

/// The context of a request whose reply may be compressed by one of `compressors`, with the policies in `other`, a context
/// of the same kind.
pub(crate) fn encode(
    compressors: &CompressorIdLevelList,
    other: Option<&[u8]>,
) -> CdrResult<Vec<u8>> {
    let order = ByteOrder::NATIVE;
    let mut policies = match other {
        Some(data) => Policies::read(&mut CdrReader::for_encapsulation(data)?)?,
        None => Policies::default(),
    };
    policies.0.push(Policy::new(CompressionEnabling(true)).to_wire(order)?);
    policies.0.push(Policy::new(compressors.clone()).to_wire(order)?);
    CdrWriter::encapsulation(order, |writer| policies.write(writer))
}

/// The compressors by which replies may be compressed, none if they must not; `None` if the context does not say that.
pub(crate) fn decode(data: &[u8]) -> CdrResult<Option<CompressorIdLevelList>> {
    let policies = Policies::read(&mut CdrReader::for_encapsulation(data)?)?.0;
    match value(&policies)? {
        Some(CompressionEnabling(true)) => Ok(Some(value(&policies)?.unwrap_or_default())),
        Some(CompressionEnabling(false)) => Ok(Some(CompressorIdLevelList(Vec::new()))),
        None => Ok(None),
    }
}

fn value<P: TypedPolicy>(policies: &[PolicyValue]) -> CdrResult<Option<P>> {
    let found = policies.iter().find(|policy| policy.policy_type == P::POLICY_TYPE.0);
    let read = |known: &PolicyValue| P::read(&mut CdrReader::for_encapsulation(&known.value)?);
    found.map(read).transpose()
}
