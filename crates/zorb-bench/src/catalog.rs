//! The experiments of `zorb bench` as a table: what commands, runs and pages need to know of each.

/// An experiment.
#[derive(Debug)]
pub struct Experiment {
    /// Its name on the command line, in results and on pages.
    pub name: &'static str,
    /// What it measures, for the help.
    pub about: &'static str,
    /// More help.
    pub details: Option<&'static str>,
    /// Its title on pages.
    pub title: &'static str,
    /// Its description on pages, in HTML.
    pub text: &'static str,
    /// What it runs.
    pub kind: Kind,
    /// The default number of rounds.
    pub rounds: usize,
    /// The transports.
    pub transports: Transports,
    /// The default size of socket buffers in octets; the system's without it.
    ///
    /// With buffers that the system resizes, a flood runs at one of two speeds at random, with bare
    /// sockets too; with the buffer size of the TTCP benchmark it runs at one.
    pub socket_queue: Option<usize>,
    /// Whether charts show throughput, although single calls are timed.
    pub throughput: bool,
    /// Whether its claims are about numbers that are counted, which even a quick run decides.
    pub counts: bool,
}

/// What an experiment runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two-way calls.
    Latency,
    /// Calls that cube numbers.
    Cubit,
    /// Floods of one-way calls.
    Ttcp,
    /// Concurrent threads.
    Threads,
    /// Pending calls on one connection.
    Pending,
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
    /// Both marshalling engines.
    Param,
    /// Structs that are decoded, and read in place.
    Views,
    /// Dynamic calls, anys, DynAnys.
    Dynamic,
    /// Calls and floods beside a conventional ORB.
    Conventional,
    /// The steps of a call, with time probes.
    Probes,
}

/// The transports that an experiment accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transports {
    /// One.
    One,
    /// Several, which are measured in turns if they matter to it; by default these, or IIOP.
    Several(&'static [&'static str]),
}

/// The defaults of an experiment.
const CALLS: Experiment = Experiment {
    name: "",
    about: "",
    details: None,
    title: "",
    text: "",
    kind: Kind::Latency,
    rounds: 10,
    transports: Transports::Several(&[]),
    socket_queue: None,
    throughput: false,
    counts: false,
};

/// All experiments, in the order of the help.
pub const EXPERIMENTS: [Experiment; 16] = [
    Experiment {
        name: "latency",
        about: "Measure two-way calls: without arguments, octets, structs, longs, doubles",
        title: "Two-way calls",
        text: "One client thread calls and waits for the reply, which is checked.",
        ..CALLS
    },
    Experiment {
        name: "cubit",
        about: "Measure calls that cube numbers of several types, after the IDL_Cubit benchmark",
        details: Some(
            "Transports: by default IIOP, UIOP, SHMIOP, and GIOPlite over TCP and Unix-domain \
             sockets, in turns; see --transport.",
        ),
        title: "Cubes of numbers",
        text: "Two-way calls that return the cubes of their arguments, after the IDL_Cubit \
               benchmark.",
        kind: Kind::Cubit,
        transports: Transports::Several(&[
            "iiop",
            "lite+iiop",
            "short+iiop",
            "uiop",
            "lite+uiop",
            "short+uiop",
            "shmiop",
        ]),
        ..CALLS
    },
    Experiment {
        name: "ttcp",
        about: "Measure floods of oneway calls of seven types, after the TTCP benchmark",
        title: "One-way floods",
        text: "One-way calls at full speed, after the TTCP benchmark; the server counts what \
               arrives.",
        kind: Kind::Ttcp,
        rounds: 3,
        socket_queue: Some(64 << 10),
        throughput: true,
        ..CALLS
    },
    Experiment {
        name: "threads",
        about: "Measure 1 to 64 concurrent threads, with exclusive and with shared connections",
        title: "Threads",
        text: "Concurrent threads, each with a connection of its own, or with one shared connection.",
        kind: Kind::Threads,
        throughput: true,
        ..CALLS
    },
    Experiment {
        name: "pending",
        about: "Measure pending calls on one connection, a caller that waits for each reply, and threads \
                that share a connection",
        title: "Pending calls",
        text: "One thread sends many calls before it takes the first result, or waits for each; eight \
               threads wait on one connection.",
        kind: Kind::Pending,
        rounds: 5,
        transports: Transports::One,
        throughput: true,
        ..CALLS
    },
    Experiment {
        name: "first-call",
        about: "Measure the first call of a reference: unbound, bound before, and a later call",
        title: "First calls",
        text: "The first call of a reference with a private connection, unbound and bound before, \
               and a later call.",
        kind: Kind::FirstCall,
        transports: Transports::One,
        ..CALLS
    },
    Experiment {
        name: "connections",
        about: "Measure a busy connection beside up to 10,000 idle ones",
        title: "Idle connections",
        text: "One active client beside an increasing number of idle connections to its server.",
        kind: Kind::Connections,
        transports: Transports::One,
        ..CALLS
    },
    Experiment {
        name: "collocated",
        about: "Measure collocated calls: a virtual call of the servant, and each collocation \
                strategy, including the servant's work",
        title: "Collocated calls",
        text: "Client and object are in the same process.",
        kind: Kind::Collocated,
        ..CALLS
    },
    Experiment {
        name: "bridge",
        about: "Measure calls through a bridge, through a bare relay, and direct calls",
        details: Some(
            "Protocols: between iiop, uiop and shmiop, between iiop and lite+iiop, and from ssliop \
             to iiop, with temporary certificates unless options name some \
             (-ORBSsliopCertificate etc.).",
        ),
        title: "Calls through a bridge",
        text: "Calls through a bridge between two protocols, through a relay that only forwards \
               octets, and direct calls.",
        kind: Kind::Bridge,
        transports: Transports::One,
        ..CALLS
    },
    Experiment {
        name: "demux",
        about: "Measure request demultiplexing: Zorb's way to find object and operation, and \
                alternatives",
        title: "Request demultiplexing",
        text: "Lookup of objects and operations among increasing numbers of them, with several \
               algorithms.",
        kind: Kind::Demux,
        ..CALLS
    },
    Experiment {
        name: "copies",
        about: "Count copies of an argument over shared memory: from client memory with and without \
                shared buffers, and from a loaned buffer",
        title: "Copies of arguments",
        text: "Octets passed over shared memory: without shared buffers, copied into one, and \
               written in place in one. The row's name contains the number of copies.",
        kind: Kind::Copies,
        rounds: 5,
        counts: true,
        ..CALLS
    },
    Experiment {
        name: "param",
        about: "Measure calls of seven types by both marshalling engines, after the Param_Test benchmark",
        title: "Marshalling engines",
        text: "Two-way calls with values of seven types as in, inout and out parameters and as \
               results, after the Param_Test benchmark: marshalled by compiled code, and by the \
               interpretive engine.",
        kind: Kind::Param,
        transports: Transports::One,
        ..CALLS
    },
    Experiment {
        name: "views",
        about: "Measure calls with 4096 structs, which the servant gets decoded, or as a view that reads \
                them in place",
        details: Some(
            "Transports: by default IIOP and SHMIOP, in turns; see --transport. Over SHMIOP, \
             busy-waiting peers take part.",
        ),
        title: "Views",
        text: "Two-way calls that add up a member of each struct of a sequence: the servant gets the \
               structs decoded, or reads them in place.",
        kind: Kind::Views,
        transports: Transports::Several(&["iiop", "shmiop"]),
        ..CALLS
    },
    Experiment {
        name: "dynamic",
        about: "Measure values of dynamic types: DII calls, anys as octets, and DynAnys composed and \
                decomposed",
        title: "Dynamic types",
        text: "Calls through the dynamic invocation interface, anys encoded and decoded, and values \
               composed and decomposed leaf by leaf in a DynAny.",
        kind: Kind::Dynamic,
        rounds: 5,
        ..CALLS
    },
    Experiment {
        name: "conventional",
        about: "Measure calls and floods beside an ORB that works as conventional ORBs did in 1997",
        details: Some(
            "The conventional ORB is the program `zorb-ladder`, which has to be beside `zorb`: \
             `cargo build --release -p zorb-ladder` in Zorb's source tree builds it.",
        ),
        title: "A conventional ORB",
        text: "Two-way calls and one-way floods with octets and structs, by Zorb, bare sockets, and an \
               ORB that copies, interprets types and buffers as conventional ORBs did.",
        kind: Kind::Conventional,
        rounds: 5,
        transports: Transports::One,
        socket_queue: Some(64 << 10),
        ..CALLS
    },
    Experiment {
        name: "probes",
        about: "Measure the steps of a call in client and server, with time probes in every layer",
        details: Some(
            "Transports: by default IIOP and UIOP in turns; see --transport. The peers must be \
             built with probes: `cargo xtask peers probing` builds one in target/peers/probing, \
             where this command finds it.",
        ),
        title: "Steps of a call",
        text: "Time that each layer of client and server takes of a call, from time probes.",
        kind: Kind::Probes,
        rounds: 5,
        transports: Transports::Several(&["iiop", "uiop"]),
        ..CALLS
    },
];

impl Experiment {
    /// The experiment of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        const ALL: &[Experiment] = &EXPERIMENTS;
        ALL.iter().find(|experiment| experiment.name == name)
    }

    /// Whether the client serves the object itself.
    #[must_use]
    pub fn is_collocated(&self) -> bool {
        self.kind == Kind::Collocated
    }

    /// The transports to measure in turns: the selected ones, or its own.
    #[must_use]
    pub fn transports(&self, selected: &[String]) -> Vec<String> {
        match self.transports {
            Transports::Several(own) if selected.is_empty() => {
                own.iter().map(|scheme| (*scheme).to_owned()).collect()
            }
            _ => selected.to_vec(),
        }
    }
}
