//! The experiments.

/// An experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Two-way calls without arguments, with octets, structs, longs and doubles.
    Latency,
    /// Calls that cube numbers of several types, after the IDL_Cubit benchmark.
    Cubit,
    /// Floods of one-way calls, after the TTCP benchmark.
    Ttcp,
    /// Concurrent threads.
    Threads,
    /// The first call of a reference, and later ones.
    FirstCall,
    /// Idle connections beside an active one.
    Connections,
    /// Collocated calls.
    Collocated,
    /// Calls through a bridge.
    Bridge,
    /// Request demultiplexing.
    Demux,
    /// Copies of arguments over shared memory.
    Copies,
    /// Dynamic types: dynamic calls, anys, DynAnys.
    Dynamic,
    /// The steps of a call, with time probes.
    Probes,
}

impl Experiment {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Cubit => "cubit",
            Self::Ttcp => "ttcp",
            Self::Threads => "threads",
            Self::FirstCall => "first-call",
            Self::Connections => "connections",
            Self::Collocated => "collocated",
            Self::Bridge => "bridge",
            Self::Demux => "demux",
            Self::Copies => "copies",
            Self::Dynamic => "dynamic",
            Self::Probes => "probes",
        }
    }

    /// Whether it accepts several transports. They are measured in turns, if transports matter to it.
    #[must_use]
    pub const fn takes_transports(self) -> bool {
        !matches!(self, Self::FirstCall | Self::Connections | Self::Bridge)
    }

    /// The default number of rounds.
    pub(super) const fn default_rounds(self) -> usize {
        match self {
            Self::Ttcp => 3,
            Self::Dynamic | Self::Copies | Self::Probes => 5,
            Self::Latency
            | Self::Cubit
            | Self::Threads
            | Self::FirstCall
            | Self::Connections
            | Self::Collocated
            | Self::Bridge
            | Self::Demux => 10,
        }
    }
}
