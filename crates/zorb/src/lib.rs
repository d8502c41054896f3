//! Zorb: a real-time CORBA object request broker (ORB).
//!
//! Programs depend on this crate, and in their build scripts on `zorb-build`, which compiles IDL to Rust. It re-exports
//! the API and registers the [protocols] of the build.
//!
//! ```toml
//! [dependencies]
//! zorb = { path = "../zorb/crates/zorb" }
//!
//! [build-dependencies]
//! zorb-build = { path = "../zorb/crates/zorb-build" }
//! ```
//!
//! # A server
//!
//! The interface is `module Hello { interface Greeter { string say_hello(in string name); }; };` in `idl/hello.idl`. The
//! build script compiles it with `zorb_build::compile("idl/hello.idl")`, and [`include_idl!("hello")`](include_idl!)
//! includes the result: the module `hello` with the reference type `Greeter` and the servant trait `GreeterServant`.
//!
//! ```no_run
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../zorb-idl-rust/tests/golden/hello.rs"));
//! use hello::{Greeter, GreeterServant};
//!
//! struct MyGreeter;
//!
//! impl GreeterServant for MyGreeter {
//!     fn say_hello(&self, name: &str) -> zorb::Result<String> {
//!         Ok(format!("Hello {name}!"))
//!     }
//! }
//!
//! fn main() -> Result<(), zorb::Error> {
//!     let orb = zorb::Orb::builder().listen("iiop://127.0.0.1:2809").build()?;
//!     let greeter: Greeter = orb.root_poa().activate(MyGreeter)?;
//!     orb.publish("greeter", &greeter)?;
//!     orb.run_until_signal()
//! }
//! ```
//!
//! # A client
//!
//! ```no_run
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../zorb-idl-rust/tests/golden/hello.rs"));
//! fn main() -> Result<(), zorb::Error> {
//!     let orb = zorb::Orb::new()?;
//!     let greeter: hello::Greeter = orb.resolve("corbaloc::127.0.0.1:2809/greeter")?;
//!     println!("{}", greeter.say_hello("Rust")?);
//!     Ok(())
//! }
//! ```
//!
//! # Where to find what
//!
//! | Task | API |
//! |---|---|
//! | configure and create an ORB | [`OrbBuilder`], [`options`] |
//! | resolve and publish references | [`Orb`], [`ObjectRef`], [`Interface`] |
//! | activate servants | [`poa`] |
//! | call without waiting for the result | [`Pending`], [`PollableSet`], [`messaging`] |
//! | defer the reply of a request (AMH) | [`poa::DeferredServant`], [`poa::AsyncServant`] |
//! | timeouts, retries, endpoint selection | [`policy`] |
//! | handle errors | [`Error`], [`SystemException`], [`UserException`] |
//! | priorities, thread pools | [`rt`] |
//! | run code around calls | [`interceptor`] |
//! | find out what happens inside the ORB | its log: install a subscriber of `tracing` |
//! | values and calls without generated code | [`Any`], [`TypeCode`], [`dynamic`] |
//! | valuetypes | [`Value`], [`value`] |
//! | TLS | `zorb::tls` (feature `tls`) |
//! | write a transport or a protocol | [`transport`], [`protocols`], [`giop`], [`cdr`] |
//!
//! # Features
//!
//! Features add API and protocols; they never change existing behavior. The first three are enabled by default: without
//! them, with `default-features = false`, there are IIOP and GIOPlite over TCP, and a program is smaller.
//!
//! | Feature | Adds |
//! |---|---|
//! | `shm` | SHMIOP: shared memory |
//! | `toml` | configuration files; without it, an ORB whose environment names one is not created |
//! | `unix` | UIOP: Unix-domain sockets |
//! | `rt` | real-time CORBA: `RtOrb`, thread pools, mutexes and the options `Rt...`. Without it, [`rt`] contains only the policies that references of real-time servers carry |
//! | `tls` | SSLIOP, and `zorb::tls`; building it needs a C compiler |
//! | `udp` | DIOP and MIOP: one-way calls in datagrams, to objects and to groups |
//! | `arq` | GIOP over a reliable stream over UDP: the URL scheme `rudp` |
//! | `sctp` | SCIOP: GIOP over SCTP over UDP |
//! | `short` | short messages: small requests in a few octets, `short+iiop` and `short+uiop` |
//! | `buffers` | arguments and results in shared memory without a copy (SHMIOP) |
//! | `ziop` | compressed messages, and `zorb::ziop` |
//! | `zstd` | the same with Zstandard beside zlib, between Zorb programs; needs a C compiler |
//! | `usage` | the option `UsageFile`, for marshalling by profile, and `zorb::usage` |
//! | `json` | `zorb::dynamic::json`: values as JSON |
//!
//! # The book
//!
//! The folder `docs` of the repository contains the book: `docs/src/quickstart.md` leads to a service of your own in ten
//! minutes, `docs/src/tutorial.md` introduces most features, and `docs/src/SUMMARY.md` lists the chapters about IDL in
//! Rust, object adapters, policies, interceptors, protocols, configuration, errors and the log, real time, limits and
//! performance.
//!
//! # Not supported yet
//!
//! Rust for components, event types, valuetypes with local or native state, and sequences and maps of structs without
//! members (E0309, E0310, E0303, E0313); of Portable Interceptors, all but request [interceptors](interceptor) and slots.
//! Only Linux is tested.
#![forbid(unsafe_code)]

mod orb;
pub mod protocols;

pub use orb::{Orb, OrbBuilder};
pub use zorb_cdr::{
    Bounded, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Members, Octets,
    Premarshalled, SequenceView, SequenceViewIter, WChar, WString, WideStringView, Wire,
};
pub use zorb_core::{
    Abstract, AbstractOperations, AnyUserException, BufferStrategy, Caller, CharCodeSet,
    CollocationStrategy, Context, CustomMarshal, Error, ErrorContext, Health, Interface,
    InvalidName, ListenFrom, Loan, LoanedOctets, Native, NumberedResult, ObjectRef, OnewayQueue,
    OrbMetrics, Pending, Phase, PolicyCurrent, PolicyManager, PollableSet, Raises, ReadResults,
    Ref, Result, SendEndTimes, ServedBy, ServiceDetail, ServiceDetailType, ServiceInformation,
    ServiceOption, ServiceType, UserException, Value, ValueBase, ValueOperations, WeakOrb,
    WithOperations,
};
pub use zorb_types::{
    Any, CompletionStatus, Fixed, FixedError, FixedValue, LongDouble, MinorCode, Report,
    RepositoryId, SystemException, SystemExceptionKind, TcKind, TypeCode, TypeCodeError, Typed,
    UnionCase, ValueMember, ValueModifier, Visibility, minor,
};

#[doc(hidden)]
pub use zorb_core::codegen;

/// Reply handlers: objects that get the results of pending calls (AMI callbacks).
pub mod messaging {
    pub use zorb_core::messaging::{ExceptionHolder, ReplyHandler, ReplyHandlerServant};
}

/// Request interceptors: code that runs at defined points of every request, in the client or the server.
pub mod interceptor {
    pub use zorb_core::PiCurrent;
    pub use zorb_core::interceptor::{
        ClientRequestInfo, ClientRequestInterceptor, EndTimes, InvalidSlot, RequestOutcome,
        ServerRequestInfo, ServerRequestInterceptor, SlotId,
    };
}

/// The options of an ORB, with the origin of each value.
///
/// The program sets them with typed methods of [`OrbBuilder`], the operator in a file (`zorb.toml`), in the environment
/// (`ZORB_NAME`) and by arguments (`-ORBName value`). The operator's values win over the program's, unless the program
/// [forces](OrbBuilder::force) its own.
pub mod options {
    pub use zorb_core::options::{
        NameValuePairs, OptionKind, OptionSet, OptionSets, OptionSpec, OptionValue, Options,
        OrbOptions, Origin, Override, SetOption, SetStreamOptions, StreamOptions, split_arguments,
    };
}

/// The portable object adapter (POA): maps object ids to servants according to its policies.
pub mod poa {
    pub use zorb_core::poa::{
        AdapterActivator, AnyServant, AsyncServant, DeferredServant, Etherealization, ForwardTo,
        Forwarder, HeldRequests, IdAssignment, IdUniqueness, ImplicitActivation, KeyParts,
        Lifespan, ManagerState, ObjectId, Poa, PoaCurrent, PoaError, PoaManager, PoaManagerFactory,
        PoaPolicies, RequestProcessing, Response, ServantActivator, ServantLocator,
        ServantManagerError, ServantRetention, Task, ThreadModel, Upcall, system_id,
    };
}

/// Policies: settings of calls, connections and object adapters.
///
/// A policy is set for a call, a reference, a thread, the ORB or an object adapter; the most specific setting applies.
/// Those of real-time CORBA are in [`rt`].
pub mod policy {
    pub use zorb_core::policy::{
        BidirectionalPolicy, ClientProtocols, ConnectionProperties, ConnectionTimeout, Deadline,
        EffectivePolicies, Levels, MaxHops, Policies, Policy, PolicyError, PolicyType,
        PrivateConnection, ProtocolChoice, Rebind, RelativeRequestTimeout,
        RelativeRoundtripTimeout, ReplyEndTime, RequestEndTime, ServeInTime, ServerProtocols,
        SetOverrideType, SyncScope, TypedPolicy,
    };
}

/// Valuetypes: the traits that generated code implements, casts, and factories by repository id.
pub mod value {
    pub use zorb_core::value::{
        Cast, Handle, HandleArgument, Inherits, KnownValue, Operated, ValueKind, ValueRegistry,
        ValueType,
    };
}

/// Real-time CORBA: priorities, priority bands, thread pools and their lanes.
///
/// The policies that all ORBs understand are always there. The feature `rt` adds `RtOrb`, which creates thread pools and
/// maps CORBA priorities to the operating system's.
pub mod rt {
    pub use zorb_core::lanes::{LaneCounts, LaneMetrics};
    pub use zorb_core::policy::{
        NetworkClass, NetworkPriorities, Priority, PriorityBand, PriorityBands, PriorityModel,
        ThreadpoolPolicy,
    };
    #[cfg(feature = "rt")]
    pub use zorb_rt::{
        Buffering, BufferingConstraint, Continuous, CountingAllocator, Denied, Direct,
        DynamicLifespan, Expansion, Finding, FlowCounts, FlowEvent, FlowLimits, InvocationPriority,
        LaneBuilder, LaneViolations, Linear, LinearNetwork, LogCounts, LogLine, LogQueue,
        LogQueueBuilder, NativePriority, NetworkPriorityMapping, ObjectQos, OutputQueue,
        OutputQueueBuilder, PiGuard, PiMutex, PriorityMapping, PriorityMappingManager,
        PriorityTransform, Qos, QosClass, RtCurrent, RtMapping, RtNetwork, RtOneways, RtOptions,
        RtOrb, RtOrbBuilder, SavedPriority, SchedulingPolicy, SetRtOptions, Strategy, Threadpool,
        ThreadpoolBuilder, Verdict, WhenFull, examine, expand,
    };
}

/// The traits of transports and protocols, for their authors.
pub mod transport {
    pub use zorb_transport::{
        AcceptError, Acceptor, Backoff, BusyWait, Composed, ConnectAttempt, ConnectError,
        ConnectOptions, ConnectPhase, Endpoint, EndpointError, Groups, ListenError, ListenOptions,
        LocalSocket, MAX_PROFILE_ENDPOINTS, MAX_URL_LEN, OptionNumber, PeerIdentity, ProfileError,
        PropertyField, Protocol, ProtocolRegistry, PublishRule, PublishRules, PublishVerdict,
        ReceivedBuffer, RegistryError, ResolvedProfile, SendBuffer, Stream, Transport, WaitPolicy,
        WorkerThreads, Workers, for_each_profile, join_profiles, options, property_fields,
        strip_scheme,
    };

    /// A transport within one process, for tests: `inproc://name`.
    pub mod inproc {
        pub use zorb_transport::inproc::{InprocProtocol, InprocTransport};
    }

    /// The common code of transports over stream sockets.
    ///
    /// A transport only connects a socket and creates a listening one
    /// ([`ListeningSocket`](socket::ListeningSocket)). [`SocketStream`](socket::SocketStream) is a stream over a
    /// connected socket of any family, and [`SocketAcceptor`](socket::SocketAcceptor) an acceptor over a listening
    /// socket.
    pub mod socket {
        pub use zorb_transport::socket::{
            ListeningSocket, SocketAcceptor, SocketStream, change_traffic, set_buffers, set_traffic,
        };
    }
}

/// TLS and SSLIOP: certificates, trusted roots and admitted clients.
#[cfg(feature = "tls")]
pub mod tls {
    pub use zorb_tls::{
        ClientCertificates, DEFAULT_PORT, Pem, SSLIOP_SCHEME, SetSsliopOptions, Settings,
        SsliopOptions, SsliopProtocol, Tls, TlsError, TlsTransport, certificate_identity,
    };
}

/// ZIOP: compressed messages between ORBs that permit them by their policies.
#[cfg(feature = "ziop")]
pub mod ziop {
    pub use zorb_ziop::{
        CompressionEnabling, CompressionLowValue, CompressionMinRatio, CompressorId,
        CompressorIdLevel, CompressorIdLevelList, SetZiopOptions, ZiopOptions, enabled,
    };
}

/// Usage files: how often a program calls and serves operations, for the IDL compiler to choose marshalling engines by.
#[cfg(feature = "usage")]
pub mod usage {
    pub use zorb_usage::{SetUsageOptions, UsageOptions};
}

/// Calls and values without generated code: DII, DSI, DynAny, the codec of Portable Interceptors.
pub mod dynamic {
    pub use zorb_dynamic::{
        Codec, CodecError, CodecFactory, DynAny, DynAnyError, DynAnyFactory, DynAnyResult,
        DynArray, DynEnum, DynFixed, DynSequence, DynStruct, DynUnion, DynValue, DynValueBox,
        Dynamic, DynamicServant, Encoding, EncodingFormat, Mode, NamedValue, Request, RequestError,
        Response, ServerRequest, UnknownEncoding, UnknownUserException, UntypedReply,
    };

    /// IDL values as JSON, for people and scripts: [`zorb_dynamic::json`] describes the mapping.
    #[cfg(feature = "json")]
    pub mod json {
        pub use zorb_dynamic::json::{
            Json, JsonError, NoScope, Scope, escape_controls, from_any, to_any, type_name,
        };
    }

    /// The definitions of an interface repository.
    ///
    /// A [`Repository`](repository::Repository) is filled from IDL or from a server, and stored with
    /// [`to_octets`](repository::Repository::to_octets).
    pub mod repository {
        pub use zorb_dynamic::repository::{
            AttributeDescription, Entry, EntryId, EntryKind, InitializerDescription,
            InterfaceDescription, OperationDescription, ParameterDescription, PortKind, RenamedIds,
            Repository, StoreError, mentions,
        };
    }
}

/// CDR, the encoding of values, for protocols and tools. The most used types are in the root of the crate.
pub mod cdr {
    pub use zorb_cdr::{
        ByteOrder, CharSet, Context, FixedLayout, FixedReader, FixedWriter, Gathered, MAX_DEPTH,
        MAX_VALUE_DEPTH, MAX_VALUE_STACK, Mark, Outlet, ReadContext, Tail, TextCoding, ValueHeader,
        ValueId, ValueTag, WideForm, WideSet,
    };
}

/// GIOP for protocols and tools: references, messages, and the state machines of connections.
pub mod giop {
    pub use zorb_giop::{
        Abbreviation, AddressingDisposition, AlternateIiopAddress, Announcement, BeginError,
        BegunRequest, CancelRequest, Cancellation, CancelledRequests, ClientConnection,
        ClientMessage, ClientMessagingState, ClientSession, CodeSetComponent, CodeSetComponentInfo,
        CodeSetContext, CodeSetError, CodeSetId, ComponentBody, ComponentTag, ConnectionEnd,
        Corbaloc, CorbalocAddress, Corbaname, DEFAULT_IIOP_PORT, Destination, DetachedMessage,
        Escaped, Expanded, FailureCause, FragmentPiece, Fragments, Frame, GiopLite, GiopVersion,
        HEADER_SIZE, HostPort, HostPortError, IiopProfile, Inbound, Ior, IorTextError,
        LanePriority, Limits, ListenPoints, LocateReplyHeader, LocateRequestHeader, LocateStatus,
        MAX_ADDRESSES, MAX_CANCELLED, MAX_COMPONENTS, MAX_CONVERSION_SETS, MAX_ENDPOINTS,
        MAX_LISTEN_POINTS, MAX_OUTSTANDING, MAX_POLICIES, MAX_PROFILES, MAX_SERVICE_CONTEXTS,
        MAX_STRINGIFIED, MAX_URL, MessageFormat, MessageHeader, MessageKind, MessageWriter,
        Messaging, NamingContextAddress, NewRequest, ObjectIndex, ObjectUrl, OperationName,
        OrbType, PlainRequest, Policies, PolicyValue, ProfileTag, ProtocolError, ProtocolErrorKind,
        Received, ReplyHeader, ReplyStart, ReplyStatus, RequestBuffer, RequestFailure,
        RequestHeader, RequestIds, RequestKind, RequestProgress, RequestStart, ResponseFlags,
        ServedRequest, ServerMessagingState, ServerReceiver, ServerRequests, ServiceContext,
        ServiceContexts, ServiceId, SslSecTrans, StringName, StringNameComponent, StringNameError,
        TagGroup, TaggedComponent, TaggedProfile, TaoEndpoint, TaoEndpoints, TargetAddress,
        UipmcProfile, UnreadRequest, UrlError, UrlErrorKind, fragments, iiop_object_key, negotiate,
        read_components, text_coding, unescape, write_components,
    };
}

/// Includes the Rust code that the build script generated from an IDL file: `include_idl!("hello")` for
/// `zorb_build::compile("idl/hello.idl")`.
#[macro_export]
macro_rules! include_idl {
    ($stem:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $stem, ".rs"));
    };
}
