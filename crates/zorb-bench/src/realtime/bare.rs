//! Two threads that exchange messages over a socket or two rings without an ORB: the reference for the effect
//! of priorities on this machine.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::thread::JoinHandle;

use socket2::SockRef;

use super::bed::{Host, number};
use super::work;
use crate::error::{Error, Result};
use crate::peer::BareRings;

/// Octets of a message.
const MESSAGE: usize = 64;
/// The first octet of a message, and of the last one: rings have no end of stream.
const GOES_ON: u8 = 7;
const IS_OVER: u8 = 0;
/// Expedited forwarding, as the type of service in IP headers and as the priority of a socket.
const EXPEDITED: (u32, u32) = (0xb8, 6);

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// A thread on a server's processor with a priority, which answers messages after some work.
pub(super) struct Bare {
    /// `None` after the end.
    stream: Mutex<Option<Box<dyn Stream>>>,
    thread: Option<JoinHandle<()>>,
}

impl Bare {
    /// A thread on the server's processor, connected like its transport: by a socket of the same kind, or two rings in
    /// shared memory.
    pub(super) fn beside(
        server: &Host,
        transport: &str,
        priority: i16,
        micros: u32,
    ) -> Result<Self> {
        let ends = match transport {
            "iiop" => tcp("127.0.0.1", server, None)?,
            "shmiop" => rings()?,
            _ => unix()?,
        };
        Self::between(ends, server, priority, micros)
    }

    /// A thread across the network of a server, with expedited forwarding or without.
    pub(super) fn across(
        server: &Host,
        address: &str,
        classes: bool,
        priority: i16,
        micros: u32,
    ) -> Result<Self> {
        let ends = tcp(address, server, classes.then_some(EXPEDITED))?;
        Self::between(ends, server, priority, micros)
    }

    fn between((near, far): Ends, server: &Host, priority: i16, micros: u32) -> Result<Self> {
        let (placement, current) = (server.placement(), server.rt.current());
        let level = number(priority)?;
        let serve = move || {
            // Without permission, it runs at the default priority.
            let _ = placement.enter();
            let _ = current.set_priority(level);
            answer(far, micros);
        };
        let thread = std::thread::Builder::new().name("bare".to_owned()).spawn(serve)?;
        Ok(Self { stream: Mutex::new(Some(near)), thread: Some(thread) })
    }

    /// Sends a message, and waits for the answer.
    pub(super) fn exchange(&self) -> Result<()> {
        let mut stream = self.stream.lock().map_err(|_| ended())?;
        let stream = stream.as_mut().ok_or_else(ended)?;
        let mut message = [GOES_ON; MESSAGE];
        stream.write_all(&message)?;
        stream.read_exact(&mut message)?;
        Ok(())
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        if let Ok(mut stream) = self.stream.lock()
            && let Some(mut stream) = stream.take()
        {
            // The thread may have ended before.
            let _ = stream.write_all(&[IS_OVER; MESSAGE]);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: Box<dyn Stream>, micros: u32) {
    let mut message = [0; MESSAGE];
    while stream.read_exact(&mut message).is_ok() && message.first() == Some(&GOES_ON) {
        work::busy(micros);
        if stream.write_all(&message).is_err() {
            return;
        }
    }
}

type Ends = (Box<dyn Stream>, Box<dyn Stream>);

fn unix() -> Result<Ends> {
    let (near, far) = UnixStream::pair()?;
    Ok((Box::new(near), Box::new(far)))
}

fn rings() -> Result<Ends> {
    let (near, far) = BareRings::pair()?;
    Ok((Box::new(near), Box::new(far)))
}

/// A TCP connection to the server's network namespace, with this network class.
fn tcp(address: &str, server: &Host, class: Option<(u32, u32)>) -> Result<Ends> {
    let address = address.parse().map_err(|_| Error::new("no address"))?;
    let listener =
        server.placement().run(|| Ok(TcpListener::bind(SocketAddr::new(address, 0))?))?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    let (far, _) = listener.accept()?;
    for stream in [&near, &far] {
        classified(stream, class)?;
    }
    Ok((Box::new(near), Box::new(far)))
}

fn classified(stream: &TcpStream, class: Option<(u32, u32)>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    if let Some((in_headers, in_queues)) = class {
        let socket = SockRef::from(stream);
        socket.set_tos_v4(in_headers)?;
        socket.set_priority(in_queues)?;
    }
    Ok(())
}

fn ended() -> Error {
    Error::new("the bare threads have ended")
}
