//! What operations need, and what follows from the calls between them.

pub(crate) mod expand;
pub(crate) mod info;
pub(crate) mod set;
#[cfg(test)]
mod tests;
