//! Messages, or their ends, that a client has not read: who sends them, and when the client has had its time.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use zorb_base::threads::while_idle;
use zorb_giop::Charge;
use zorb_transport::log_limited;

use super::state::{NO_MEMORY, Output, OutputLimits, OutputState, OutputWaits};
use super::{SendLock, SendingThread};
use crate::connection::ServerConnection;

impl ServerConnection {
    /// Sends the rest of a message that the stream has not taken.
    #[cold]
    pub(super) fn send_rest<'c>(
        self: &'c Arc<Self>,
        mut output: SendLock<'c>,
        parts: &mut [IoSlice<'_>],
        thread: SendingThread,
    ) {
        match thread {
            SendingThread::Own => {
                // The message stays in memory until the client has read it.
                let mut charge = Charge::to(Arc::clone(&self.budget));
                if !charge.set(parts.iter().map(|part| part.len()).sum()) {
                    self.close_without_memory(&mut output, NO_MEMORY);
                }
                let _sending = self.own_threads.begin_sending();
                output = self.wait_until_sent(output);
                if output.state == OutputState::Free {
                    output = self.send_unlocked(output, || self.stream.send_vectored_all(parts));
                    output = self.send_queue(output);
                }
            }
            SendingThread::Shared => match output.state {
                OutputState::Broken => {}
                _ => return self.queue(output, parts),
            },
        }
        self.release(output);
    }

    /// Calls `send`, which may wait for the client, without the lock. Other threads queue their messages
    /// meanwhile.
    fn send_unlocked<'c>(
        &'c self,
        mut output: SendLock<'c>,
        send: impl FnOnce() -> io::Result<()>,
    ) -> SendLock<'c> {
        output.state = OutputState::Sending;
        // Whatever was sent before, the client has read.
        output.waits_progress();
        self.output_waits.store(true, Ordering::SeqCst);
        drop(output);
        let sent = while_idle(send);
        let mut output = self.sending.lock();
        if let Err(error) = sent {
            self.sending_failed(&mut output, &error);
        }
        output
    }

    /// Sends the queue, on one of the connection's own threads.
    fn send_queue<'c>(&'c self, mut output: SendLock<'c>) -> SendLock<'c> {
        while output.state != OutputState::Broken {
            let Some((message, sent)) = output.queue.take() else {
                self.queue_is_empty(&mut output);
                break;
            };
            let rest = message.get(sent..).unwrap_or_default();
            output = self.send_unlocked(output, || self.stream.send_all(rest));
        }
        output
    }

    /// Sends the queue, or waits until another thread has, on one of the connection's own threads.
    fn wait_until_sent<'c>(&'c self, mut output: SendLock<'c>) -> SendLock<'c> {
        loop {
            match output.state {
                OutputState::Free | OutputState::Broken => return output,
                OutputState::Queued => output = self.send_queue(output),
                OutputState::Sending => output = while_idle(|| self.output_sent.wait(output)),
            }
        }
    }

    fn queue_is_empty(&self, output: &mut Output) {
        output.state = OutputState::Free;
        (output.deadline, output.waits) = (None, None);
        self.output_waits.store(false, Ordering::SeqCst);
        self.output_sent.notify_all();
    }

    /// Queues a message, or the rest of one, until the client reads.
    #[cold]
    fn queue(self: &Arc<Self>, mut output: SendLock<'_>, parts: &[IoSlice<'_>]) {
        let options = self.core.options();
        let limits = OutputLimits { octets: options.max_queued_reply_octets, budget: &self.budget };
        if let Err(reason) = output.queue.put(parts, limits) {
            self.close_without_memory(&mut output, reason);
            return self.release(output);
        }
        if output.state != OutputState::Free {
            return;
        }
        // It counts as a request, which keeps the connection open until the client has read.
        if !self.requests.resume() {
            return output.queue.clear();
        }
        (output.is_counted, output.state) = (true, OutputState::Queued);
        output.waits_progress();
        self.output_waits.store(true, Ordering::SeqCst);
        if self.has_own_threads() {
            return; // one of them sends it
        }
        let deadline = Instant::now() + options.send_timeout;
        output.deadline = Some(deadline);
        if let Err(error) = self.serving_lane.watch_output(self, self.slot, true) {
            self.sending_failed(&mut output, &error);
            return self.release(output);
        }
        drop(output);
        if let Err(error) = self.core.watch_output(self, deadline) {
            let mut output = self.sending.lock();
            self.sending_failed(&mut output, &error);
            self.release(output);
        }
    }

    /// Whether messages wait for the client to read.
    #[inline]
    pub(crate) fn output_waits(&self) -> bool {
        self.output_waits.load(Ordering::SeqCst)
    }

    /// Sends the queue. Returns whether requests can be read again: `false` if the client has not read
    /// everything; the reactor then reports when it does. One of the connection's own threads waits for that; `reads`:
    /// it has the input.
    #[cold]
    pub(crate) fn finish_output(self: &Arc<Self>, reads: bool) -> bool {
        let output = self.sending.lock();
        if self.has_own_threads() {
            let _sending = (!reads).then(|| self.own_threads.begin_sending());
            let output = self.wait_until_sent(output);
            self.release(output);
            return true;
        }
        self.send_ready(output)
    }

    /// Sends as much of the queue as the stream accepts, on a thread of the reactor.
    fn send_ready(self: &Arc<Self>, mut output: SendLock<'_>) -> bool {
        while let Some(rest) = output.queue.first() {
            match self.stream.try_send(rest) {
                Ok(0) => return false,
                Ok(count) => {
                    output.waits_progress();
                    if output.queue.advance(count) {
                        output.deadline = Some(Instant::now() + self.core.options().send_timeout);
                    }
                }
                Err(error) => self.sending_failed(&mut output, &error),
            }
        }
        if output.state == OutputState::Queued {
            self.queue_is_empty(&mut output);
            // This also reports requests that have arrived meanwhile.
            if let Err(error) = self.serving_lane.watch_output(self, self.slot, false) {
                self.sending_failed(&mut output, &error);
            }
        }
        // Under the lock, or it would forget the deadline of a reply that another thread queues.
        self.core.watchdog().forget_output(self);
        self.release(output);
        true
    }

    /// Lets one of the connection's own threads send what a thread of the lane has queued.
    #[cold]
    pub(crate) fn start_sending(self: &Arc<Self>) {
        if !self.has_own_threads() {
            return; // the reactor does
        }
        let mut output = self.sending.lock();
        if output.state != OutputState::Queued {
            return;
        }
        output.state = OutputState::Sending;
        drop(output);
        let connection = Arc::clone(self);
        let started = self.lane.spawn(move |_| {
            let output = connection.send_queue(connection.sending.lock());
            connection.release(output);
        });
        if let Err(error) = started {
            let mut output = self.sending.lock();
            self.sending_failed(&mut output, &error);
            self.release(output);
        }
    }

    /// Ends the connection if its client has missed the deadline at `now`; otherwise returns the deadline.
    pub(crate) fn expire_output(self: &Arc<Self>, now: Instant) -> Option<Instant> {
        let mut output = self.sending.lock();
        let deadline = output.deadline?;
        if deadline > now {
            return Some(deadline);
        }
        self.sending_failed(&mut output, &io::ErrorKind::TimedOut.into());
        self.release(output);
        None
    }

    /// Since when messages wait for the client; `None` if none wait.
    pub(crate) fn waiting_output(&self) -> Option<OutputWaits> {
        if self.output_waits() { self.sending.lock().waits } else { None }
    }

    /// Ends the connection, whose client does not read, for this `reason`.
    #[cold]
    pub(crate) fn give_up_output(self: &Arc<Self>, reason: &'static str) {
        let mut output = self.sending.lock();
        self.sending_failed(&mut output, &io::Error::other(reason));
        self.core.watchdog().forget_output(self);
        self.release(output);
    }

    /// Releases the lock. If no messages wait any more, the queue stops counting as a request.
    fn release(self: &Arc<Self>, mut output: SendLock<'_>) {
        let is_sent = matches!(output.state, OutputState::Free | OutputState::Broken);
        let is_finished = is_sent && std::mem::take(&mut output.is_counted);
        drop(output);
        if is_finished {
            self.finish_request();
        }
    }

    /// Closes the connection, because there is no memory for a reply that its client does not read.
    fn close_without_memory(&self, output: &mut Output, reason: &'static str) {
        let error = io::Error::other(reason);
        log_limited!(warn, peer = self.stream.peer(), %error, "connection closed");
        self.sending_failed(output, &error);
    }

    #[cold]
    pub(super) fn sending_failed(&self, output: &mut Output, error: &io::Error) {
        tracing::debug!(peer = self.stream.peer(), %error, "cannot send a reply");
        output.queue.clear();
        self.queue_is_empty(output);
        output.state = OutputState::Broken;
        // Part of it may have been sent, so the peer could not decode what follows.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
