//! Dropping long chains of values without recursion.

use std::any::Any;
use std::cell::{Cell, RefCell};

/// How deep drops of states nest before further ones are queued.
const MAX_NESTED: u32 = 64;

thread_local! {
    static NESTED: Cell<u32> = const { Cell::new(0) };
    static QUEUE: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Drops the state of a value. A state may contain the last handle to another value, and so on: the length of
/// the chain must not determine the depth of the stack.
pub(super) fn drop_flat<T: 'static>(state: T) {
    // The variables of a thread that ends may have been dropped.
    let Ok(depth) = NESTED.try_with(Cell::get) else { return drop(state) };
    if depth >= MAX_NESTED {
        let mut state = Some(Box::new(state) as Box<dyn Any>);
        let _ = QUEUE.try_with(|queue| queue.borrow_mut().extend(state.take()));
        return;
    }
    let _nested = Nested::enter(depth);
    drop(state);
    if depth == 0 {
        while let Some(next) = QUEUE.try_with(|queue| queue.borrow_mut().pop()).ok().flatten() {
            drop(next);
        }
    }
}

/// Counts a level until it is dropped.
struct Nested(u32);

impl Nested {
    fn enter(depth: u32) -> Self {
        let _ = NESTED.try_with(|nested| nested.set(depth + 1));
        Self(depth)
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        let _ = NESTED.try_with(|nested| nested.set(self.0));
    }
}
