//! The priorities of objects that references declare before the objects are active.

use std::collections::HashMap;

use zorb_base::object_id::ObjectId;
use zorb_base::policy::{Policies, Priority, PriorityModel};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::ObjectAdapter;

/// The purpose of an object's [policies](ObjectAdapter::declared_policies).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyUse {
    /// Creating a reference to an object, which may be inactive.
    Reference,
    /// Activating an object.
    Activation,
}

/// The maximum number of objects of an adapter whose priority references declare before the objects are active.
const MAX_DECLARED: usize = 1 << 20;

impl ObjectAdapter {
    /// The policies that replace `given` as those of the object `id`, if an earlier reference declared its priority.
    /// The first reference with a priority declares it, as long as the adapter exists.
    ///
    /// # Errors
    /// `BAD_INV_ORDER`, minor `OTHER_PRIORITY`, if `given` contains another priority than an earlier reference;
    /// `NO_RESOURCES`, minor `OBJECTS`, if references have declared the priorities of 1,048,576 objects.
    pub fn declared_policies(
        &self,
        id: &ObjectId,
        given: &Policies,
        purpose: PolicyUse,
    ) -> Result<Option<Policies>, SystemException> {
        if self.policies.others.value::<PriorityModel>().is_none() {
            return Ok(None);
        }
        let wanted = given.value().map(PriorityModel::server_priority);
        let mut declared = self.declared_priorities.lock();
        match (declared.get(id).copied(), wanted) {
            (Some(declared), Some(wanted)) if declared != wanted => {
                let code = minor::bad_inv_order::OTHER_PRIORITY;
                Err(SystemException::bad_inv_order(code, CompletionStatus::No))
            }
            (Some(declared), None) => {
                Ok(Some(Policies::new().with(PriorityModel::server_declared(declared))))
            }
            (None, Some(wanted)) if purpose == PolicyUse::Reference => {
                declare(&mut declared, id, wanted, MAX_DECLARED)?;
                Ok(None)
            }
            _ => Ok(None),
        }
    }
}

/// Declares the priority of an object, unless the priorities of `most` objects are declared.
fn declare(
    declared: &mut HashMap<ObjectId, Priority>,
    id: &ObjectId,
    priority: Priority,
    most: usize,
) -> Result<(), SystemException> {
    if declared.len() >= most {
        let code = minor::no_resources::OBJECTS;
        return Err(SystemException::no_resources(code, CompletionStatus::No));
    }
    declared.insert(id.clone(), priority);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_declared_priorities_is_limited() {
        let mut declared = HashMap::new();
        let mut declare = |id: &str| {
            declare(&mut declared, &ObjectId::from(id), Priority::default(), 2).map_err(|e| e.minor)
        };
        assert_eq!((declare("a"), declare("b")), (Ok(()), Ok(())));
        assert_eq!(declare("c"), Err(minor::no_resources::OBJECTS));
    }
}
