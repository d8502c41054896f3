//! The valuetypes that an ORB knows by their ids: value factories.
#![expect(clippy::disallowed_types, reason = "written when the program starts")]

use std::any::Any;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use zorb_cdr::ReadContext;
use zorb_types::{TypeCode, ValueTypes};

use super::erased::KnownValue;
use super::kinds::ValueType;

/// The registered valuetypes of an ORB. Code that reads values without an ORB uses one as the
/// [context](zorb_cdr::CdrReader::with_context) of its readers.
#[derive(Debug, Default)]
pub struct ValueRegistry {
    /// The types of the program, by their ids.
    known: RwLock<HashMap<&'static str, KnownValue>>,
    /// The types that are known by their TypeCodes.
    described: RwLock<ValueTypes>,
}

impl ValueRegistry {
    /// Registers the type `T`.
    pub fn register<T: ValueType>(&self) {
        let known = KnownValue::of::<T>();
        let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(known.id, known);
    }

    /// Removes the type `T`; `false` if it was not registered.
    pub fn unregister<T: ValueType>(&self) -> bool {
        let id = T::REPOSITORY_ID;
        self.known.write().unwrap_or_else(PoisonError::into_inner).remove(id).is_some()
    }

    /// Registers a type by its TypeCode alone, for values in anys. `false` if it is not a valuetype with
    /// state.
    pub fn describe(&self, type_code: &TypeCode) -> bool {
        self.described.write().unwrap_or_else(PoisonError::into_inner).add(type_code)
    }

    pub(super) fn find(&self, id: &str) -> Option<KnownValue> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(id).copied()
    }
}

impl ReadContext for ValueRegistry {
    fn value_type(&self, id: &str) -> Option<Box<dyn Any>> {
        if let Some(known) = self.find(id) {
            return Some(Box::new(TypeCode::from((known.type_desc)())));
        }
        let described = self.described.read().unwrap_or_else(PoisonError::into_inner);
        Some(Box::new(described.find(id)?.clone()))
    }
}
