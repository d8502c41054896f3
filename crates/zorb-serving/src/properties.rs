//! The socket properties of a served connection, from adapters, lanes and priority bands.

use std::sync::atomic::Ordering;

use zorb_base::policy::ServedPriority;
use zorb_cdr::CdrReader;
use zorb_poa::ConnectionSetup;
use zorb_transport::log_limited;

use crate::connection::ServerConnection;

/// The `index`-th short of an encapsulated service context.
pub(super) fn short(data: &[u8], index: usize) -> Option<i16> {
    let mut reader = CdrReader::for_encapsulation(data).ok()?;
    let shorts = std::iter::from_fn(|| reader.read_i16().ok());
    shorts.take(index + 1).nth(index)
}

impl ServerConnection {
    /// Applies the priority band that a request declares (`RTCorbaPriorityRange`): the connection gets the
    /// band's network class, and the calling thread its priority. It has no effect in the lanes of pools,
    /// whose connections and threads have the lane's priority.
    #[cold]
    pub(super) fn apply_declared_band(&self, data: &[u8]) {
        let (Some(low), Some(high)) = (short(data, 0), short(data, 1)) else { return };
        if !self.lane.is_default() || low < 0 || high < low {
            return;
        }
        let extensions = self.core.extensions();
        let threads = extensions.thread_priorities.as_ref();
        let high = threads.map_or(high, |threads| high.min(threads.max));
        self.before_upcall.set_band(high);
        let plain = self.core.options().stream.clone();
        let served = ServedPriority { endpoint: Some(high), ..ServedPriority::default() };
        let options = self.core.network_options(served, plain.clone(), None);
        // The setup of an adapter must be applied again.
        self.set_up_by.store(0, Ordering::Release);
        if options != plain
            && let Err(error) = self.stream.set_options(&options)
        {
            log_limited!(warn, peer = self.stream.peer(), %error, "cannot set the network class of a priority band");
        }
        if let Some(threads) = threads {
            threads.set(high);
        }
    }

    /// Applies a setup, unless it was applied last.
    pub(super) fn set_up_by(&self, setup: &ConnectionSetup) {
        if self.set_up_by.swap(setup.id(), Ordering::AcqRel) == setup.id() {
            return;
        }
        let declared_band = Some(self.before_upcall.band()).filter(|high| *high >= 0);
        let (options, wanted) = setup.stream(self.profile, self.core.options().stream.clone());
        let band = declared_band.filter(|_| self.lane.is_default()).map(|high| high..=high);
        let served = ServedPriority {
            endpoint: self.lane.priority(),
            // By default only lanes and bands have a network class.
            exposed: if wanted == Some(true) { setup.exposed() } else { &[] },
            band: band.as_ref(),
        };
        let options = self.core.network_options(served, options, wanted);
        if let Err(error) = self.stream.set_options(&options) {
            log_limited!(warn, peer = self.stream.peer(), %error, "cannot set connection properties");
        }
    }

    /// Sets its options before its first message: from the policies of the only adapter at its endpoint, or
    /// if there are several, from the ORB's.
    pub(super) fn set_up_as_accepted(&self) {
        let of_adapter = self.lane.connection_setup();
        let setup = of_adapter.unwrap_or_else(|| self.core.default_connection_setup());
        if let Some(setup) = setup {
            self.set_up_by(&setup);
        }
    }
}
