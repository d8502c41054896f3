//! Leaders and followers: the threads of a lane wait together, and the system wakes one for each
//! event.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Lane;
use super::lane::{NUDGE, Role, STOP, TICK};
use crate::server::Kept;

/// How long a thread at least waits again whose time is up and that is the last one to wait.
const STAY: Duration = Duration::from_secs(1);

impl Lane {
    /// The body of a thread that waits for what connections bring.
    pub(super) fn follow(self: &Arc<Self>, role: Role) {
        let mut kept = Kept::default();
        let mut stays = false;
        // What a tick has left of a dynamic thread's patience.
        let mut left = None;
        loop {
            while let Some(connection) = self.take_nudged() {
                connection.turn(false, true, &mut kept);
            }
            self.frozen.turn_ends();
            self.idle.fetch_add(1, Ordering::AcqRel);
            let patience = self.patience(role).map(|it| if stays { it.max(STAY) } else { it });
            let patience = left.take().or(patience);
            let begun = patience.map(|_| Instant::now());
            stays = false;
            let event = self.ready.next(patience);
            self.frozen.turn_begins();
            let waiting = self.idle.fetch_sub(1, Ordering::AcqRel) - 1;
            let event = match event {
                Ok(Some(event)) => event,
                // The last one that waits stays: the others are in upcalls.
                Ok(None) if waiting == 0 => {
                    stays = true;
                    continue;
                }
                Ok(None) => return,
                Err(error) => {
                    tracing::error!(%error, lane = self.name(), "waiting for requests failed");
                    return;
                }
            };
            match event.key {
                STOP => return self.forget_nudged(),
                NUDGE => {}
                TICK => {
                    left = begun.and_then(|begun| Some(patience?.saturating_sub(begun.elapsed())));
                    if let Some(ticks) = &self.ticks {
                        ticks.drain();
                    }
                    self.look_for_silent(&mut kept);
                }
                place => {
                    if waiting == 0 && role != Role::Reader {
                        self.want_one_more();
                    }
                    self.connections.with(place, |connection| {
                        connection.turn(event.is_end, false, &mut kept);
                    });
                }
            }
        }
    }

    /// Asks for a dynamic thread, where nobody is left to wait for the next request.
    fn want_one_more(&self) {
        if self.threads.load(Ordering::Acquire) < self.settings.max_threads() && self.wants.ask(1) {
            self.wants.call();
        }
    }
}
