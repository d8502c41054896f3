//! The properties of connections.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_transport::StreamOptions;

use super::{Levels, Policies, Policy, PolicyType, TypedPolicy};
use crate::options::Options;

/// The properties of connections (`RTCORBA::TCPProtocolProperties` and others). A property that is `None` has
/// the value of the next weaker level, and finally that of the ORB's options. Protocols ignore properties that
/// they do not have.
///
/// They are a policy for connections of all protocols, and part of [`ClientProtocols`] for those of one
/// protocol. Each property is taken from the strongest level that sets it: call, reference, thread, ORB. Within
/// a level the protocol's properties take precedence. Calls with different properties do not share connections.
///
/// As a policy of an object adapter they apply to the connections of the adapter's clients, from their
/// first request to the adapter on, and to its replies. Adapters inherit them from the ORB when they are
/// created. Properties of the protocol in [`ServerProtocols`] take precedence here, too. `max_connections` and
/// the fields after it apply to clients only.
///
/// [`ClientProtocols`]: super::ClientProtocols
/// [`ServerProtocols`]: super::ServerProtocols
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ConnectionProperties {
    /// The size in octets of the system's send queue.
    pub send_buffer: Option<u32>,
    /// The size in octets of the system's receive queue.
    pub receive_buffer: Option<u32>,
    /// Whether the system probes idle connections (TCP).
    pub keep_alive: Option<bool>,
    /// Whether small messages are sent at once (TCP).
    pub no_delay: Option<bool>,
    /// Whether messages are sent without routers, only to directly connected networks (TCP and UDP).
    pub dont_route: Option<bool>,
    /// Whether a connection that serves one priority has its network class, unless `dscp` and `socket_priority`
    /// are set (TAO's `enable_network_priority`; TCP and UDP). `zorb-rt` defines the classes, linear ones by
    /// default, and the default of this property.
    pub network_priority: Option<bool>,
    /// The class of service that routers see (DSCP, 0 to 63; TCP and UDP).
    pub dscp: Option<u8>,
    /// The priority in this machine's send queues (`SO_PRIORITY`; TCP and UDP). Values above 6 need a privilege.
    pub socket_priority: Option<u32>,
    /// The maximum rate of sending, in octets per second (TCP).
    pub pacing_rate: Option<u64>,
    /// The minimum size in octets of a sequence at the end of a message that is sent without a copy.
    pub copy_threshold: Option<u32>,
    /// The initial size in octets of the buffer of requests, or of a server thread's replies. Up to 1 MiB
    /// is retained between messages.
    pub preallocate: Option<u32>,
    /// The maximum size in octets of a message, with GIOP 1.2; larger ones are sent in fragments.
    pub fragment_size: Option<u32>,
    /// The maximum number of connections to one endpoint; further callers wait for one.
    pub max_connections: Option<u16>,
    /// The maximum number of concurrent calls over a connection; further callers wait.
    pub max_calls: Option<u16>,
    /// The maximum number of one-way calls in the client's queue. The policy `OnewayQueue` defines what happens
    /// to further ones.
    pub queued_calls: Option<u32>,
    /// The maximum total size of these calls in octets.
    pub queued_octets: Option<u32>,
}

/// Converts a size in octets to `usize`; `None` if it is not set or does not fit.
pub fn octets(size: Option<u32>) -> Option<usize> {
    size.and_then(|octets| usize::try_from(octets).ok())
}

impl ConnectionProperties {
    /// These properties, with those of `weaker` where these are `None`.
    #[must_use]
    pub fn or(self, weaker: Self) -> Self {
        Self {
            send_buffer: self.send_buffer.or(weaker.send_buffer),
            receive_buffer: self.receive_buffer.or(weaker.receive_buffer),
            keep_alive: self.keep_alive.or(weaker.keep_alive),
            no_delay: self.no_delay.or(weaker.no_delay),
            dont_route: self.dont_route.or(weaker.dont_route),
            network_priority: self.network_priority.or(weaker.network_priority),
            dscp: self.dscp.or(weaker.dscp),
            socket_priority: self.socket_priority.or(weaker.socket_priority),
            pacing_rate: self.pacing_rate.or(weaker.pacing_rate),
            copy_threshold: self.copy_threshold.or(weaker.copy_threshold),
            preallocate: self.preallocate.or(weaker.preallocate),
            fragment_size: self.fragment_size.or(weaker.fragment_size),
            max_connections: self.max_connections.or(weaker.max_connections),
            max_calls: self.max_calls.or(weaker.max_calls),
            queued_calls: self.queued_calls.or(weaker.queued_calls),
            queued_octets: self.queued_octets.or(weaker.queued_octets),
        }
    }

    /// The properties that `options` set.
    #[doc(hidden)]
    pub fn of(options: &Options) -> Self {
        let small = |octets: usize| u32::try_from(octets).unwrap_or(u32::MAX);
        let count = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        Self {
            send_buffer: options.stream.send_buffer.map(small),
            receive_buffer: options.stream.receive_buffer.map(small),
            keep_alive: Some(options.stream.keep_alive),
            no_delay: Some(options.stream.no_delay),
            dont_route: Some(options.stream.dont_route),
            network_priority: None,
            dscp: options.stream.dscp,
            socket_priority: options.stream.socket_priority,
            pacing_rate: options.stream.pacing_rate,
            copy_threshold: Some(small(options.copy_threshold)),
            preallocate: Some(small(options.preallocate)),
            fragment_size: options.fragment_size,
            max_connections: Some(count(options.max_connections_per_endpoint)),
            max_calls: Some(count(options.max_calls_per_connection)),
            queued_calls: Some(small(options.max_queued_calls)),
            queued_octets: Some(small(options.max_queued_octets)),
        }
    }

    /// The properties that `options` set for accepted connections: without preallocation, fragments and limits,
    /// which apply to clients only.
    #[doc(hidden)]
    pub fn of_served(options: &Options) -> Self {
        Self {
            preallocate: None,
            fragment_size: None,
            max_connections: None,
            max_calls: None,
            queued_calls: None,
            queued_octets: None,
            ..Self::of(options)
        }
    }

    /// The stream options with these properties, and those of `options` where these are `None`.
    #[doc(hidden)]
    pub fn stream(&self, options: StreamOptions) -> StreamOptions {
        StreamOptions {
            no_delay: self.no_delay.unwrap_or(options.no_delay),
            keep_alive: self.keep_alive.unwrap_or(options.keep_alive),
            send_buffer: octets(self.send_buffer).or(options.send_buffer),
            receive_buffer: octets(self.receive_buffer).or(options.receive_buffer),
            dont_route: self.dont_route.unwrap_or(options.dont_route),
            dscp: self.dscp.or(options.dscp),
            socket_priority: self.socket_priority.or(options.socket_priority),
            pacing_rate: self.pacing_rate.or(options.pacing_rate),
        }
    }

    /// All properties as numbers, -1 for `None`.
    #[doc(hidden)]
    pub fn words(&self) -> [i64; 16] {
        let small = |given: Option<u32>| given.map_or(-1, i64::from);
        let flag = |given: Option<bool>| given.map_or(-1, i64::from);
        [
            small(self.send_buffer),
            small(self.receive_buffer),
            flag(self.keep_alive),
            flag(self.no_delay),
            small(self.dscp.map(u32::from)),
            small(self.socket_priority),
            self.pacing_rate.map_or(-1, |rate| i64::try_from(rate).unwrap_or(i64::MAX)),
            small(self.copy_threshold),
            small(self.preallocate),
            small(self.fragment_size),
            small(self.max_connections.map(u32::from)),
            small(self.max_calls.map(u32::from)),
            small(self.queued_calls),
            small(self.queued_octets),
            flag(self.dont_route),
            flag(self.network_priority),
        ]
    }
}

/// Encoded as a list of numbers, -1 for `None`. References do not contain it.
impl TypedPolicy for ConnectionProperties {
    const POLICY_TYPE: PolicyType = PolicyType::CONNECTION_PROPERTIES;
    const LEVELS: Levels = Levels::CLIENT.and(Levels::ADAPTER);

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.words().iter().for_each(|word| writer.write_i64(*word));
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        fn number<N: TryFrom<i64>>(reader: &mut CdrReader<'_>) -> CdrResult<Option<N>> {
            match reader.read_i64()? {
                -1 => Ok(None),
                word => match N::try_from(word) {
                    Ok(number) => Ok(Some(number)),
                    Err(_) => Err(reader.error(CdrErrorKind::BoundExceeded, "property")),
                },
            }
        }
        let flag = |reader: &mut CdrReader<'_>| {
            number::<u8>(reader).map(|given| given.map(|flag| flag != 0))
        };
        Ok(Self {
            send_buffer: number(reader)?,
            receive_buffer: number(reader)?,
            keep_alive: flag(reader)?,
            no_delay: flag(reader)?,
            dscp: number(reader)?,
            socket_priority: number(reader)?,
            pacing_rate: number(reader)?,
            copy_threshold: number(reader)?,
            preallocate: number(reader)?,
            fragment_size: number(reader)?,
            max_connections: number(reader)?,
            max_calls: number(reader)?,
            queued_calls: number(reader)?,
            queued_octets: number(reader)?,
            dont_route: flag(reader)?,
            network_priority: flag(reader)?,
        })
    }

    fn merged_under(&self, stronger: &Policies) -> Option<Policy> {
        let own: Self = stronger.value().copied().unwrap_or_default();
        Some(Policy::new(own.or(*self)))
    }
}
