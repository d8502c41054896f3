//! The server: one adapter, one thread.

mod dispatch;
mod lane;
mod objects;
mod steady;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use zorb_types::{SystemExceptionKind, minor};

use self::dispatch::{answer, take_datagram};
use self::lane::Lane;
use self::objects::{Objects, Own, UNKNOWN_OBJECT};
use self::steady::{PAUSE, Pauses, only_link};
use crate::link::{Flushed, Link};
use crate::time::Moment;
use crate::{
    Address, Endpoint, Interest, Limits, MAX_POLLED, Os, OsError, Reference, Servant,
    SystemException, room,
};

/// Serves objects, in the thread that calls [`perform_work`](Self::perform_work).
///
/// A client that sends slowly, or does not read its replies, delays no other client: each connection has its buffers,
/// and no more of its requests are read until its last reply has been sent. If a request is not complete, or a reply
/// has not been taken, [`timeout`](Limits::timeout) after its first octet, its connection is closed.
///
/// **Lanes.** Endpoints for [priorities](Endpoint::priority) are lanes, each with its own connections. Requests of the
/// most urgent lane are served first; a request waits for at most one of a less urgent lane, and for those of its own.
/// Where upcalls must be interrupted for more urgent ones, each lane is a server in a thread of that priority.
#[derive(Debug)]
pub struct Server<'s, O> {
    os: O,
    limits: Limits,
    /// By priority, the most urgent ones last. None once the server is closed.
    lanes: Vec<Lane>,
    interests: Vec<Interest>,
    objects: Objects<'s>,
    pauses: Pauses,
}

impl<'s, O: Os> Server<'s, O> {
    /// A server that listens at an endpoint; port 0 lets the system choose one. The operating system needs a socket for
    /// each connection and two more: one for the listener, and one for a connection that is to replace an idle one. All
    /// buffers are allocated here.
    ///
    /// # Errors
    /// `INITIALIZE`, minor `ENDPOINT`: the system does not let it listen there; `NO_MEMORY`.
    pub fn new(os: O, endpoint: Endpoint, limits: Limits) -> Result<Self, SystemException> {
        let limits = limits.normalized();
        let objects = Objects::new(limits.max_objects);
        let (lanes, interests, pauses) = (Vec::new(), Vec::new(), Pauses::default());
        let mut server = Self { os, limits, lanes, interests, objects, pauses };
        server.listen(endpoint)?;
        Ok(server)
    }

    /// Listens at another endpoint, too, with as many connections of its own. To be called at start, before references are
    /// made: it allocates.
    ///
    /// # Errors
    /// `IMP_LIMIT`: all endpoints together would have more than [`MAX_POLLED`] sockets; `INITIALIZE`, minor `ENDPOINT`:
    /// the system does not let it listen there; `NO_MEMORY`.
    pub fn listen(&mut self, endpoint: Endpoint) -> Result<(), SystemException> {
        let more = Lane::connections(&endpoint, &self.limits) + 1;
        let all = self.lanes.iter().map(Lane::sockets).sum::<usize>() + more;
        if all > MAX_POLLED {
            let minor = minor::imp_limit::TOO_MANY_CONNECTIONS;
            return Err(SystemException::before(SystemExceptionKind::ImpLimit, minor));
        }
        let reserved = self.lanes.try_reserve(1).and(self.interests.try_reserve(all));
        reserved.map_err(|_| SystemException::NO_MEMORY)?;
        let lane = Lane::open(&mut self.os, endpoint, &self.limits)?;
        let priority = lane.endpoint.priority();
        let at = self.lanes.partition_point(|lane| lane.endpoint.priority() <= priority);
        room::push(&mut self.lanes, lane);
        if let Some(urgent) = self.lanes.get_mut(at..) {
            urgent.rotate_right(1);
        }
        Ok(())
    }

    /// Registers an object, for the life of the server. To be called at start: it allocates.
    ///
    /// # Errors
    /// `BAD_PARAM`: the key is empty or that of another object; `IMP_LIMIT`: it has more than
    /// [`MAX_KEY`](crate::MAX_KEY) octets; `NO_RESOURCES`: the server has the maximum number of objects; `NO_MEMORY`.
    pub fn register(
        &mut self,
        key: &[u8],
        servant: Box<dyn Servant + 's>,
    ) -> Result<(), SystemException> {
        self.objects.add(key, Own::Boxed(servant))
    }

    /// The same for a servant that the program owns, which takes no memory but for the key.
    ///
    /// # Errors
    /// As [`register`](Self::register).
    pub fn register_borrowed(
        &mut self,
        key: &[u8],
        servant: &'s mut (dyn Servant + 's),
    ) -> Result<(), SystemException> {
        self.objects.add(key, Own::Borrowed(servant))
    }

    /// The reference of an object, at the endpoints that the server listens at: those for all priorities first, then by
    /// priority, as many as a reference [can have](crate::MAX_ENDPOINTS).
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST`: no object has this key, or the server is closed.
    pub fn reference(&mut self, key: &[u8]) -> Result<Reference, SystemException> {
        if self.objects.find(key).is_none() || self.lanes.is_empty() {
            return Err(UNKNOWN_OBJECT);
        }
        let mut reference = Reference::at(self.endpoints());
        reference.set_key(key)?;
        Ok(reference)
    }

    /// The same with a key of four octets, which has the object's index: requests are shorter than with a longer key, and the
    /// server finds the object at once, however many there are. In another process it is the same object if that registers the
    /// same objects in the same order; otherwise it is `OBJECT_NOT_EXIST`, but for one in 65,536.
    ///
    /// # Errors
    /// As [`reference`](Self::reference).
    #[cfg(feature = "key-index")]
    pub fn indexed_reference(&mut self, key: &[u8]) -> Result<Reference, SystemException> {
        let indexed = self.objects.indexed_key(key).ok_or(UNKNOWN_OBJECT)?;
        self.reference(&indexed)
    }

    /// The endpoints that the server listens at, in the order of those of references.
    pub fn endpoints(&self) -> impl Iterator<Item = Endpoint> {
        self.lanes.iter().map(|lane| lane.endpoint)
    }

    /// The address of the first of them.
    pub fn address(&self) -> Address {
        self.endpoints().next().map_or(CLOSED, |endpoint| endpoint.address)
    }

    /// Waits until there is work or the timeout has passed, and does it (`perform_work`): accepts connections, serves the
    /// requests that have arrived, continues to send replies, and closes connections whose client takes too long. After
    /// requests of an urgent lane it returns before it serves those of less urgent ones. Returns at once if the server is
    /// closed.
    ///
    /// A server with one endpoint and one client that calls without a pause looks for others every 4 ms. It then may return
    /// after 4 ms without work, too.
    ///
    /// # Errors
    /// The operating system cannot wait. What happens on a connection is no error.
    pub fn perform_work(&mut self, timeout: Option<Duration>) -> Result<(), OsError> {
        if self.lanes.is_empty() {
            return Ok(());
        }
        if timeout.is_none_or(|timeout| timeout >= PAUSE) && self.serve_steady() {
            return Ok(());
        }
        let now = Moment::now(&mut self.os);
        let timeout = timeout.into_iter().chain(self.until_next(now)).min();
        self.collect_interests(now);
        self.os.poll(&mut self.interests, timeout)?;
        let now = Moment::now(&mut self.os);
        self.pauses.note_poll(now);
        self.lanes.iter_mut().for_each(Lane::begin_round);
        for interest in self.interests.iter().filter(|interest| interest.is_ready) {
            self.lanes.iter_mut().for_each(|lane| lane.note_ready(interest.socket));
        }
        if self.serve_ready(now) {
            self.pauses.note_requests(now);
        }
        let Self { lanes, os, .. } = self;
        lanes.iter_mut().for_each(|lane| lane.accept(os, now));
        self.expire(now);
        Ok(())
    }

    /// Announces the end to all clients, and closes all connections and listeners. Later calls of
    /// [`perform_work`](Self::perform_work) do nothing.
    pub fn close(&mut self) {
        let Self { lanes, os, .. } = self;
        lanes.iter_mut().for_each(|lane| lane.close(os));
        lanes.clear();
    }

    /// The operating system.
    pub fn os(&mut self) -> &mut O {
        &mut self.os
    }

    fn links(&self) -> impl Iterator<Item = &Link> {
        self.lanes.iter().flat_map(Lane::links)
    }

    fn collect_interests(&mut self, now: Moment) {
        self.interests.clear();
        let links = self.lanes.iter().flat_map(Lane::links);
        let links = links.filter_map(|link| Some((link.socket()?, link.has_output())));
        let accepting = self.lanes.iter().filter_map(|lane| lane.accepting(now));
        for (socket, write) in links.chain(accepting.map(|socket| (socket, false))) {
            // There is room for all sockets of the lanes.
            let interest = Interest { socket, read: !write, write, is_ready: false };
            room::push(&mut self.interests, interest);
        }
    }

    /// How long to wait at most: for no time while a request waits, and not after a client takes too long.
    fn until_next(&self, now: Moment) -> Option<Duration> {
        if self.links().any(|link| link.is_waiting) {
            return Some(Duration::ZERO);
        }
        let busy = self.links().filter(|link| link.socket().is_some() && link.is_busy());
        let expiries = busy.map(|link| link.active().after(self.limits.timeout));
        let pauses = self.lanes.iter().filter_map(|lane| lane.pause(now));
        expiries.chain(pauses).min().map(|until| now.until(until))
    }

    fn expire(&mut self, now: Moment) {
        for link in self.lanes.iter_mut().flat_map(Lane::links_mut) {
            let is_late = || link.active().after(self.limits.timeout) <= now;
            if link.is_busy() && !link.is_waiting && is_late() {
                link.close(&mut self.os);
            }
        }
    }

    /// Serves the next request of the only client, if it is expected at once: to wait at its connection alone saves a system
    /// call. Returns whether it has waited.
    fn serve_steady(&mut self) -> bool {
        if !self.pauses.are_short() {
            return false;
        }
        let Some(link) = only_link(&mut self.lanes) else { return false };
        let received = link.receive_within(&mut self.os, PAUSE);
        if received == Ok(false) {
            self.pauses.note_none();
            return true;
        }
        let now = Moment::now(&mut self.os);
        link.note_input(now);
        self.pauses.note_requests(now);
        let pace = Pace { limits: &self.limits, now, is_alone: true, may_receive: false };
        let served = received.and_then(|_| serve(link, &mut self.os, &mut self.objects, &pace));
        if served.is_err() {
            link.close(&mut self.os);
        }
        true
    }

    /// Serves requests of the most urgent lanes that have some, and no others. With more urgent lanes above, it is one
    /// request, of the client whose last one is longest ago. Returns whether there was any.
    fn serve_ready(&mut self, now: Moment) -> bool {
        let top = self.lanes.last().and_then(|lane| lane.endpoint.priority());
        let mut served = None;
        loop {
            let links = self.lanes.iter_mut().rev().flat_map(Lane::links_mut);
            let ready = links.filter(|link| link.is_ready && link.socket().is_some());
            // The first of several minima is of the most urgent lane.
            let next =
                ready.min_by_key(|link| (core::cmp::Reverse(link.priority()), link.active()));
            let Some(link) = next else { return served.is_some() };
            let priority = link.priority();
            if served.is_some_and(|served| priority < served) {
                return true;
            }
            link.is_ready = false;
            let is_alone = priority >= top;
            let (os, objects) = (&mut self.os, &mut self.objects);
            let done = match link.is_datagram() {
                true => take_datagram(link, os, objects, &self.limits, now),
                false => {
                    let limits = &self.limits;
                    serve(link, os, objects, &Pace { limits, now, is_alone, may_receive: true })
                }
            };
            match done {
                Ok(false) => {}
                Ok(true) if is_alone => served = Some(priority),
                Ok(true) => return true,
                Err(_) => link.close(&mut self.os),
            }
        }
    }
}

/// Of a closed server.
const CLOSED: Address = Address::Tcp(core::net::SocketAddr::new(
    core::net::IpAddr::V4(core::net::Ipv4Addr::UNSPECIFIED),
    0,
));

/// How long a link is served.
struct Pace<'l> {
    limits: &'l Limits,
    now: Moment,
    /// Whether no lane is more urgent.
    is_alone: bool,
    /// Whether to receive first if no request has been received.
    may_receive: bool,
}

/// Continues to send a reply, then serves the requests that have been received, until a reply blocks; only one unless the
/// lane is alone. Returns whether there was one.
///
/// # Errors
/// The connection has ended.
fn serve(
    link: &mut Link,
    os: &mut impl Os,
    objects: &mut Objects<'_>,
    pace: &Pace<'_>,
) -> Result<bool, OsError> {
    let mut may_receive = pace.may_receive && !link.has_output();
    let mut has_served = false;
    link.is_waiting = false;
    loop {
        if link.flush(os)? == Flushed::Blocked {
            return Ok(has_served);
        }
        if link.is_ending {
            return Err(OsError::NoSocket);
        }
        if has_served && !pace.is_alone {
            // Its client is idle if nothing follows.
            link.inbound.release();
            link.is_waiting = link.inbound.has_buffered();
            return Ok(true);
        }
        if answer(link, objects, pace.limits, pace.now)? {
            has_served = true;
            continue;
        }
        // Once in each call of `perform_work`, so that a client that never stops sending makes nobody wait.
        if !core::mem::take(&mut may_receive) || !link.receive(os, pace.now)? {
            return Ok(has_served);
        }
    }
}
