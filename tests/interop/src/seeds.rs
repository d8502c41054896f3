//! The Rust of random IDL, which compiles: the names are those that compilers stumble over.

/// Seed 1.
pub mod seed1 {
    zorb::include_idl!("seed1");
}

/// Seed 2.
pub mod seed2 {
    zorb::include_idl!("seed2");
}

/// Seed 3.
pub mod seed3 {
    zorb::include_idl!("seed3");
}

/// Seed 4.
pub mod seed4 {
    zorb::include_idl!("seed4");
}
