//! A listening in-process endpoint.
#![expect(clippy::disallowed_types, reason = "for tests in one process; lanes do not listen here")]

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use super::pipe::{DEFAULT_CAPACITY, lock};
use super::stream::{InprocStream, connected, deadline_of};
use crate::{AcceptError, Acceptor, ConnectOptions, Endpoint, ListenOptions, Stream};

/// A listening in-process endpoint with its backlog of connections not yet accepted.
#[derive(Debug)]
pub(super) struct Listener {
    endpoint: Endpoint,
    published: [Endpoint; 1],
    backlog: usize,
    capacity: usize,
    queue: Mutex<Queue>,
    /// Notified when the backlog changes, and on close.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<InprocStream>,
    /// Whether `accept` waits for no further ones.
    closing: bool,
    closed: bool,
}

impl Listener {
    pub(super) fn new(
        endpoint: Endpoint,
        published: Endpoint,
        options: &ListenOptions,
    ) -> Arc<Self> {
        Arc::new(Self {
            endpoint,
            published: [published],
            backlog: usize::try_from(options.backlog).unwrap_or(usize::MAX).max(1),
            capacity: options.stream.send_buffer.unwrap_or(DEFAULT_CAPACITY),
            queue: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        lock(&self.queue).closed
    }

    /// Adds a new connection to the backlog, waiting while it is full; returns the client's end.
    pub(super) fn connect(
        &self,
        client: &str,
        options: &ConnectOptions,
    ) -> io::Result<Arc<dyn Stream>> {
        let deadline = deadline_of(options.timeout);
        let mut queue = lock(&self.queue);
        while !queue.closed && queue.waiting.len() >= self.backlog {
            queue = match deadline {
                None => self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    let waited = self.changed.wait_timeout(queue, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        if queue.closed {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let from_client = options.stream.send_buffer.unwrap_or(DEFAULT_CAPACITY);
        let (near, far) = connected(client, self.endpoint.as_str(), from_client, self.capacity);
        queue.waiting.push_back(far);
        drop(queue);
        self.changed.notify_all();
        Ok(Arc::new(near))
    }
}

impl Acceptor for Listener {
    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        let mut queue = lock(&self.queue);
        loop {
            if queue.closed {
                return Err(AcceptError::Closed);
            }
            if let Some(stream) = queue.waiting.pop_front() {
                drop(queue);
                self.changed.notify_all();
                return Ok(Arc::new(stream));
            }
            if queue.closing {
                return Err(AcceptError::Closed);
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn accept_waiting(&self) -> Option<Arc<dyn Stream>> {
        let mut queue = lock(&self.queue);
        queue.closing = true;
        let stream = queue.waiting.pop_front();
        drop(queue);
        self.changed.notify_all();
        stream.map(|stream| Arc::new(stream) as _)
    }

    fn close(&self) {
        let mut queue = lock(&self.queue);
        queue.closed = true;
        // Clients in the backlog read the end of their streams.
        let unaccepted = std::mem::take(&mut queue.waiting);
        drop(queue);
        drop(unaccepted);
        self.changed.notify_all();
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn published(&self) -> &[Endpoint] {
        &self.published
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.close();
    }
}
