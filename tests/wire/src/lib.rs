//! The code generated from the interfaces whose messages were captured.
//!
//! The tests in `tests/golden` hold the captured octets (`vectors/`) against this code.
#![forbid(unsafe_code)]

/// The test interface of the capture: `idl/vec.idl`.
pub mod capture {
    zorb::include_idl!("vec");
}

/// The standard's naming service: `idl/CosNaming.idl` of the project.
pub mod naming {
    zorb::include_idl!("CosNaming");
}
