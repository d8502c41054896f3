//! What the benchmark of naming services measures.

use std::path::PathBuf;

/// What is measured.
#[derive(Clone, Debug)]
pub struct NamingPlan {
    /// The program `zorb`, which serves names.
    pub program: PathBuf,
    /// Shorter blocks and fewer rounds, too few for a claim.
    pub quick: bool,
}
