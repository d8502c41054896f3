//! The endpoints of an ORB.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use zorb_base::accepting::Admission;
use zorb_base::error::{Error, Phase};
use zorb_os::event::EventFd;
use zorb_transport::{Endpoint, Workers};

use super::ServerCore;
use crate::bidirectional_admission::BidirectionalAdmission;
use crate::descriptors::take_descriptors;
use crate::lane::admission::LaneAdmission;
use crate::listener::Listener;
use crate::pool::default_lane;

/// The descriptors that a client needs at least: its connection.
const OF_CLIENT: usize = 1;

impl ServerCore {
    /// Calls `work` with the listeners at the ORB's own endpoints.
    pub fn with_listeners<T>(&self, work: impl FnOnce(&[Listener]) -> T) -> T {
        work(&self.listeners.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A number that changes with the listeners at the ORB's own endpoints.
    #[inline]
    pub fn endpoint_changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Opens an endpoint.
    ///
    /// # Errors
    /// It cannot be opened; an ORB that has shut down.
    pub fn open(self: &Arc<Self>, url: &str) -> Result<(), Error> {
        let _starting = self.starting.lock();
        let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
        self.open_locked(url, &mut listeners)
    }

    /// Opens `endpoint`, unless it is open.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_once(self: &Arc<Self>, endpoint: &Endpoint) -> Result<(), Error> {
        let _starting = self.starting.lock();
        let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
        if listeners.iter().any(|listener| listener.acceptor.endpoint() == endpoint) {
            return Ok(());
        }
        self.open_locked(endpoint.as_str(), &mut listeners)
    }

    /// Opens endpoints at `urls`, unless there is one for objects already.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_somewhere(
        self: &Arc<Self>,
        urls: impl FnOnce() -> Result<Vec<String>, Error>,
    ) -> Result<(), Error> {
        let serves_none = |listeners: &[Listener]| !listeners.iter().any(Listener::is_for_objects);
        if !self.with_listeners(serves_none) {
            return Ok(());
        }
        let _starting = self.starting.lock();
        let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
        if serves_none(&listeners) {
            self.check_running()?;
            for url in urls()? {
                self.open_locked(&url, &mut listeners)?;
            }
        }
        Ok(())
    }

    /// Listens at all endpoints, and from now on at each that is opened. Before that they are bound: their addresses
    /// are known and taken, but clients are refused.
    ///
    /// # Errors
    /// The system refuses; an ORB that has shut down.
    #[inline]
    pub fn listen(self: &Arc<Self>) -> Result<(), Error> {
        if self.listens.load(Ordering::Acquire) { Ok(()) } else { self.begin_to_listen() }
    }

    #[cold]
    fn begin_to_listen(self: &Arc<Self>) -> Result<(), Error> {
        let _starting = self.starting.lock();
        if self.listens.load(Ordering::Acquire) {
            return Ok(());
        }
        let listeners = self.listeners.read().unwrap_or_else(PoisonError::into_inner);
        // Under the lock with which a shutdown removes the listeners: none is started later.
        self.check_running()?;
        let pools = self.pools.all();
        let of_pools = pools.iter().flat_map(|pool| pool.lanes()).map(|lane| lane.listeners.len());
        let mut spares = take_descriptors(listeners.len() + of_pools.sum::<usize>() + OF_CLIENT)?;
        listeners.iter().try_for_each(|listener| self.start(listener, spares.pop()))?;
        drop(listeners);
        pools.iter().try_for_each(|pool| pool.listen(&self.context, &mut spares))?;
        self.listens.store(true, Ordering::Release);
        Ok(())
    }

    /// Opens an endpoint, and listens if the others do. The caller holds `starting`.
    fn open_locked(
        self: &Arc<Self>,
        url: &str,
        listeners: &mut Vec<Listener>,
    ) -> Result<(), Error> {
        // Under the lock with which a shutdown removes the listeners: none is added later.
        self.check_running()?;
        let listener = Listener::open(&self.context, url, None, Workers::default())?;
        if self.listens.load(Ordering::Acquire) {
            self.start(&listener, take_descriptors(1)?.pop())?;
        }
        listeners.push(listener);
        self.changes.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Listens at an endpoint of the ORB's own, with a spare descriptor. The caller holds `starting`.
    fn start(self: &Arc<Self>, listener: &Listener, spare: Option<EventFd>) -> Result<(), Error> {
        let endpoint = listener.acceptor.endpoint();
        let failed = |error| Error::new(Phase::Listen, endpoint.to_string()).with_source(error);
        self.start_watchdog().map_err(failed)?;
        let lane = match self.default_lane.get() {
            Some(lane) => Arc::clone(lane),
            None => {
                let lane = default_lane(&self.context).map_err(failed)?;
                Arc::clone(self.default_lane.get_or_init(|| lane))
            }
        };
        let admission = || -> Box<dyn Admission> {
            let admission = LaneAdmission::new(&lane, &self.context, &listener.protocol, None);
            match listener.protocol.may_be_bidirectional() {
                true => Box::new(BidirectionalAdmission::new(
                    admission,
                    self.context.orb(),
                    &*listener.acceptor,
                )),
                false => Box::new(admission),
            }
        };
        listener.start(self.threads(), || (), admission, spare)?;
        tracing::info!(%endpoint, "listening");
        Ok(())
    }

    /// Checks that a server that listens, and whose first client has not come yet, has so many descriptors left for other
    /// use, and one for a client.
    ///
    /// # Errors
    /// There are fewer.
    pub fn check_descriptors(&self, others: usize) -> Result<(), Error> {
        let has_clients = || self.lane_metrics().iter().any(|lane| lane.counts.accepted > 0);
        if !self.listens.load(Ordering::Acquire) || has_clients() {
            return Ok(());
        }
        take_descriptors(others + OF_CLIENT).map(drop)
    }

    /// The endpoints for references.
    pub fn published_endpoints(&self) -> Vec<Endpoint> {
        let published = |listener: &Listener| listener.acceptor.published().to_vec();
        self.with_listeners(|listeners| listeners.iter().flat_map(published).collect())
    }

    /// Stops accepting connections; dropping the result closes the endpoints.
    pub fn close_listeners(&self) -> Vec<Listener> {
        let listeners = {
            let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
            self.changes.fetch_add(1, Ordering::Release);
            std::mem::take(&mut *listeners)
        };
        match self.default_lane.get() {
            Some(lane) => lane.close_all(&listeners),
            None => listeners.iter().for_each(|listener| listener.close(None)),
        }
        listeners
    }
}
