//! The HTML page of the results of `zorb bench`, from the JSON of any experiment.
//!
//! A crate of its own, because nothing in it is measured: `zorb-bench` is optimized fully, which takes five times as long.
#![forbid(unsafe_code)]

mod page;
mod results;

pub use page::page;
pub use results::{Cell, Folder, Measured, Run};
