//! Two threads that do what client and server do, with sockets and no ORB between them: what the
//! machine makes of priorities by itself.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::thread::JoinHandle;

use super::bed::{Host, number};
use super::work;
use crate::error::{Error, Result};

/// Octets of a message.
const MESSAGE: usize = 64;

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// A thread of a priority on a server's processor, which answers messages after some work.
pub(super) struct Bare {
    /// `None` when it is over.
    stream: Mutex<Option<Box<dyn Stream>>>,
    thread: Option<JoinHandle<()>>,
}

impl Bare {
    /// One beside a server, over the kind of socket that its transport has; shared memory has none,
    /// and Unix-domain sockets are nearest to it.
    pub(super) fn beside(
        server: &Host,
        transport: &str,
        priority: i16,
        micros: u32,
    ) -> Result<Self> {
        let (near, far) = match transport {
            "iiop" => tcp()?,
            _ => unix()?,
        };
        let (place, current) = (server.place(), server.rt.current());
        let level = number(priority)?;
        let serve = move || {
            // Without the right to it, it serves as it can.
            let _ = place.enter();
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
        let mut message = [7; MESSAGE];
        stream.write_all(&message)?;
        stream.read_exact(&mut message)?;
        Ok(())
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // The other end sees it closed.
        if let Ok(mut stream) = self.stream.lock() {
            *stream = None;
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: Box<dyn Stream>, micros: u32) {
    let mut message = [0; MESSAGE];
    while stream.read_exact(&mut message).is_ok() {
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

fn tcp() -> Result<Ends> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    let (far, _) = listener.accept()?;
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    Ok((Box::new(near), Box::new(far)))
}

fn ended() -> Error {
    Error::new("the bare threads have ended")
}
