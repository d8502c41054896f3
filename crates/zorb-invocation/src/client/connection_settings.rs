//! The settings of a client's connections, from properties and options.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use zorb_base::compression::CompressedConnections;
use zorb_base::options::Options;
use zorb_base::policy::{ConnectionProperties, octets};
use zorb_transport::{Bidirection, StreamOptions};

use super::reconnecting::ReconnectDelays;

/// The settings of connections.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionSettings {
    pub(crate) stream: StreamOptions,
    /// The connections of clients over which servers may be called; `None` for protocols without such.
    pub(crate) bidirection: Option<Arc<Bidirection>>,
    /// Whether servers are offered to call objects of this ORB over the connections.
    pub(crate) offers: bool,
    /// How the connections compress; `None` if they do not.
    pub(crate) compression: Option<CompressedConnections>,
    /// The property `network_priority`.
    pub(crate) network_priority: Option<bool>,
    pub(crate) copy_threshold: usize,
    pub(crate) preallocate: usize,
    /// The maximum size of a message that is sent whole.
    pub(crate) fragment_size: Option<usize>,
    pub(crate) max_connections: usize,
    /// The maximum number of connections of all clients of the process; 0 for the default.
    pub(crate) max_of_process: usize,
    pub(crate) max_calls: usize,
    /// The maximum number of octets of large requests that are sent to an endpoint or wait for their replies.
    pub(crate) max_request_octets: usize,
    /// The maximum number of callers that wait for a connection that others use.
    pub(crate) max_waiting: usize,
    /// The maximum time that a caller waits for a connection that others use; `None` for no limit.
    pub(crate) max_wait: Option<Duration>,
    /// The times between attempts to connect to an endpoint that cannot be reached.
    pub(crate) reconnect: ReconnectDelays,
    /// The idle time after which a connection may be closed; `None` for no limit.
    pub(crate) idle_limit: Option<Duration>,
    /// The maximum number of calls and octets in a queue of one-way calls, where policies limit them.
    pub(crate) queued: [Option<u32>; 2],
}

/// Connections that may serve the same calls.
#[derive(Debug)]
pub(crate) struct ConnectionClass {
    pub(crate) settings: ConnectionSettings,
    /// Distinguishes classes: calls share a connection only if this is equal.
    pub(crate) key: Box<[i64]>,
    /// The priority band of the calls; `None` for all calls.
    pub(crate) band: Option<RangeInclusive<i16>>,
}

impl ConnectionClass {
    /// The class of calls without policies.
    pub(crate) fn plain(options: &Options) -> Self {
        let settings = ConnectionSettings::new(&ConnectionProperties::default(), options);
        Self { settings, key: Box::default(), band: None }
    }
}

impl ConnectionSettings {
    /// Those of `properties`, and of `options` where these are `None`.
    pub(crate) fn new(properties: &ConnectionProperties, options: &Options) -> Self {
        let fragment_size = octets(properties.fragment_size.or(options.fragment_size));
        let fragment_size = fragment_size.filter(|&size| size > 0);
        let at_least_one =
            |given: Option<u16>, option: usize| given.map_or(option, usize::from).max(1);
        let max_calls = at_least_one(properties.max_calls, options.max_calls_per_connection);
        Self {
            stream: properties.stream(options.stream.clone()),
            bidirection: None,
            offers: false,
            compression: None,
            network_priority: properties.network_priority,
            // A message that is sent in fragments is written whole first.
            copy_threshold: match fragment_size {
                None => octets(properties.copy_threshold).unwrap_or(options.copy_threshold),
                Some(_) => usize::MAX,
            },
            preallocate: octets(properties.preallocate).unwrap_or(options.preallocate),
            fragment_size,
            max_connections: at_least_one(
                properties.max_connections,
                options.max_connections_per_endpoint,
            ),
            max_of_process: options.max_client_connections,
            max_calls,
            max_request_octets: options.max_request_octets_per_endpoint,
            max_waiting: options.max_waiting_calls,
            max_wait: options.max_connection_wait,
            reconnect: ReconnectDelays {
                first: options.reconnect_delay,
                longest: options.max_reconnect_delay,
            },
            idle_limit: options.idle_timeout,
            queued: [properties.queued_calls, properties.queued_octets],
        }
    }
}
