//! The handshake with its time limit.

use std::io;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use rustls::Connection;
use zorb_transport::Stream;

use crate::credentials::Handshake;
use crate::inbox::Inbox;

/// After rejecting a client, how long a server waits for it to read the reason, and how many of the
/// client's octets the server discards during that time.
const LINGER: Duration = Duration::from_secs(1);
const MAX_LEFT_OVER: usize = 64 << 10;

/// Performs the handshake over `stream`, which no other thread uses.
///
/// # Errors
/// `TimedOut` after `limit`; `PermissionDenied` if one side rejects the other's certificate;
/// otherwise the error. The peer was sent an alert if there is one.
pub(crate) fn run_handshake(
    handshake: &mut Handshake,
    stream: &dyn Stream,
    inbox: &mut Inbox,
    limit: Duration,
) -> io::Result<()> {
    let Handshake { connection, rejected } = handshake;
    let deadline = Instant::now().checked_add(limit);
    let left = || match deadline.map(|at| at.saturating_duration_since(Instant::now())) {
        Some(left) if left.is_zero() => {
            let text = format!("the TLS handshake did not complete within {limit:?}");
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
                // The timeout is the deadline, for which `left` has an error.
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
            // An error of sending the alert does not matter.
            let _ = send_due(connection, &mut outgoing, stream, Some(LINGER));
            return Err(rejected.failed(error));
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

/// Closes a connection after a failed handshake. The client may already be sending its first
/// request; closing with unread data would discard the alert that the client has not read yet.
pub(crate) fn close_failed(stream: &dyn Stream, inbox: &mut Inbox) {
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
