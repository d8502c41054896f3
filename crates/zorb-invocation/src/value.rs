//! Valuetypes: objects that are passed by value (CORBA 3.3 part 1, chapter 9).

mod abstracts;
mod drops;
mod erased;
mod graph;
mod kinds;
mod operated;
mod operations;
mod registry;
mod wire;

use std::any::TypeId;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use erased::AnyValue;
use graph::Node;

pub use abstracts::{Abstract, AbstractOperations, Handle, HandleArgument};
pub use erased::KnownValue;
pub use kinds::{CustomMarshal, Inherits, ValueBase, ValueKind, ValueType};
pub use operated::{Cast, Operated};
pub use operations::{ValueOperations, WithOperations};
pub use registry::ValueRegistry;

/// A handle to a value of the valuetype `K`, or of one derived from it. The IDL type `K` is
/// `Option<Value<K>>`, with `None` for null.
///
/// A clone refers to the same value: if both are sent in one message, the receiver gets one value. The
/// state of a value never changes.
///
/// # Cycles
/// Values may refer to themselves. A *weak* handle does not keep its value alive; [`get`](Self::get) returns
/// `None` once the value has been dropped. In received values, the handles to an enclosing value are weak and
/// all others are strong, so that a cycle is freed with the last handle to the value that was read first.
/// [`new_cyclic`](Self::new_cyclic) creates cycles.
pub struct Value<K: ?Sized> {
    link: Link,
    kind: PhantomData<fn() -> Box<K>>,
}

#[derive(Clone)]
enum Link {
    Strong(Arc<dyn AnyValue>),
    Weak(Weak<dyn AnyValue>),
}

impl<K: ValueType> Value<K> {
    /// Creates a value with this state.
    pub fn new(state: K) -> Self {
        Self::of(Link::Strong(Arc::new(Node::new(state))))
    }

    /// Creates a value whose state refers to the value itself, directly or not: `state` gets a weak handle
    /// to it.
    ///
    /// ```text
    /// let ring = Value::new_cyclic(|ring| ListNode { v: 1, next: Some(ring.clone()) });
    /// ```
    pub fn new_cyclic(state: impl FnOnce(&Self) -> K) -> Self {
        let node = Arc::new_cyclic(|node: &Weak<Node<K>>| {
            let node: Weak<dyn AnyValue> = node.clone();
            Node::new(state(&Self::of(Link::Weak(node))))
        });
        Self::of(Link::Strong(node))
    }

    /// The state; of a value of a derived type, the part that it inherits from `K`. `None` if the handle is
    /// weak and the value has been dropped or is not complete yet.
    pub fn get(&self) -> Option<State<K>> {
        let node = self.node()?;
        node.part(TypeId::of::<K>())?.downcast_ref::<K>()?;
        Some(State { node, kind: PhantomData })
    }
}

impl<K: ValueKind + ?Sized> Value<K> {
    fn of(link: Link) -> Self {
        Self { link, kind: PhantomData }
    }

    fn node(&self) -> Option<Arc<dyn AnyValue>> {
        match &self.link {
            Link::Strong(node) => Some(Arc::clone(node)),
            Link::Weak(node) => node.upgrade(),
        }
    }

    /// The repository id of its type, which may be derived from `K`; `None` if it has been dropped.
    pub fn repository_id(&self) -> Option<&'static str> {
        self.node()?.ids().first().copied()
    }

    /// A handle to the value by a base of its type.
    #[must_use]
    pub fn upcast<B: ValueKind + ?Sized>(&self) -> Value<B>
    where
        K: Inherits<B>,
    {
        Value::of(self.link.clone())
    }

    /// A handle to the value by the derived type `D`, if it is a `D`.
    #[must_use]
    pub fn downcast<D: ValueKind + ?Sized>(&self) -> Option<Value<D>> {
        self.node()?.inherits(TypeId::of::<D>()).then(|| Value::of(self.link.clone()))
    }

    /// A weak handle to the value.
    #[must_use]
    pub fn downgrade(&self) -> Self {
        Self::of(match &self.link {
            Link::Strong(node) => Link::Weak(Arc::downgrade(node)),
            weak => weak.clone(),
        })
    }

    /// A strong handle to the value; `None` if it has been dropped.
    #[must_use]
    pub fn upgrade(&self) -> Option<Self> {
        self.node().map(|node| Self::of(Link::Strong(node)))
    }

    fn address(&self) -> usize {
        match &self.link {
            Link::Strong(node) => Arc::as_ptr(node).addr(),
            Link::Weak(node) => node.as_ptr().addr(),
        }
    }
}

impl<K: ?Sized> Clone for Value<K> {
    fn clone(&self) -> Self {
        Self { link: self.link.clone(), kind: PhantomData }
    }
}

/// Whether both refer to the same value; equal values differ.
impl<K: ValueKind + ?Sized> PartialEq for Value<K> {
    fn eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }
}

impl<K: ValueKind + ?Sized> Eq for Value<K> {}

impl<K: ValueKind + ?Sized> Hash for Value<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}

/// Shows the type only, since there may be cycles.
impl<K: ValueKind + ?Sized> fmt::Debug for Value<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({})", self.repository_id().unwrap_or("dropped"))
    }
}

impl<K: ValueType> From<K> for Value<K> {
    fn from(state: K) -> Self {
        Self::new(state)
    }
}

/// The state of a value. It keeps the value alive.
pub struct State<K> {
    node: Arc<dyn AnyValue>,
    kind: PhantomData<fn() -> K>,
}

impl<K: ValueType> Deref for State<K> {
    type Target = K;

    fn deref(&self) -> &K {
        match self.node.part(TypeId::of::<K>()).and_then(|part| part.downcast_ref()) {
            Some(state) => state,
            // It is created for a value with this part, and the state never changes.
            None => std::process::abort(),
        }
    }
}

impl<K: ValueType> fmt::Debug for State<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
