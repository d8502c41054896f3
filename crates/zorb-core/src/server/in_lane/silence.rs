//! Connections in lanes of which nothing comes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::ServerConnection;
use crate::server::Kept;

/// The looks at a connection that the lane's threads do not wait for: nobody looks.
pub(super) const UNCOUNTED: u32 = u32::MAX;

impl ServerConnection {
    /// From now on the lane's threads wait for what comes, and look how long nothing does.
    pub(crate) fn count_silence_from_now(&self) {
        if let Some(home) = &self.lane {
            home.silent.store(0, Ordering::Relaxed);
        }
    }

    /// One look: ends the connection when more than so many have found nothing that has come, and no
    /// request that is under way.
    pub(crate) fn count_silence(self: &Arc<Self>, looks: u32, kept: &mut Kept) {
        let Some(home) = &self.lane else { return };
        if home.silent.load(Ordering::Relaxed) == UNCOUNTED {
            return;
        }
        if home.present.fetch_add(1, Ordering::AcqRel) > 0 {
            home.silent.store(0, Ordering::Relaxed);
        } else if home.silent.fetch_add(1, Ordering::Relaxed) >= looks {
            self.guarded(home, |home| {
                let Some(reading) = self.parked.take() else { return };
                if home.news.load(Ordering::SeqCst) {
                    // Just now, and whoever was told of it has not found the role.
                    drop(self.parked.put(reading));
                    self.serve_news(home, kept);
                } else {
                    // Who has sent part of a message is owed no farewell.
                    self.end(home, reading.inbound.is_idle());
                }
            });
        }
        self.part(home);
    }

    /// How many looks have found nothing, and how many threads have to do with it.
    #[cfg(test)]
    pub(crate) fn silence(&self) -> Option<(u32, u32)> {
        let home = self.lane.as_ref()?;
        Some((home.silent.load(Ordering::SeqCst), home.present.load(Ordering::SeqCst)))
    }
}
