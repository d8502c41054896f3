//! Starting the threads of a lane.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use zorb_transport::log_limited;

use super::{Lane, ThreadKind};
use crate::settings::DynamicLifespan;

impl Lane {
    /// Starts a thread of the lane. `report` receives the result of
    /// [`LaneThreads::begin`](crate::LaneThreads::begin).
    pub(crate) fn start(
        self: &Arc<Self>,
        kind: ThreadKind,
        report: Option<Sender<io::Result<()>>>,
    ) -> io::Result<()> {
        let lane = Arc::clone(self);
        let counted = kind != ThreadKind::Reader;
        if counted {
            self.threads.fetch_add(1, Ordering::AcqRel);
        }
        let started = self.core.spawn(move |begun| {
            let fit = begun.is_ok();
            if matches!(kind, ThreadKind::Dynamic(_)) {
                lane.started.fetch_add(1, Ordering::Relaxed);
            }
            if let Err(error) = &begun {
                log_limited!(error, %error, lane = lane.name, "cannot prepare a thread of the lane");
            }
            // A dynamic thread has no receiver, and ends.
            let _ = report.map(|report| report.send(begun));
            if fit {
                lane.strategy.run(&lane, kind);
            } else if matches!(kind, ThreadKind::Dynamic(_)) {
                lane.withdraw_thread();
            }
            if counted {
                lane.threads.fetch_sub(1, Ordering::AcqRel);
            }
            if let Some(reactor) = &lane.reactor
                && !lane.is_stopping()
                && lane.queue().is_none()
            {
                // The last waiting thread may have asked while this one still counted.
                lane.ask_for_follower(reactor, kind);
            }
        });
        if started.is_err() && counted {
            self.threads.fetch_sub(1, Ordering::AcqRel);
        }
        started
    }

    /// Starts the requested dynamic threads, on the spawner's thread.
    pub(crate) fn grow(self: &Arc<Self>) {
        while self.thread_requests.take() {
            if self.queue().is_some_and(|queue| !queue.needs_requested_thread()) {
                continue; // another thread has become free meanwhile
            }
            let room = self.threads.load(Ordering::Acquire) < self.settings.max_threads();
            let started = match room && !self.is_stopping() {
                true => self.start(ThreadKind::Dynamic(Instant::now()), None),
                false => Err(io::ErrorKind::QuotaExceeded.into()),
            };
            if let Err(error) = started {
                tracing::debug!(%error, lane = self.name, "cannot start a dynamic thread");
                self.withdraw_thread();
            }
        }
    }

    /// A requested dynamic thread could not be started.
    fn withdraw_thread(&self) {
        if let Some(queue) = self.queue() {
            queue.withdraw();
        }
    }

    /// The idle timeout of a thread; `None`: unlimited.
    pub(crate) fn linger(&self, kind: ThreadKind) -> Option<Duration> {
        let ThreadKind::Dynamic(born) = kind else { return None };
        match self.settings.lifespan {
            DynamicLifespan::Idle(limit) => Some(limit),
            DynamicLifespan::Fixed(limit) => Some(limit.saturating_sub(born.elapsed())),
            DynamicLifespan::Infinite => None,
        }
    }
}
