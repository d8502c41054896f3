//! What the benchmark of naming services measures.

use std::path::PathBuf;

use crate::pin::Pin;

/// What is measured.
#[derive(Clone, Debug)]
pub struct NamingPlan {
    /// The program `zorb`, which serves names.
    pub program: PathBuf,
    /// The processors of the clients and of the service while both services are compared.
    pub pin: Pin,
    /// Shorter blocks and fewer rounds, too few for a claim.
    pub quick: bool,
}
