//! The operations of values.

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use zorb_types::{CompletionStatus, MinorCode, SystemException, minor};

use super::erased::AnyValue;
use super::{Value, ValueKind};

/// A valuetype or abstract interface with operations. Generated code implements it.
pub trait WithOperations: 'static {
    /// The trait of its operations, `dyn EntryOperations`.
    type Operations: ?Sized + 'static;

    /// The operations of a reference to an object of the abstract interface; `None` for a valuetype.
    fn of_object(&self) -> Option<&Self::Operations> {
        None
    }
}

/// The operations of a value by the valuetype or abstract interface `K`: the implementation for its type or
/// for the nearest base. It keeps the value alive.
pub struct ValueOperations<K: ?Sized> {
    node: Arc<dyn AnyValue>,
    kind: PhantomData<fn() -> Box<K>>,
}

impl<K: ValueKind + ?Sized> Value<K> {
    /// The operations of the value by `K`: `value.operations()?.area()?`.
    ///
    /// # Errors
    /// As [`operations_of`](Self::operations_of).
    pub fn operations(&self) -> Result<ValueOperations<K>, SystemException>
    where
        K: WithOperations,
    {
        self.operations_of()
    }

    /// The operations of the value by another valuetype that it inherits from, or by an abstract interface
    /// that it supports.
    ///
    /// # Errors
    /// `NO_IMPLEMENT` if it neither inherits from nor supports `T`, or if the program implements the
    /// operations neither for its type nor for a base; `OBJECT_NOT_EXIST` if it has been dropped.
    pub fn operations_of<T: WithOperations + ?Sized>(
        &self,
    ) -> Result<ValueOperations<T>, SystemException> {
        let Some(node) = self.node() else {
            return Err(SystemException::object_not_exist(MinorCode::NONE, CompletionStatus::No));
        };
        let missing = minor::no_implement::NO_VALUE_IMPLEMENTATION;
        match ValueOperations::<T>::find(&node) {
            Some(_) => Ok(ValueOperations { node, kind: PhantomData }),
            None => Err(SystemException::no_implement(missing, CompletionStatus::No)),
        }
    }
}

impl<K: WithOperations + ?Sized> ValueOperations<K> {
    fn find(node: &Arc<dyn AnyValue>) -> Option<&K::Operations> {
        node.operations(TypeId::of::<K>())?.to()
    }
}

impl<K: WithOperations + ?Sized> Deref for ValueOperations<K> {
    type Target = K::Operations;

    fn deref(&self) -> &K::Operations {
        match Self::find(&self.node) {
            Some(operations) => operations,
            // It is created for a value with these operations, which never change.
            None => std::process::abort(),
        }
    }
}

impl<K: ?Sized> fmt::Debug for ValueOperations<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.node.ids().first().copied().unwrap_or_default();
        write!(f, "ValueOperations({id})")
    }
}
