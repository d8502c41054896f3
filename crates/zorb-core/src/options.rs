//! The ORB's options: one table, four fronts.
//!
//! Every option is defined once: those of every ORB in [`TABLE`], those of a protocol with the protocol
//! ([`Protocol::options`]); [`Options::table`] has both. It can be set by a builder method, an `-ORBName
//! value` argument, a `ZORB_NAME` environment variable or a key of `zorb.toml`; the later of
//! file < environment < arguments < builder wins. Unknown names and bad values are errors that
//! name the option and the place it came from.

mod fronts;
mod table;

#[cfg(test)]
mod tests;

use std::mem::discriminant;
use std::sync::Arc;
use std::time::Duration;

use zorb_giop::ProfileTag;
pub use zorb_transport::{OptionKind, OptionSpec};
use zorb_transport::{Protocol, StreamOptions, WaitPolicy};

use crate::collocation::CollocationStrategy;
use crate::error::{Error, Phase};

pub use table::TABLE;

/// Where a value came from, weakest first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The table's default.
    Default,
    /// A key of a configuration file.
    File(String),
    /// An environment variable.
    Environment(String),
    /// A command-line argument.
    Argument(String),
    /// A method of the builder.
    Builder,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "file {path}"),
            Self::Environment(variable) => write!(f, "environment {variable}"),
            Self::Argument(argument) => write!(f, "argument {argument}"),
            Self::Builder => f.write_str("builder"),
        }
    }
}

/// Protocols that a program was built without: the scheme of each, and the feature that brings it.
pub(crate) type LeftOut = &'static [(&'static str, &'static str)];

/// The effective values of all options, with their origins.
#[derive(Clone, Debug)]
pub struct Options {
    /// `-ORBid`: the name of this ORB among those of the process.
    pub orb_id: String,
    /// `-ORBListenEndpoints`: where to listen; empty means an ephemeral port when first needed.
    pub listen_endpoints: Vec<String>,
    /// `-ORBProtocols`: the schemes of the protocols that the ORB has, or with a `-` before each of those
    /// that it has not; empty for all.
    pub protocols: Vec<String>,
    /// `-ORBClientProtocols`: the schemes of the protocols that calls go by, in this order; empty for
    /// all, in the order of references. `any` at the end stands for the others.
    pub client_protocols: Vec<String>,
    /// `-ORBServerProtocols`: the schemes of the protocols to listen with, in this order; empty for those
    /// of the endpoints.
    pub server_protocols: Vec<String>,
    /// `-ORBInitRef`: initial references, as names and URLs.
    pub init_refs: Vec<(String, String)>,
    /// `-ORBDefaultInitRef`: a URL prefix for initial references that nothing else names.
    pub default_init_ref: Option<String>,
    /// The longest wait for a connection.
    pub connect_timeout: Duration,
    /// The longest wait for a reply; `None` waits for ever.
    pub round_trip_timeout: Option<Duration>,
    /// The longest wait of a server for a client to take a reply.
    pub send_timeout: Duration,
    /// How long a served connection may be silent before it is closed; `None` is for ever.
    pub idle_timeout: Option<Duration>,
    /// How long at most a thread that waits for a message looks for it before it sleeps.
    pub spin: Duration,
    /// Octets of the sockets' send queues; `None` leaves it to the system.
    pub send_queue: Option<usize>,
    /// Octets of the sockets' receive queues; `None` leaves it to the system.
    pub receive_queue: Option<usize>,
    /// Whether sockets send small messages at once.
    pub no_delay: bool,
    /// Whether the system probes idle connections.
    pub keep_alive: bool,
    /// Whether sockets send to hosts of this one's own networks alone.
    pub dont_route: bool,
    /// The class of service of connections over TCP (DSCP); `None` leaves it to the system.
    pub dscp: Option<u8>,
    /// The priority among what this machine sends; `None` leaves it to the system.
    pub socket_priority: Option<u32>,
    /// The most octets a second that a connection over TCP sends; `None` for no limit.
    pub pacing_rate: Option<u64>,
    /// Octets of memory that a client's connection has for messages from the start.
    pub preallocate: usize,
    /// From how many octets on a run of octets is sent from where it lies, not copied.
    pub copy_threshold: usize,
    /// The largest GIOP message accepted, fragments joined, in octets.
    pub max_message_size: usize,
    /// The most octets of a request that is sent in one piece; `None` never cuts.
    pub fragment_size: Option<u32>,
    /// The most connections served at once.
    pub max_connections: usize,
    /// The most connections opened to one endpoint.
    pub max_connections_per_endpoint: usize,
    /// The most calls at once over a client's connection.
    pub max_calls_per_connection: usize,
    /// The most one-way calls that wait in a queue in front of a connection.
    pub max_queued_calls: usize,
    /// The octets that these calls have at most together.
    pub max_queued_octets: usize,
    /// The most threads that serve one connection, when upcalls block.
    pub max_threads_per_connection: usize,
    /// The most requests that a holding POA manager keeps waiting.
    pub max_held_requests: usize,
    /// The most location forwards followed by one call.
    pub max_forwards: u32,
    /// How long an upcall may run before another thread takes over its connection.
    pub stall_takeover: Duration,
    /// How stubs call objects of their own ORB.
    pub collocation_strategy: CollocationStrategy,
    /// The kinds of profiles of the protocols that `ClientProtocols` and `ServerProtocols` name.
    pub(crate) chosen_profiles: [Vec<ProfileTag>; 2],
    /// Protocols that the program was built without.
    pub(crate) left_out: LeftOut,
    /// The options of the protocols.
    of_protocols: Vec<&'static [OptionSpec]>,
    /// What is set of the options that belong to a protocol or another part, by their names.
    of_parts: Vec<(&'static str, String)>,
    origins: Vec<(&'static str, Origin)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            orb_id: String::new(),
            listen_endpoints: Vec::new(),
            protocols: Vec::new(),
            client_protocols: Vec::new(),
            server_protocols: Vec::new(),
            init_refs: Vec::new(),
            default_init_ref: None,
            connect_timeout: Duration::from_millis(table::CONNECT_TIMEOUT_MS),
            round_trip_timeout: None,
            send_timeout: Duration::from_millis(table::SEND_TIMEOUT_MS),
            idle_timeout: Some(Duration::from_millis(table::IDLE_TIMEOUT_MS)),
            spin: Duration::ZERO,
            send_queue: None,
            receive_queue: None,
            no_delay: true,
            keep_alive: false,
            dont_route: false,
            dscp: None,
            socket_priority: None,
            pacing_rate: None,
            preallocate: 0,
            copy_threshold: table::COPY_THRESHOLD as usize,
            max_message_size: table::MAX_MESSAGE_SIZE as usize,
            fragment_size: None,
            max_connections: table::MAX_CONNECTIONS as usize,
            max_connections_per_endpoint: table::MAX_CONNECTIONS_PER_ENDPOINT as usize,
            max_calls_per_connection: table::MAX_CALLS_PER_CONNECTION as usize,
            max_queued_calls: table::MAX_QUEUED_CALLS as usize,
            max_queued_octets: table::MAX_QUEUED_OCTETS as usize,
            max_threads_per_connection: table::MAX_THREADS_PER_CONNECTION as usize,
            max_held_requests: table::MAX_HELD_REQUESTS as usize,
            max_forwards: table::MAX_FORWARDS as u32,
            stall_takeover: Duration::from_millis(table::STALL_TAKEOVER_MS),
            collocation_strategy: CollocationStrategy::default(),
            chosen_profiles: [const { Vec::new() }; 2],
            left_out: &[],
            of_protocols: Vec::new(),
            of_parts: Vec::new(),
            origins: Vec::new(),
        }
    }
}

impl Options {
    /// The defaults of an ORB with these protocols, in a program that was built without others.
    pub(crate) fn with(protocols: &[Arc<dyn Protocol>], left_out: LeftOut) -> Result<Self, Error> {
        let mut options = Self { left_out, ..Self::default() };
        for protocol in protocols {
            let (own, prefix) = (protocol.options(), option_prefix(&**protocol));
            // Protocols over one transport have the same.
            if own.is_empty() || options.of_protocols.iter().any(|known| std::ptr::eq(*known, own))
            {
                continue;
            }
            for spec in own {
                if without(prefix, spec.name).is_none() || options.find(spec.name).is_some() {
                    let what = format!("option {} of {}", spec.name, protocol.scheme());
                    let why = format!("its name is to begin with {prefix}, and to be no other's");
                    return Err(Error::new(Phase::Configure, what).because(why));
                }
            }
            options.of_protocols.push(own);
        }
        Ok(options)
    }

    /// Every option that there is here: those that every ORB has, then those of the protocols.
    pub fn table(&self) -> impl Iterator<Item = &'static OptionSpec> {
        TABLE.iter().chain(self.of_protocols.iter().copied().flatten())
    }

    fn find(&self, name: &str) -> Option<&'static OptionSpec> {
        table::find(self.table(), name)
    }

    /// Sets the option named `name` (in any of its spellings' case) from text.
    ///
    /// # Errors
    /// When there is no such option or the value does not fit it.
    pub fn set(&mut self, name: &str, value: &str, origin: Origin) -> Result<(), Error> {
        let spec = self.find(name).ok_or_else(|| self.unknown(name, &origin))?;
        let origin_before = self.origin(spec.name);
        // A stronger front replaces a list; within one front the list grows.
        let same_front = |known: &Origin| discriminant(known) == discriminant(&origin);
        if let Some(list) = self.list(spec.name)
            && !same_front(&origin_before)
        {
            list.clear();
        }
        self.assign(spec, value).map_err(|reason| refused(spec, value, &origin, &reason))?;
        self.note(spec.name, origin);
        Ok(())
    }

    /// What an option that is a list comes to.
    fn list(&mut self, name: &str) -> Option<&mut Vec<String>> {
        Some(match name {
            "ListenEndpoints" => &mut self.listen_endpoints,
            "Protocols" => &mut self.protocols,
            "ClientProtocols" => &mut self.client_protocols,
            "ServerProtocols" => &mut self.server_protocols,
            _ => return None,
        })
    }

    /// Where the option's present value came from.
    pub fn origin(&self, name: &str) -> Origin {
        self.origins
            .iter()
            .rev()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map_or(Origin::Default, |(_, origin)| origin.clone())
    }

    /// The option's present value as text, the way it could be set.
    pub fn value(&self, spec: &OptionSpec) -> String {
        match spec.name {
            "Id" => self.orb_id.clone(),
            "ListenEndpoints" => self.listen_endpoints.join(";"),
            "Protocols" => self.protocols.join(","),
            "ClientProtocols" => self.client_protocols.join(","),
            "ServerProtocols" => self.server_protocols.join(","),
            "InitRef" => {
                let pairs: Vec<_> =
                    self.init_refs.iter().map(|(name, url)| format!("{name}={url}")).collect();
                pairs.join(";")
            }
            "DefaultInitRef" => self.default_init_ref.clone().unwrap_or_default(),
            "ConnectTimeout" => self.connect_timeout.as_millis().to_string(),
            "RoundTripTimeout" => {
                self.round_trip_timeout.map_or(0, |timeout| timeout.as_millis()).to_string()
            }
            "SendTimeout" => self.send_timeout.as_millis().to_string(),
            "IdleTimeout" => self.idle_timeout.map_or(0, |timeout| timeout.as_millis()).to_string(),
            "Spin" => self.spin.as_micros().to_string(),
            "SndSock" => self.send_queue.unwrap_or(0).to_string(),
            "RcvSock" => self.receive_queue.unwrap_or(0).to_string(),
            "NoDelay" => yes_or_no(self.no_delay).to_owned(),
            "KeepAlive" => yes_or_no(self.keep_alive).to_owned(),
            "DontRoute" => yes_or_no(self.dont_route).to_owned(),
            "Dscp" => self.dscp.unwrap_or(0).to_string(),
            "SocketPriority" => self.socket_priority.unwrap_or(0).to_string(),
            "PacingRate" => self.pacing_rate.unwrap_or(0).to_string(),
            "Preallocate" => self.preallocate.to_string(),
            "MaxMessageSize" => self.max_message_size.to_string(),
            "FragmentSize" => self.fragment_size.unwrap_or(0).to_string(),
            "MaxConnections" => self.max_connections.to_string(),
            "MaxConnectionsPerEndpoint" => self.max_connections_per_endpoint.to_string(),
            "MaxCallsPerConnection" => self.max_calls_per_connection.to_string(),
            "MaxQueuedCalls" => self.max_queued_calls.to_string(),
            "MaxQueuedOctets" => self.max_queued_octets.to_string(),
            "MaxThreadsPerConnection" => self.max_threads_per_connection.to_string(),
            "MaxHeldRequests" => self.max_held_requests.to_string(),
            "CopyThreshold" => self.copy_threshold.to_string(),
            "MaxForwards" => self.max_forwards.to_string(),
            "StallTakeover" => self.stall_takeover.as_millis().to_string(),
            "CollocationStrategy" => self.collocation_strategy.to_string(),
            name if spec.kind == OptionKind::Named => {
                let values = self.of_parts.iter().filter(|(known, _)| *known == name);
                let values: Vec<_> = values.map(|(_, value)| value.as_str()).collect();
                values.join(";")
            }
            name => self.part_option(name).unwrap_or(spec.default).to_owned(),
        }
    }

    /// The options that are set and belong to a part beside the core, such as `rt`, in the order in which
    /// they were set: names without the part's, and values.
    pub fn of_part(&self, part: &str) -> Vec<(&str, &str)> {
        let set = self.of_parts.iter();
        set.filter_map(|(name, value)| Some((without(part, name)?, value.as_str()))).collect()
    }

    /// What is set of a protocol's options, each by its name without what the names of all of them begin
    /// with. One that is set to nothing is not set.
    pub(crate) fn of_protocol(&self, protocol: &dyn Protocol) -> Vec<(&str, &str)> {
        if protocol.options().is_empty() {
            return Vec::new();
        }
        let mut set = self.of_part(option_prefix(protocol));
        set.retain(|(_, value)| !value.is_empty());
        set
    }

    fn part_option(&self, name: &str) -> Option<&str> {
        let found = self.of_parts.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// What is to be had in place of a protocol that there is not, `known` being those that there are.
    #[cold]
    pub(crate) fn instead_of(&self, scheme: &str, known: &[Arc<dyn Protocol>]) -> String {
        let names: Vec<_> = known.iter().map(|protocol| protocol.scheme()).collect();
        let names = names.join(", ");
        match self.left_out.iter().find(|(left_out, _)| *left_out == scheme) {
            Some((_, feature)) => {
                format!("it comes with the feature {feature}; there are here: {names}")
            }
            None => format!("there are here: {names}"),
        }
    }

    /// How connected streams are set up.
    pub fn stream_options(&self) -> StreamOptions {
        StreamOptions {
            no_delay: self.no_delay,
            keep_alive: self.keep_alive,
            send_buffer: self.send_queue,
            recv_buffer: self.receive_queue,
            dont_route: self.dont_route,
            dscp: self.dscp,
            priority: self.socket_priority,
            pacing: self.pacing_rate,
        }
    }

    /// How threads wait for messages: the option `Spin`.
    pub fn wait_policy(&self) -> WaitPolicy {
        WaitPolicy::new(self.spin)
    }

    /// Why there is no option of this name.
    #[cold]
    fn unknown(&self, name: &str, origin: &Origin) -> Error {
        let left_out = self.left_out.iter().find(|(scheme, _)| without(scheme, name).is_some());
        if let Some((scheme, feature)) = left_out {
            let what = format!("option {name} ({origin}): this ORB has no protocol that takes it");
            let hint = format!("{scheme} comes with the feature {feature}");
            return Error::new(Phase::Configure, what).hint(hint);
        }
        let error = Error::new(Phase::Configure, format!("unknown option {name} ({origin})"));
        match table::nearest(self.table(), name) {
            Some(spec) => error.hint(format!("did you mean {}?", spec.name)),
            None => error.hint("`zorb config` lists every option"),
        }
    }

    fn note(&mut self, name: &'static str, origin: Origin) {
        self.origins.push((name, origin));
    }

    fn assign(&mut self, spec: &OptionSpec, value: &str) -> Result<(), String> {
        let number = |value: &str| parse_number(spec, value);
        match spec.name {
            "Id" => self.orb_id = value.to_owned(),
            "ListenEndpoints" | "Protocols" | "ClientProtocols" | "ServerProtocols" => {
                let words = value.split([';', ',']).map(str::trim).filter(|word| !word.is_empty());
                let is_names = spec.kind == OptionKind::Names;
                let spelt =
                    |word: &str| if is_names { word.to_ascii_lowercase() } else { word.to_owned() };
                let words: Vec<_> = words.map(spelt).collect();
                if let Some(list) = self.list(spec.name) {
                    list.extend(words);
                }
            }
            "InitRef" => {
                let (name, url) = value
                    .split_once('=')
                    .filter(|(name, url)| !name.is_empty() && !url.is_empty())
                    .ok_or("expected NAME=URL")?;
                self.init_refs.retain(|(known, _)| known != name);
                self.init_refs.push((name.to_owned(), url.to_owned()));
            }
            "DefaultInitRef" => self.default_init_ref = Some(value.to_owned()),
            "ConnectTimeout" => self.connect_timeout = Duration::from_millis(number(value)?),
            "RoundTripTimeout" => {
                let millis = number(value)?;
                self.round_trip_timeout = (millis > 0).then(|| Duration::from_millis(millis));
            }
            "SendTimeout" => self.send_timeout = Duration::from_millis(number(value)?),
            "IdleTimeout" => {
                let millis = number(value)?;
                self.idle_timeout = (millis > 0).then(|| Duration::from_millis(millis));
            }
            "Spin" => self.spin = Duration::from_micros(number(value)?),
            "SndSock" => self.send_queue = Some(number(value)? as usize).filter(|&size| size > 0),
            "RcvSock" => {
                self.receive_queue = Some(number(value)? as usize).filter(|&size| size > 0);
            }
            "NoDelay" => self.no_delay = is_yes(value)?,
            "KeepAlive" => self.keep_alive = is_yes(value)?,
            "DontRoute" => self.dont_route = is_yes(value)?,
            "Dscp" => {
                self.dscp = u8::try_from(number(value)?).ok().filter(|&class| class > 0);
            }
            "SocketPriority" => {
                self.socket_priority = u32::try_from(number(value)?).ok().filter(|&it| it > 0);
            }
            "PacingRate" => self.pacing_rate = Some(number(value)?).filter(|&rate| rate > 0),
            "Preallocate" => self.preallocate = number(value)? as usize,
            "MaxMessageSize" => self.max_message_size = number(value)? as usize,
            "FragmentSize" => {
                self.fragment_size = u32::try_from(number(value)?).ok().filter(|&size| size > 0);
            }
            "MaxConnections" => self.max_connections = number(value)? as usize,
            "MaxConnectionsPerEndpoint" => {
                self.max_connections_per_endpoint = number(value)? as usize;
            }
            "MaxCallsPerConnection" => self.max_calls_per_connection = number(value)? as usize,
            "MaxQueuedCalls" => self.max_queued_calls = number(value)? as usize,
            "MaxQueuedOctets" => self.max_queued_octets = number(value)? as usize,
            "MaxThreadsPerConnection" => self.max_threads_per_connection = number(value)? as usize,
            "MaxHeldRequests" => self.max_held_requests = number(value)? as usize,
            "CopyThreshold" => self.copy_threshold = number(value)? as usize,
            "MaxForwards" => self.max_forwards = number(value)? as u32,
            "StallTakeover" => self.stall_takeover = Duration::from_millis(number(value)?),
            "CollocationStrategy" => self.collocation_strategy = value.parse()?,
            name => {
                if let OptionKind::Number(..) = spec.kind {
                    number(value)?;
                }
                if let OptionKind::OneOf(words) = spec.kind
                    && !words.iter().any(|word| word.eq_ignore_ascii_case(value))
                {
                    return Err(format!("it is one of {}", words.join(", ")));
                }
                // Of named ones, the one of the same name.
                let mut same = "";
                if spec.kind == OptionKind::Named {
                    let (first, _) = value.split_once('=').ok_or("expected NAME=WORDS")?;
                    same = first;
                }
                self.of_parts.retain(|(known, value)| {
                    *known != name || !(same.is_empty() || value.split('=').next() == Some(same))
                });
                self.of_parts.push((name, value.to_owned()));
            }
        }
        Ok(())
    }
}

fn yes_or_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

fn is_yes(value: &str) -> Result<bool, String> {
    match value.trim() {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("expected yes or no".to_owned()),
    }
}

/// What the names of a protocol's options begin with: its scheme, the last name of one that is made of
/// several. Whatever messaging is over TLS, it is set up as TLS is.
fn option_prefix(protocol: &dyn Protocol) -> &str {
    let scheme = protocol.scheme();
    scheme.rsplit('+').next().unwrap_or(scheme)
}

/// What follows `prefix`, in any case, in the name of an option.
fn without<'n>(prefix: &str, name: &'n str) -> Option<&'n str> {
    let (first, rest) = name.split_at_checked(prefix.len())?;
    first.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn refused(spec: &OptionSpec, value: &str, origin: &Origin, reason: &str) -> Error {
    Error::new(Phase::Configure, format!("option {} = {value:?} ({origin}): {reason}", spec.name))
        .hint(spec.help)
}

fn parse_number(spec: &OptionSpec, value: &str) -> Result<u64, String> {
    let OptionKind::Number(least, most) = spec.kind else {
        return Err("not a number".to_owned());
    };
    let number: u64 =
        value.trim().parse().map_err(|_| format!("expected a number from {least} to {most}"))?;
    if (least..=most).contains(&number) {
        Ok(number)
    } else {
        Err(format!("out of range: {least} to {most} {}", spec.unit).trim_end().to_owned())
    }
}
