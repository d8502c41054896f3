//! Collocated calls, which wait themselves while requests are held.

use std::time::Instant;

use zorb_types::{CompletionStatus, SystemException, minor};

use super::{Gate, HoldQueue, discarded, too_many};

impl HoldQueue {
    /// What makes requests wait here, for people.
    pub fn reason(&self) -> &'static str {
        if self.is_for_main_thread() {
            return "the main thread makes its upcalls, and has not served it";
        }
        match self.0.held.lock().gate {
            Gate::OneAtATime => "the POA makes one upcall at a time, and others are running",
            _ => {
                "the POA manager holds requests, or a servant manager or adapter activator is busy"
            }
        }
    }

    /// Blocks the calling thread while requests wait, for a collocated call that has waited since `since` and has
    /// this `deadline`.
    ///
    /// # Errors
    /// `TRANSIENT` if too many requests are held, or the option `MaxHeldTime` has elapsed; `TIMEOUT` after the
    /// deadline.
    #[doc(hidden)]
    pub fn wait(&self, since: Instant, deadline: Option<Instant>) -> Result<(), SystemException> {
        let mut held = self.0.held.lock();
        if held.requests.limited() + held.callers >= self.0.limits.requests {
            self.0.limits.counts.refuse();
            return Err(too_many());
        }
        held.callers += 1;
        self.0.limits.counts.add();
        let expires = self.expiry(since);
        let until = [expires, deadline].into_iter().flatten().min();
        match until.map(|until| until.saturating_duration_since(Instant::now())) {
            Some(limit) => {
                held = self.0.changed.wait_while(held, limit, |held| held.is_closed());
            }
            None => {
                while held.is_closed() {
                    held = self.0.changed.wait(held);
                }
            }
        }
        held.callers -= 1;
        self.0.limits.counts.remove(1);
        match until {
            Some(until) if held.is_closed() => Err(match expires {
                Some(expires) if expires == until => {
                    self.0.limits.counts.expire(1);
                    discarded()
                }
                _ => {
                    SystemException::timeout(minor::timeout::REQUEST_EXPIRED, CompletionStatus::No)
                }
            }),
            _ => Ok(()),
        }
    }
}
