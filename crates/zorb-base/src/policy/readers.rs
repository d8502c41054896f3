//! The policies that an ORB reads from references.

use std::fmt;
use std::sync::Arc;

use zorb_cdr::{CdrReader, CdrResult};
use zorb_giop::PolicyValue;

use super::{Policies, Policy, PolicyType, TypedPolicy};

/// Readers of the policies in references, by policy type. Other policies in references have no effect.
#[derive(Clone, Default)]
pub struct PolicyReaders(Vec<(PolicyType, Arc<Read>)>);

type Read = dyn Fn(&mut CdrReader<'_>) -> CdrResult<Policy> + Send + Sync;

impl PolicyReaders {
    pub fn add<P: TypedPolicy>(&mut self) {
        if !self.0.iter().any(|(known, _)| *known == P::POLICY_TYPE) {
            let read = |reader: &mut CdrReader<'_>| P::read(reader).map(Policy::new);
            self.0.push((P::POLICY_TYPE, Arc::new(read)));
        }
    }

    /// The policies among `values` that have a reader and are well-formed.
    pub fn read(&self, values: &[PolicyValue]) -> Policies {
        let policies = values.iter().filter_map(|value| {
            let (_, read) = self.0.iter().find(|(known, _)| known.0 == value.policy_type)?;
            let read =
                CdrReader::for_encapsulation(&value.value).and_then(|mut reader| read(&mut reader));
            match read {
                Ok(policy) => Some(policy),
                Err(error) => {
                    tracing::debug!(%error, "a policy in a reference is ignored");
                    None
                }
            }
        });
        let mut read = Policies::new();
        policies.for_each(|policy| read.put(policy));
        read
    }
}

impl fmt::Debug for PolicyReaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(known, _)| known)).finish()
    }
}
