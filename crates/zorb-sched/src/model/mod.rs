//! The properties of operations, and their expansion to tasks.

pub(crate) mod expand;
pub(crate) mod info;
pub(crate) mod set;
#[cfg(test)]
mod tests;
