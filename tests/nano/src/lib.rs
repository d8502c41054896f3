//! The stubs and skeletons of `idl/meter.idl` for both ORBs.

/// For the full ORB.
pub mod full {
    zorb::include_idl!("meter");
}

/// For the small ORB.
pub mod small {
    include!(concat!(env!("OUT_DIR"), "/small.rs"));
}
