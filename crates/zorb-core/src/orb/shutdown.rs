//! Shuts an ORB down.

use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::error::Phase;
use zorb_base::orb_core::OrbCore;
use zorb_base::threads::{ThreadActivity, record_operation};
use zorb_base::upcall_thread::check_may_wait;
use zorb_serving::UnreadLimits;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::inner::OrbInner;

/// The part of the grace time that clients have to read more of the replies that wait for them: a tenth, and at most
/// [`FOR_UNREAD`].
const UNREAD_PART: u32 = 10;

/// The most time that clients have to read more of them.
const FOR_UNREAD: Duration = Duration::from_secs(3);

/// The part of the grace time that clients have to read all of them, however steadily they read: a third.
const ALL_UNREAD_PART: u32 = 3;

/// The minimum time between checks whether clients read.
const MIN_PAUSE: Duration = Duration::from_millis(10);

/// The number of upcalls that an error names.
const NAMED: usize = 8;

impl OrbInner {
    pub(super) fn wait_for_shutdown(&self) {
        let mut ended = self.ended.lock();
        while !self.core.is_closed() {
            ended = self.ending.wait(ended);
        }
    }

    pub(super) fn shutdown(self: &Arc<Self>, wait: bool) -> Result<(), SystemException> {
        OrbCore::check_process()?;
        if self.core.is_destroyed() {
            return Err(self.core.shut_down());
        }
        if wait {
            check_may_wait(&self.core)?;
        }
        if self.core.options().use_imr && self.core.is_running() {
            self.unregister_adapters();
        }
        let first = self.core.begin_shutdown();
        if first {
            self.stop_serving();
        }
        match (first, wait) {
            (true, true) => self.finish(),
            (true, false) => self.finish_later(),
            (false, true) => self.wait_for_shutdown(),
            (false, false) => {}
        }
        if wait { self.check_ended() } else { Ok(()) }
    }

    pub(super) fn destroy(self: &Arc<Self>) -> Result<(), SystemException> {
        OrbCore::check_process()?;
        check_may_wait(&self.core)?;
        let ended = self.shutdown(true);
        match self.core.set_destroyed() {
            true => ended,
            false => Err(self.core.shut_down()),
        }
    }

    /// Checks that no upcall was running when the shutdown ended.
    ///
    /// # Errors
    /// `TIMEOUT`, minor `SHUTDOWN`, which names them.
    pub(super) fn check_ended(&self) -> Result<(), SystemException> {
        let threads = self.core.threads();
        let running = threads.join_within(Duration::ZERO);
        if threads.is_empty() {
            return Ok(());
        }
        let exception = SystemException::timeout(minor::timeout::SHUTDOWN, CompletionStatus::Maybe);
        let names = names_of(&running);
        Err(if names.is_empty() { exception } else { exception.at(Phase::Upcall, names) })
    }

    /// Closes endpoints and connections, and stops all lanes, without waiting.
    fn stop_serving(&self) {
        let listeners = self.server.close_listeners();
        let pools = self.server.stop_pools();
        // Requests that a POA manager is holding would wait forever.
        self.root.get().inspect(|root| root.release_held());
        self.adapters.release_held();
        for pool in &pools {
            pool.stop();
        }
        self.server.stop_default_lane();
        self.client.connections().close();
        // From here on only calls in progress reach a servant directly.
        self.root.get().inspect(|root| root.end_collocation());
        let initial = std::mem::take(&mut *self.initial.lock());
        drop((initial, listeners, pools));
    }

    /// Completes the shutdown, on a thread of its own if the ORB has threads to wait for. A thread in `run` may end
    /// the process, so it must not wake before accepted requests have been answered.
    fn finish_later(self: &Arc<Self>) {
        if self.core.threads().is_empty() {
            return self.finish();
        }
        let core = Arc::clone(self);
        let name = self.core.threads().thread_name("zorb-shutdown");
        let started = std::thread::Builder::new().name(name).spawn(move || core.finish());
        if let Err(error) = started {
            tracing::error!(%error, "cannot start the shutdown thread; not waiting for requests");
            self.destroy_adapters();
            self.close();
        }
    }

    /// Waits for the ORB's threads, destroys its adapters and closes it: all within the grace time.
    fn finish(self: &Arc<Self>) {
        let threads = self.core.threads();
        let begun = Instant::now();
        let grace = self.core.options().shutdown_grace;
        self.await_threads(begun, grace);
        let Some(grace) = grace else {
            self.destroy_adapters();
            return self.close();
        };
        let has_waited = threads.is_empty();
        if !has_waited {
            self.report_running();
        }
        self.start_destroying_adapters();
        if has_waited {
            let left = grace.saturating_sub(begun.elapsed());
            threads.join_within(left).iter().for_each(|thread| report(thread));
        }
        self.close();
    }

    /// Waits for the ORB's threads, at most for the `grace` time since `begun`. Clients that read nothing of their replies
    /// for a shorter time, or have not read all of them within a part of it, lose their connections, unless the time has
    /// no limit.
    fn await_threads(&self, begun: Instant, grace: Option<Duration>) {
        let threads = self.core.threads();
        let for_unread = grace.map_or(FOR_UNREAD, |grace| (grace / UNREAD_PART).min(FOR_UNREAD));
        let pause = (for_unread / 4).max(MIN_PAUSE);
        let total = grace.map_or(Duration::MAX, |grace| grace / ALL_UNREAD_PART);
        let limits = UnreadLimits { pause: for_unread, total, from: begun };
        loop {
            let left = grace.map(|grace| grace.saturating_sub(begun.elapsed()));
            threads.join_within(left.map_or(pause, |left| left.min(pause)));
            if threads.is_empty() {
                return;
            }
            if left.is_some_and(|left| left.is_zero()) {
                break;
            }
            // Without a limit, that of each send applies.
            if grace.is_some() && begun.elapsed() >= for_unread {
                self.server.close_unread(limits);
            }
        }
        // Their upcalls have ended just now.
        let closed = self.server.close_unread(UnreadLimits { pause: Duration::ZERO, ..limits });
        if closed > 0 && threads.join_within(Duration::ZERO).iter().all(|thread| thread.is_idle()) {
            threads.join_within(for_unread);
        }
    }

    /// Names what runs when the grace time has ended.
    #[cold]
    fn report_running(&self) {
        let running = self.core.threads().join_within(Duration::ZERO);
        running.iter().filter(|thread| !thread.is_idle()).for_each(|thread| report(thread));
        let deferred = self.server.deferred_requests();
        if deferred > 0 {
            tracing::error!(
                deferred,
                "deferred replies are missing at the end of the shutdown's grace time"
            );
        }
    }

    /// Destroys the adapters on a thread of the ORB: etherealizing objects and dropping servants may block.
    fn start_destroying_adapters(self: &Arc<Self>) {
        if self.root.get().is_none() {
            return;
        }
        let orb = Arc::clone(self);
        let destroy = move || {
            record_operation(b"POA::destroy");
            orb.destroy_adapters();
        };
        if let Err(error) = self.core.threads().spawn("zorb-shutdown", destroy) {
            tracing::error!(%error, "cannot start the shutdown thread; destroying POAs on this one");
            self.destroy_adapters();
        }
    }

    fn destroy_adapters(&self) {
        if let Some(root) = self.root.get() {
            root.destroy(true, &|adapter| self.adapters.unregister(adapter));
        }
    }

    fn close(&self) {
        let endings = std::mem::take(&mut *self.endings.lock());
        endings.into_iter().for_each(|ending| ending());
        let _ended = self.ended.lock();
        self.core.set_closed();
        self.ending.notify_all();
    }
}

/// Names a thread that is still running when the grace time ends.
#[cold]
fn report(stuck: &ThreadActivity) {
    let (thread, operation) = (stuck.thread(), stuck.operation());
    tracing::error!(thread, operation, "still running at the end of the shutdown's grace time");
}

/// The operations of the upcalls that `threads` make, and the names of these threads; the first eight.
#[cold]
fn names_of(threads: &[Arc<ThreadActivity>]) -> String {
    let known = |thread: &&Arc<ThreadActivity>| !thread.is_idle() && !thread.operation().is_empty();
    let name = |thread: &Arc<ThreadActivity>| {
        format!("{} on the thread {}", thread.operation(), thread.thread())
    };
    let names: Vec<String> = threads.iter().filter(known).take(NAMED).map(name).collect();
    names.join(", ")
}
