//! The bare server, with a thread per connection.

use std::io::{self, Write};
use std::thread::Builder;
use std::time::Duration;

use super::body;
use super::message::{HEADER, Header, Inbox, SYNC};
use super::socket::{Listener, Stream};
use crate::error::Result;
use crate::operation::{Action, Operation};
use crate::peer::arguments::PeerArguments;
use crate::peer::client::Tally;
use crate::processor::process_cpu_ns;
use crate::transport::bare_transport;

/// Stack size of threads in octets: there may be thousands.
const STACK: usize = 128 << 10;

/// Serves until standard input closes.
pub(in crate::peer) fn serve(arguments: &PeerArguments) -> Result<u8> {
    let transport = bare_transport(&arguments.transport);
    if !matches!(transport, "iiop" | "uiop" | "shmiop") {
        return Ok(crate::peer::process::UNSUPPORTED);
    }
    let path = arguments.path.as_deref();
    let listener = Listener::bind(transport, path, arguments.socket_queue)?;
    let address = start(listener, arguments.busy_wait())?;
    crate::peer::process::serve_until_the_end(&address)?;
    if let Some(path) = path {
        std::fs::remove_file(path)?;
    }
    Ok(0)
}

/// Serves on new threads, which end with the process. Returns the address.
pub(super) fn start(listener: Listener, busy_wait: Duration) -> io::Result<String> {
    let address = listener.address()?;
    Builder::new().name("raw-accept".to_owned()).spawn(move || {
        while let Ok(stream) = listener.accept(busy_wait) {
            // If it fails, the client's connection closes.
            let serve = move || serve_connection(&stream);
            let _ = Builder::new().name("raw".to_owned()).stack_size(STACK).spawn(serve);
        }
    })?;
    Ok(address)
}

fn serve_connection(stream: &Stream) -> io::Result<()> {
    let mut inbox = Inbox::new();
    let mut tally = Tally::default();
    let mut out = stream;
    while let Some((header, message)) = inbox.next(stream)? {
        if header.operation == SYNC {
            out.write_all(&encode_tally(std::mem::take(&mut tally))?)?;
            continue;
        }
        let operation = Operation::ALL.get(usize::from(header.operation)).copied();
        let Some(operation) = operation else { return Err(io::ErrorKind::InvalidData.into()) };
        let (_, content) = message.split_at_mut(HEADER);
        match operation.action() {
            Action::Echo | Action::Local => {}
            Action::Cube => body::cube(content),
            Action::Sum => {
                let sum = body::sum(content);
                let header = Header {
                    operation: header.operation,
                    one_way: false,
                    echo: 0,
                    size: sum.len(),
                };
                out.write_all(&[&header.encode()?[..], &sum].concat())?;
                continue;
            }
            Action::Sink => {
                let (sum, elements) = body::tally(operation, content);
                tally.calls = tally.calls.wrapping_add(1);
                tally.elements += elements;
                tally.sum += sum;
            }
        }
        if !header.one_way {
            let echo = header.of_echo();
            if let Some(octets) = message.first_chunk_mut().filter(|_| header.echo > 0) {
                *octets = echo.encode()?;
            }
            out.write_all(message.get(..HEADER + echo.size).unwrap_or_default())?;
        }
    }
    Ok(())
}

fn encode_tally(tally: Tally) -> io::Result<Vec<u8>> {
    let numbers = [u64::from(tally.calls), tally.elements, tally.sum, process_cpu_ns()];
    let mut message =
        Header { operation: SYNC, one_way: false, echo: 0, size: 32 }.encode()?.to_vec();
    message.extend(numbers.iter().flat_map(|number| number.to_ne_bytes()));
    Ok(message)
}
