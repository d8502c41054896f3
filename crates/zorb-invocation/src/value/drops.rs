//! Dropping values that lead to one another, however many there are in a row.

use std::any::Any;
use std::cell::{Cell, RefCell};

/// How many states are dropped inside one another before the next ones wait.
const MAX_NESTED: u32 = 64;

thread_local! {
    static NESTED: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Drops the state of a value. A state may hold the last handle to another value and so on, for as
/// many values as a message or a program has put in a row: the stack is to stay short.
pub(super) fn drop_flat<T: 'static>(state: T) {
    // A thread that ends has no such places any more; then values are dropped as anything else.
    let Ok(depth) = NESTED.try_with(Cell::get) else { return drop(state) };
    if depth >= MAX_NESTED {
        let mut state = Some(Box::new(state) as Box<dyn Any>);
        let _ = WAITING.try_with(|waiting| waiting.borrow_mut().extend(state.take()));
        return;
    }
    let _nested = Nested::enter(depth);
    drop(state);
    if depth == 0 {
        while let Some(next) = WAITING.try_with(|waiting| waiting.borrow_mut().pop()).ok().flatten()
        {
            drop(next);
        }
    }
}

/// Counts one level, also while a panic unwinds.
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
