//! The socket properties of a served connection: what adapters, lanes and priority bands ask for.

use std::sync::atomic::Ordering;

use zorb_cdr::CdrReader;
use zorb_giop::{PolicyValue, ProfileTag};
use zorb_transport::StreamOptions;

use super::connection::ServerConnection;
use super::current::served_connection;

/// What an adapter's policies say of the connections by which its objects are called.
pub(crate) trait ConnectionSetup {
    /// The properties of connections by profiles of this kind, where `otherwise` holds for what the
    /// policies leave open; and whether they are in the network class of their priority, if that is said.
    fn stream(
        &self,
        profile: ProfileTag,
        otherwise: StreamOptions,
    ) -> (StreamOptions, Option<bool>);

    /// The policies that clients know, one of which may declare a priority.
    fn exposed(&self) -> &[PolicyValue];
}

/// The short number `index` of those that a service context encapsulates.
pub(super) fn short(data: &[u8], index: usize) -> Option<i16> {
    let mut reader = CdrReader::for_encapsulation(data).ok()?;
    let shorts = std::iter::from_fn(|| reader.read_i16().ok());
    shorts.take(index + 1).nth(index)
}

/// Notes the priority band that the client of the present request declares for its connection, and puts
/// the connection into its network class; the band's highest priority. `None` for what is no band, and in
/// the lanes of pools, whose connections and threads have the lane's priority.
#[cold]
pub(super) fn declared_band(data: &[u8]) -> Option<i16> {
    let (low, high) = (short(data, 0)?, short(data, 1)?);
    let connection = served_connection()?;
    if !connection.lane.is_default() || low < 0 || high < low {
        return None;
    }
    let overrides = connection.core.overrides().load();
    let high = overrides.resting.as_ref().map_or(high, |resting| high.min(resting.most()));
    connection.band.store(high, Ordering::Relaxed);
    let plain = connection.core.options().stream.clone();
    let options = overrides.in_network(Some(high), (&[], None), (plain.clone(), None));
    // What an adapter says is applied on top of it again.
    connection.set_up_by.store(0, Ordering::Release);
    if options != plain
        && let Err(error) = connection.stream.set_options(&options)
    {
        tracing::warn!(peer = connection.stream.peer(), %error, "no class for a band");
    }
    Some(high)
}

impl ServerConnection {
    /// Sets it up as an adapter says, unless the adapter known by `mark` was the last to do so.
    pub(super) fn set_up(&self, mark: usize, setup: &dyn ConnectionSetup) {
        if self.set_up_by.swap(mark, Ordering::AcqRel) == mark {
            return;
        }
        let declared_band = Some(self.band.load(Ordering::Relaxed)).filter(|high| *high >= 0);
        let priority = self.lane.priority();
        let (options, wanted) = setup.stream(self.profile, self.core.options().stream.clone());
        // Without being asked for, the class is that of lanes and bands.
        let declared = if wanted == Some(true) { setup.exposed() } else { &[] };
        let band = declared_band.filter(|_| self.lane.is_default()).map(|high| high..=high);
        let overrides = self.core.overrides().load();
        let options = overrides.in_network(priority, (declared, band.as_ref()), (options, wanted));
        if let Err(error) = self.stream.set_options(&options) {
            tracing::warn!(peer = self.stream.peer(), %error, "a property cannot be set");
        }
    }

    /// Sets it up before anything has come over it: as the adapter says whose endpoint it has come to, or
    /// where that may be one of several, as the ORB's own policies say.
    pub(super) fn set_up_as_accepted(&self) {
        let by_adapter = self.lane.sets_up();
        let sets_up = by_adapter.unwrap_or_else(|| self.core.overrides().load().sets_up.clone());
        if let Some(sets_up) = sets_up {
            self.set_up(sets_up.mark(), &*sets_up);
        }
    }
}
