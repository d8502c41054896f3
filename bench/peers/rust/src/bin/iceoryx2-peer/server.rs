//! The server.

use std::hint::spin_loop;
use std::sync::atomic::Ordering;

use rust_peers::Refusal;

use crate::Sums;

/// Serves until standard input closes.
pub(crate) fn serve(path: &str, sums: &Sums) -> Result<(), Refusal> {
    let server = sums.server_builder().create()?;
    let closed = rust_peers::serves_until_closed(path)?;
    while !closed.load(Ordering::Relaxed) {
        match server.receive()? {
            Some(request) => request.send_copy(request.iter().map(|one| i64::from(one.l)).sum())?,
            None => spin_loop(),
        }
    }
    Ok(())
}
