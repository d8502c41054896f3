//! The tests of generated code, with code for the interpretive marshalling engine; and types compiled for both engines,
//! with `compare`, which compares them.
#![forbid(unsafe_code)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a difference is what a comparison looks for"
)]

extern crate zorb_core as zorb;

pub mod compare;
pub mod sample;
pub mod types;

macro_rules! generated {
    ($engine:literal: $($name:ident)*) => {$(
        /// Generated from the fixture of this name.
        pub mod $name {
            include!(concat!(env!("OUT_DIR"), "/", $engine, "/", stringify!($name), ".rs"));
        }
    )*};
}

/// Types that their own code marshals.
pub mod compiled {
    generated!("compiled": ami any bank bounded chunks deferred edges extended interfaces names reopened types unions);
}

/// The same types, marshalled by tables.
pub mod interpretive {
    generated!("interpretive": ami any bank bounded chunks deferred edges extended interfaces names reopened types unions);
}
