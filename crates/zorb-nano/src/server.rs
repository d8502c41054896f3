//! The server: one adapter, one thread.

mod dispatch;
mod objects;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::net::SocketAddr;
use core::time::Duration;

use zorb_types::{SystemExceptionKind, minor};

use self::dispatch::answer;
use self::objects::{Objects, UNKNOWN_OBJECT};
use crate::link::{Flushed, Link};
use crate::{Interest, Limits, Os, OsError, Reference, Servant, Socket, SystemException};

/// How long no connection is accepted after the operating system could not: the client that waits keeps the listener
/// ready.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves objects, in the thread that calls [`perform_work`](Self::perform_work).
///
/// A client that sends slowly, or does not read its replies, makes no other client wait: each connection has its buffers,
/// and no more of its requests are read until its last reply has been sent. A request that is not complete, or a reply
/// that has not been taken, [`timeout`](Limits::timeout) after its first octet ends its connection.
#[derive(Debug)]
pub struct Server<'s, O> {
    os: O,
    limits: Limits,
    /// `None` once the server is closed.
    listener: Option<Socket>,
    /// When connections may be accepted again.
    accepts_from: Duration,
    address: SocketAddr,
    links: Vec<Link>,
    interests: Vec<Interest>,
    objects: Objects<'s>,
}

impl<'s, O: Os> Server<'s, O> {
    /// A server that listens at an address; port 0 lets the system choose one. The operating system needs a socket for
    /// each connection and two more: one for the listener, and one for a connection that is to replace an idle one. All
    /// buffers are allocated here.
    ///
    /// # Errors
    /// `INITIALIZE`, minor `ENDPOINT`: the system does not let it listen there.
    pub fn new(mut os: O, address: SocketAddr, limits: Limits) -> Result<Self, SystemException> {
        let limits = limits.normalized();
        let minor = minor::initialize::ENDPOINT;
        let closed = |_| SystemException::before(SystemExceptionKind::Initialize, minor);
        let listener = os.listen(address).map_err(closed)?;
        let address = os.address(listener).map_err(closed)?;
        let links = (0..limits.max_connections).map(|_| Link::new(&limits)).collect();
        let interests = Vec::with_capacity(limits.max_connections + 1);
        let objects = Objects::new(limits.max_objects);
        let (listener, accepts_from) = (Some(listener), Duration::ZERO);
        Ok(Self { os, limits, listener, accepts_from, address, links, interests, objects })
    }

    /// Registers an object, for the life of the server. To be called at start: it allocates.
    ///
    /// # Errors
    /// `BAD_PARAM`: the key is empty or that of another object; `IMP_LIMIT`: it has more than
    /// [`MAX_KEY`](crate::MAX_KEY) octets; `NO_RESOURCES`: the server has as many objects as it may.
    pub fn register(
        &mut self,
        key: &[u8],
        servant: Box<dyn Servant + 's>,
    ) -> Result<(), SystemException> {
        self.objects.add(key, servant)
    }

    /// The reference of an object, at the address that the server listens at.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST`: no object has this key.
    pub fn reference(&mut self, key: &[u8]) -> Result<Reference, SystemException> {
        match self.objects.find(key) {
            Some(_) => Reference::new(self.address, key),
            None => Err(UNKNOWN_OBJECT),
        }
    }

    /// The address that the server listens at.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until there is work or the timeout has passed, and does it: accepts connections, serves the requests that
    /// have arrived, continues to send replies, and closes connections whose client takes too long (`perform_work`).
    /// Returns at once if the server is closed.
    ///
    /// # Errors
    /// The operating system cannot wait. What happens on a connection is no error.
    pub fn perform_work(&mut self, timeout: Option<Duration>) -> Result<(), OsError> {
        if self.listener.is_none() {
            return Ok(());
        }
        let now = self.os.now();
        let pause = Some(self.accepts_from).filter(|from| *from > now);
        let until = self.next_expiry().into_iter().chain(pause).min();
        let until = until.map(|until| until.saturating_sub(now));
        let timeout = timeout.into_iter().chain(until).min();
        self.collect_interests(now);
        self.os.poll(&mut self.interests, timeout)?;
        let now = self.os.now();
        for index in 0..self.interests.len() {
            let Some(interest) = self.interests.get(index).filter(|it| it.is_ready) else {
                continue;
            };
            let socket = interest.socket;
            if Some(socket) == self.listener {
                self.accept(socket, now);
            } else if let Some(link) =
                self.links.iter_mut().find(|link| link.socket() == Some(socket))
                && serve(link, &mut self.os, &mut self.objects, &self.limits, now).is_err()
            {
                link.close(&mut self.os);
            }
        }
        self.expire(now);
        Ok(())
    }

    /// Announces the end to all clients, and closes all connections and the listener. Later calls of
    /// [`perform_work`](Self::perform_work) do nothing.
    pub fn close(&mut self) {
        for link in &mut self.links {
            link.say_goodbye(&mut self.os);
        }
        if let Some(listener) = self.listener.take() {
            self.os.close(listener);
        }
    }

    /// The operating system.
    pub fn os(&mut self) -> &mut O {
        &mut self.os
    }

    fn collect_interests(&mut self, now: Duration) {
        self.interests.clear();
        let open = self.links.iter().filter_map(|link| {
            let (socket, write) = (link.socket()?, link.has_output());
            Some(Interest { socket, read: !write, write, is_ready: false })
        });
        self.interests.extend(open);
        // Last, so that no client whose request has arrived counts as idle when another one is accepted.
        let has_place = self.links.iter().any(|link| link.socket().is_none() || !link.is_busy());
        if let Some(socket) = self.listener
            && has_place
            && self.accepts_from <= now
        {
            self.interests.push(Interest { socket, read: true, write: false, is_ready: false });
        }
    }

    /// When the first of the clients that owe something takes too long.
    fn next_expiry(&self) -> Option<Duration> {
        let busy = self.links.iter().filter(|link| link.socket().is_some() && link.is_busy());
        busy.map(|link| link.active().saturating_add(self.limits.timeout)).min()
    }

    fn expire(&mut self, now: Duration) {
        for link in &mut self.links {
            if link.is_busy() && link.active().saturating_add(self.limits.timeout) <= now {
                link.close(&mut self.os);
            }
        }
    }

    /// Accepts one connection, in a free place or in that of the client that has been idle for the longest time.
    fn accept(&mut self, listener: Socket, now: Duration) {
        let place = self
            .links
            .iter_mut()
            .filter(|link| link.socket().is_none() || !link.is_busy())
            .min_by_key(|link| (link.socket().is_some(), link.active()));
        let Some(link) = place else { return };
        match self.os.accept(listener) {
            Ok(socket) => {
                link.say_goodbye(&mut self.os);
                link.open(socket, None, now);
            }
            Err(OsError::WouldBlock) => {}
            Err(_) => self.accepts_from = now.saturating_add(ACCEPT_PAUSE),
        }
    }
}

/// Continues to send a reply, then serves the requests that have been received, until a reply blocks.
///
/// # Errors
/// The connection has ended.
fn serve(
    link: &mut Link,
    os: &mut impl Os,
    objects: &mut Objects<'_>,
    limits: &Limits,
    now: Duration,
) -> Result<(), OsError> {
    let mut may_receive = !link.has_output();
    loop {
        if link.flush(os)? == Flushed::Blocked {
            return Ok(());
        }
        if link.is_ending {
            return Err(OsError::NoSocket);
        }
        if answer(link, objects, limits, now)? {
            continue;
        }
        // Once in each call of `perform_work`, so that a client that never stops sending makes nobody wait.
        if !core::mem::take(&mut may_receive) || !link.receive(os, now)? {
            return Ok(());
        }
    }
}
