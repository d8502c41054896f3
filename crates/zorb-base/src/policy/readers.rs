//! The policies that an ORB reads from references.

use std::fmt;
use std::sync::Arc;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult};
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
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn read(&self, values: &[PolicyValue]) -> CdrResult<Policies> {
        let mut policies = Policies::new();
        for value in values {
            let Some((_, read)) = self.0.iter().find(|(known, _)| known.0 == value.policy_type)
            else {
                continue;
            };
            let read =
                CdrReader::for_encapsulation(&value.value).and_then(|mut reader| read(&mut reader));
            match read {
                Ok(policy) => policies.put(policy),
                Err(error) if error.kind == CdrErrorKind::OutOfMemory => return Err(error),
                Err(error) => tracing::debug!(%error, "a policy in a reference is ignored"),
            }
        }
        Ok(policies)
    }
}

impl fmt::Debug for PolicyReaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(known, _)| known)).finish()
    }
}
