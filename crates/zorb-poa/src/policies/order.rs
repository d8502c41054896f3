//! The order in which a program set the policies of an adapter.

use zorb_base::policy::PolicyType;

/// The types of the policies that a program set, in order. It identifies an invalid policy by its index, as the
/// standard's list of policies does, and does not distinguish otherwise equal policies.
#[derive(Clone, Debug, Default)]
pub(super) struct Order(Vec<PolicyType>);

impl Order {
    /// Adds a policy; one that was set before keeps its position.
    pub(super) fn add(&mut self, policy: PolicyType) {
        if !self.0.contains(&policy) {
            self.0.push(policy);
        }
    }

    /// The index of the policy that was set last among `types`; `None` if the program set none of them.
    pub(super) fn last_of(&self, types: &[PolicyType]) -> Option<u16> {
        let index = self.0.iter().rposition(|policy| types.contains(policy))?;
        u16::try_from(index).ok()
    }
}

impl PartialEq for Order {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
