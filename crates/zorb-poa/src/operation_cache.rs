//! The operation of a thread's last request.

use std::cell::Cell;

use zorb_base::threads::record_operation;

/// The operation of a thread's last request: the table of its interface, and its position in the table. Most requests
/// are for the same operation as the last one, which saves 3 % of their instructions.
#[derive(Debug, Default)]
pub struct OperationCache(Cell<(usize, usize)>);

impl OperationCache {
    /// The position of the last operation, if it is in this table.
    #[inline]
    pub(crate) fn position_in(&self, table: usize) -> Option<usize> {
        let (known, position) = self.0.get();
        (known == table).then_some(position)
    }

    /// Sets the last operation, and records its name as what the thread serves.
    #[cold]
    pub(crate) fn set(&self, table: usize, position: usize, name: &[u8]) {
        record_operation(name);
        self.0.set((table, position));
    }

    /// Sets an operation of no table: that of a dynamic skeleton.
    pub(crate) fn set_dynamic(&self, name: &[u8]) {
        self.set(0, 0, name);
    }
}
