//! Waiting while a large buffer is empty: only briefly, so that it can be freed.

use std::io;
use std::time::Duration;

use zorb_transport::{BusyWait, Stream};

/// How long an empty large buffer is retained.
const LINGER: Duration = Duration::from_secs(1);

/// Receives octets into a large buffer. Returns `None` if none arrive soon; the buffer is then to be freed.
/// Afterwards the receive timeout is `limit` again.
pub(crate) fn receive(
    from: &dyn Stream,
    wait: &mut BusyWait,
    space: &mut [u8],
    limit: Option<Duration>,
) -> io::Result<Option<usize>> {
    let brief = Some(limit.map_or(LINGER, |limit| limit.min(LINGER)));
    from.set_recv_timeout(brief)?;
    let received = wait.recv(from, space, brief);
    from.set_recv_timeout(limit)?;
    match received {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Ok(None),
        received => received.map(Some),
    }
}
