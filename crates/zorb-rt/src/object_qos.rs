//! The requirements of calls to an object.

use zorb_core::ObjectRef;
use zorb_types::SystemException;

use crate::expansion::expand;
use crate::qos::Qos;

/// Requirements of calls to an object, with exceptions for some operations.
#[derive(Clone, Debug)]
pub struct ObjectQos {
    object: Qos,
    operations: Vec<(String, Qos)>,
}

impl ObjectQos {
    /// The same requirements for all operations.
    #[must_use]
    pub const fn new(object: Qos) -> Self {
        Self { object, operations: Vec::new() }
    }

    /// Sets the requirements of one operation.
    #[must_use]
    pub fn operation(mut self, name: impl Into<String>, qos: Qos) -> Self {
        self.operations.push((name.into(), qos));
        self
    }

    /// The requirements of an operation.
    #[must_use]
    pub fn of(&self, operation: &str) -> &Qos {
        let own = self.operations.iter().rev().find(|(name, _)| name == operation);
        own.map_or(&self.object, |(_, qos)| qos)
    }

    /// A reference for calls of an operation. It selects its own endpoint and connection, so create it once. For a single
    /// call with other requirements, pass
    /// [`Expansion::policies`](crate::Expansion::policies) to `for_call`.
    ///
    /// # Errors
    /// `NO_PERMISSION` if a policy cannot be set.
    pub fn reference(
        &self,
        object: &ObjectRef,
        operation: &str,
    ) -> Result<ObjectRef, SystemException> {
        object.with_policies(&expand(self.of(operation)).policies())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QosClass;

    #[test]
    fn operations_have_their_own_requirements() {
        let bulk = Qos::new(QosClass::BulkData);
        let control = Qos::new(QosClass::LowLatencyTransaction);
        let asked = ObjectQos::new(bulk).operation("stop", control);
        assert_eq!((asked.of("stop"), asked.of("get")), (&control, &bulk));
    }
}
