//! The handshake, within a time limit.

use std::io;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use rustls::Connection;
use zorb_transport::Stream;

use crate::error::failed;
use crate::inbox::Inbox;

/// For how long a server that has refused a client waits for it to read why, and of how many octets
/// of its it takes note meanwhile.
const LINGER: Duration = Duration::from_secs(1);
const MAX_LEFT_OVER: usize = 64 << 10;

/// Goes through the handshake over `stream`, which has no other user meanwhile.
///
/// # Errors
/// `TimedOut` when it is not done within `limit`; `PermissionDenied` when one side does not take the
/// other's certificate; otherwise what was wrong. The peer has been told where there was something
/// to tell.
pub(crate) fn shake_hands(
    connection: &mut Connection,
    stream: &dyn Stream,
    inbox: &mut Inbox,
    limit: Duration,
) -> io::Result<()> {
    let deadline = Instant::now().checked_add(limit);
    let left = || match deadline.map(|at| at.saturating_duration_since(Instant::now())) {
        Some(left) if left.is_zero() => {
            let text = format!("the TLS handshake was not done within {limit:?}");
            Err(io::Error::new(io::ErrorKind::TimedOut, text))
        }
        left => Ok(left),
    };
    let mut outgoing = Vec::new();
    loop {
        send_due(connection, &mut outgoing, stream, left()?)?;
        if !connection.is_handshaking() {
            return Ok(());
        }
        if inbox.is_empty() {
            stream.set_recv_timeout(left()?)?;
            let count = match stream.recv(inbox.space()) {
                Ok(0) => {
                    let text = "the peer ended the connection during the TLS handshake";
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
                }
                // The time-out is the deadline, which `left` has the words for.
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    left()?;
                    return Err(error);
                }
                received => received?,
            };
            inbox.filled(count);
        }
        let taken = connection.read_tls(&mut inbox.unread())?;
        inbox.taken(taken);
        if let Err(error) = connection.process_new_packets() {
            // What it says to the peer is of no consequence here.
            let _ = send_due(connection, &mut outgoing, stream, Some(LINGER));
            return Err(failed(error));
        }
    }
}

fn send_due(
    connection: &mut Connection,
    outgoing: &mut Vec<u8>,
    stream: &dyn Stream,
    left: Option<Duration>,
) -> io::Result<()> {
    while connection.wants_write() {
        connection.write_tls(outgoing)?;
    }
    if !outgoing.is_empty() {
        stream.set_send_timeout(left)?;
        stream.send_all(outgoing)?;
        outgoing.clear();
    }
    Ok(())
}

/// Ends a connection whose handshake has failed here. The client may be sending its first request
/// already; were the connection closed over that, the system would take back what the client has not
/// read yet of the reason.
pub(crate) fn part(stream: &dyn Stream, inbox: &mut Inbox) {
    let deadline = Instant::now() + LINGER;
    let mut octets = 0;
    if stream.shutdown(Shutdown::Write).is_ok() {
        while octets < MAX_LEFT_OVER {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || stream.set_recv_timeout(Some(left)).is_err() {
                break;
            }
            match stream.recv(inbox.space()) {
                Ok(count @ 1..) => octets += count,
                _ => break,
            }
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}
