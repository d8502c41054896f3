//! Network priorities: the classes of service of connections that serve one priority.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use zorb_giop::PolicyValue;
use zorb_transport::StreamOptions;

use super::{PriorityModel, exposed_by};

/// The class of service of a connection in the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NetworkClass {
    /// The class of service that routers see (DSCP, 0 to 63).
    pub dscp: Option<u8>,
    /// The priority in the machine's own queues (`SO_PRIORITY`); above 6 takes a privilege.
    pub queue: Option<u32>,
}

impl NetworkClass {
    /// The options of a connection of this class. Values that `options` contain take precedence.
    fn over(self, options: StreamOptions) -> StreamOptions {
        StreamOptions {
            dscp: options.dscp.or(self.dscp),
            socket_priority: options.socket_priority.or(self.queue),
            ..options
        }
    }
}

type ClassOf = dyn Fn(i16) -> Option<NetworkClass> + Send + Sync;

/// The network classes of an ORB's connections that serve one priority. They are computed when references
/// are first called and when endpoints are opened, never during a call.
#[derive(Clone)]
pub struct NetworkPriorities {
    class_of: Arc<ClassOf>,
    for_all: bool,
}

/// The priority that a connection serves: the first of these that is set.
#[derive(Clone, Copy, Debug, Default)]
pub struct ServedPriority<'a> {
    /// The priority of its endpoint.
    pub endpoint: Option<i16>,
    /// The policies of its reference or adapter, whose priority model may declare one.
    pub exposed: &'a [PolicyValue],
    /// Its priority band; the highest priority of the band counts.
    pub band: Option<&'a RangeInclusive<i16>>,
}

impl NetworkPriorities {
    /// The classes that `class_of` returns for priorities; `for_all` connections, or only those with the
    /// property [`network_priority`](super::ConnectionProperties::network_priority).
    pub fn new(
        class_of: impl Fn(i16) -> Option<NetworkClass> + Send + Sync + 'static,
        for_all: bool,
    ) -> Self {
        Self { class_of: Arc::new(class_of), for_all }
    }

    /// The options of a connection; `wanted` is its property `network_priority`.
    pub(crate) fn stream_options(
        &self,
        served: ServedPriority<'_>,
        options: StreamOptions,
        wanted: Option<bool>,
    ) -> StreamOptions {
        let class = || {
            if !wanted.unwrap_or(self.for_all) {
                return None;
            }
            let declared = || {
                let model = exposed_by::<PriorityModel>(served.exposed).ok().flatten();
                model.and_then(|model| model.declared_priority())
            };
            let priority = served.endpoint.or_else(declared);
            (self.class_of)(priority.or_else(|| served.band.map(|band| *band.end()))?)
        };
        match class() {
            Some(class) => class.over(options),
            None => options,
        }
    }
}

impl fmt::Debug for NetworkPriorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkPriorities").field("for_all", &self.for_all).finish_non_exhaustive()
    }
}
