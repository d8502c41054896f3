//! Deferred requests, whose callers do not wait.

use std::sync::Arc;

use zorb_core::{Pending, PollableSet};
use zorb_types::SystemException;

use super::{Request, RequestError, Response};

impl Request {
    /// Sends the request without waiting for the reply: `send_deferred`. The standard's `poll_response` and
    /// `get_response` are [`has_ended`](Pending::has_ended) and [`wait`](Pending::wait) of the pending call, which is
    /// cancelled if it is dropped.
    ///
    /// # Errors
    /// `BAD_PARAM` if an argument has no value. If the request cannot be sent, the pending call has ended with the
    /// exception.
    pub fn send_deferred(self) -> Result<Pending<Response, RequestError>, SystemException> {
        self.check()?;
        Ok(self.sent())
    }

    /// Sends requests one after the other, without waiting for the replies: `send_multiple_requests_deferred`. The
    /// standard's `poll_next_response` and `get_next_response` are [`has_ended`](PollableSet::has_ended) and
    /// [`wait`](PollableSet::wait) of the set, in which the requests have the numbers of their order.
    ///
    /// # Errors
    /// `BAD_PARAM` if an argument has no value; then none is sent. A request that cannot be sent has ended with the
    /// exception.
    pub fn send_multiple_deferred(
        requests: impl IntoIterator<Item = Self>,
    ) -> Result<PollableSet<Response, RequestError>, SystemException> {
        let requests: Vec<Self> = requests.into_iter().collect();
        requests.iter().try_for_each(Self::check)?;
        Ok(requests.into_iter().map(Self::sent).collect())
    }

    /// Sends one-way requests one after the other: `send_multiple_requests_oneway`. The result has for each, in their
    /// order, whether that was possible: the exception of [`send_oneway`](Self::send_oneway).
    pub fn send_multiple_oneway<'r>(
        requests: impl IntoIterator<Item = &'r Self>,
    ) -> Vec<Result<(), SystemException>> {
        requests.into_iter().map(Self::send_oneway).collect()
    }

    /// Sends the request, whose arguments have values.
    fn sent(self) -> Pending<Response, RequestError> {
        let request = Arc::new(self);
        let reads = Arc::clone(&request);
        request.target.send_dynamic(
            request.operation.clone(),
            |writer| request.write(writer),
            move |reply| reads.read(reply),
        )
    }
}
