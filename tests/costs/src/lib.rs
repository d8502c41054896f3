//! The calls whose costs are counted: an interface, its servant, and its operations by name.
//!
//! The program `zorb-costs-principles` measures the patterns of `docs/src/performance.md`.
//!
//! `tests/allocations.rs` counts inside its own process; `tests/costs` runs the programs
//! `zorb-costs-subject` and `zorb-costs-lanes` under strace and valgrind.
#![forbid(unsafe_code)]

pub mod callgrind;
mod in_flight;
pub mod operation;
pub mod principles;
mod servant;

/// The code generated from `idl/costs.idl`.
mod idl {
    #![allow(unreachable_pub, reason = "generated for crates that export it")]

    zorb::include_idl!("costs");
}

pub use idl::costs::{
    BinStruct, Counted, CountedServant, Lender, LenderServant, Part, Point, Track, counted,
};
pub use servant::{Servant, mark_phase};

use std::sync::Arc;

use zorb::giop::ProfileTag;
use zorb::protocols::UiopProtocol;
use zorb::transport::{Composed, Protocol};

/// Short messages over Unix-domain sockets, composed here because the measured programs are built without
/// them.
#[must_use]
pub fn short_uiop() -> Arc<dyn Protocol> {
    let tag = ProfileTag::ZORB_SHORT_UIOP;
    Arc::new(Composed::new(&zorb_short::Short, UiopProtocol::new(), tag))
}
