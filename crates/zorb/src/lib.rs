//! Zorb: a CORBA object request broker.
//!
//! This is the crate that programs depend on; it re-exports what they need and registers the
//! [protocols] of the build (IIOP, UIOP, SHMIOP and GIOPlite, and with the features `tls` and `udp` SSLIOP
//! and DIOP). The stubs and servant traits come from IDL, compiled in a
//! build script by `zorb-build` and brought in with [`include_idl!`].
//!
//! ```no_run
//! // What build.rs makes of `interface Greeter { string say_hello(in string name); };`
//! # mod hello {
//! #     #[derive(Clone)] pub struct Greeter(zorb::ObjectRef);
//! #     impl zorb::Interface for Greeter {
//! #         const REPOSITORY_ID: &'static str = "IDL:Hello/Greeter:1.0";
//! #         const NAME: &'static str = "Greeter";
//! #         const TYPE_IDS: &'static [&'static str] = &["IDL:Hello/Greeter:1.0"];
//! #         fn from_object(object: zorb::ObjectRef) -> Self { Self(object) }
//! #         fn as_object(&self) -> &zorb::ObjectRef { &self.0 }
//! #     }
//! #     impl Greeter {
//! #         pub fn say_hello(&self, name: &str) -> zorb::Result<String> {
//! #             zorb::codegen::invoke!(self, "say_hello", [String => name], [String])
//! #         }
//! #     }
//! # }
//! fn main() -> Result<(), zorb::Error> {
//!     let orb = zorb::Orb::new()?;
//!     let greeter: hello::Greeter = orb.resolve("corbaloc::127.0.0.1:2809/greeter")?;
//!     println!("{}", greeter.say_hello("Rust")?);
//!     Ok(())
//! }
//! ```
#![forbid(unsafe_code)]

mod orb;
pub mod protocols;

pub use orb::{Orb, OrbBuilder};
pub use zorb_cdr::{
    Bounded, CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Octets, WChar, WString, Wire,
};
pub use zorb_core::{
    Abstract, AbstractOperations, BufferStrategy, Caller, CollocationStrategy, Context,
    CustomMarshal, Error, ErrorContext, Interface, Loan, LoanedOctets, Native, ObjectRef,
    OnewayQueue, Phase, PolicyCurrent, PolicyManager, Raises, Ref, Result, ServedBy, UserException,
    Value, ValueBase, ValueOperations, WeakOrb, WithOperations,
};
pub use zorb_types::{
    Any, CompletionStatus, Fixed, FixedError, FixedValue, LongDouble, MinorCode, Report,
    RepositoryId, SystemException, SystemExceptionKind, TcKind, TypeCode, TypeCodeError, Typed,
    UnionCase, ValueMember, ValueModifier, Visibility, minor,
};

pub use zorb_core::{interceptor, options, poa, policy};

#[doc(hidden)]
pub use zorb_core::codegen;

/// Valuetypes: their kinds, casts, and factories by repository id.
pub mod value {
    pub use zorb_core::value::{
        Cast, Handle, HandleArgument, Inherits, KnownValue, Operated, ValueKind, ValueRegistry,
        ValueType,
    };
}

/// Real-time CORBA: priorities, thread pools, and their options.
#[cfg(feature = "rt")]
pub mod rt {
    pub use zorb_rt::*;
}

/// Writing transports and protocols.
pub mod transport {
    pub use zorb_transport::{
        AcceptError, Acceptor, Backoff, Composed, ConnectAttempt, ConnectError, ConnectOptions,
        ConnectPhase, Endpoint, EndpointError, Groups, ListenError, ListenOptions,
        MAX_PROFILE_ENDPOINTS, MAX_URL_LEN, OptionNumber, PeerIdentity, ProfileError,
        PropertyField, Protocol, ProtocolRegistry, ReceivedBuffer, RegistryError, ResolvedProfile,
        SendBuffer, SetStreamOptions, Stream, StreamOptions, Transport, WaitPolicy, Waits,
        WorkerThreads, Workers, driven, inproc, join_profiles, options, property_fields, socket,
        strip_scheme,
    };
}

/// TLS: certificates, which peers are accepted, and SSLIOP set up by the program.
#[cfg(feature = "tls")]
pub mod tls {
    pub use zorb_tls::{
        ClientCertificates, DEFAULT_PORT, Pem, SSLIOP_SCHEME, Settings, SsliopProtocol, Tls,
        TlsError, TlsTransport, certificate_identity,
    };
}

/// Values whose types are known at run time: DII, DSI, DynAny, and the codec of interceptors.
pub mod dynamic {
    #[cfg(feature = "json")]
    pub use zorb_dynamic::json;
    pub use zorb_dynamic::{
        Codec, CodecError, Deferred, DynAny, DynAnyError, DynAnyResult, DynArray, DynEnum,
        DynFixed, DynSequence, DynStruct, DynUnion, DynValue, DynValueBox, Dynamic, DynamicServant,
        Mode, NamedValue, Request, RequestError, Response, ServerRequest, UnknownUserException,
        UntypedReply, repository,
    };
}

/// CDR, for protocols and tools: what the crate's root does not have.
pub mod cdr {
    pub use zorb_cdr::{
        ByteOrder, CharSet, Context, FixedLayout, FixedReader, FixedWriter, MAX_DEPTH,
        MAX_VALUE_DEPTH, MAX_VALUE_STACK, Mark, Outlet, ReadContext, Tail, TextCoding, ValueHeader,
        ValueId, ValueTag, WideForm, WideSet,
    };
}

/// References and messages, for protocols and tools.
pub mod giop {
    pub use zorb_giop::{
        AddressingDisposition, AlternateIiopAddress, Announcement, Asked, BeginError, BegunRequest,
        CancelRequest, CancelledRequests, ClientConnection, ClientMemory, ClientSession,
        CodeSetComponent, CodeSetComponentInfo, CodeSetContext, CodeSetError, CodeSetId,
        ComponentBody, ComponentTag, ConnectionEnd, Corbaloc, CorbalocAddress, Corbaname,
        DEFAULT_IIOP_PORT, Destination, Detached, Escaped, FailureCause, Form, FragmentPiece,
        Fragments, Frame, GiopLite, GiopVersion, HEADER_SIZE, HostPort, HostPortError, IiopProfile,
        Inbound, Ior, IorTextError, LanePriority, Limits, LocateReplyHeader, LocateRequestHeader,
        LocateStatus, MAX_ADDRESSES, MAX_CANCELLED, MAX_COMPONENTS, MAX_CONVERSION_SETS,
        MAX_ENDPOINTS, MAX_OUTSTANDING, MAX_POLICIES, MAX_PROFILES, MAX_SERVICE_CONTEXTS,
        MAX_STRINGIFIED, MAX_URL, Mention, Mentioning, MessageHeader, MessageKind, MessageWriter,
        Messaging, NamingContextAddress, NewRequest, NotServed, ObjectIndex, ObjectUrl,
        OperationName, OrbType, Policies, PolicyValue, ProfileTag, ProtocolError,
        ProtocolErrorKind, Recalled, Received, ReplyHeader, ReplyStart, ReplyStatus, RequestBuffer,
        RequestFailure, RequestHeader, RequestIds, RequestKind, RequestProgress, RequestStart,
        ResponseFlags, ServedRequest, ServerConnection, ServerMemory, ServerRequests,
        ServiceContext, ServiceContexts, ServiceId, SslSecTrans, StringName, StringNameComponent,
        StringNameError, TagGroup, TaggedComponent, TaggedProfile, TaoEndpoint, TaoEndpoints,
        TargetAddress, UipmcProfile, UrlError, UrlErrorKind, fragments, iiop_object_key, negotiate,
        read_components, text_coding, unescape, write_components,
    };
}

/// Brings in what the build script made of an IDL file: `include_idl!("hello")` for
/// `zorb_build::compile("idl/hello.idl")`.
#[macro_export]
macro_rules! include_idl {
    ($stem:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $stem, ".rs"));
    };
}
