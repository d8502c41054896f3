//! GIOP messages, and object references.
//!
//! CORBA 3.3 part 2, chapters 7 and 9. The crate encodes and decodes messages, and implements the protocol
//! rules of a connection. It does no I/O, reads no clock and starts no threads, so that every rule can be
//! tested without a network. It needs `alloc` but not `std`.
//!
//! * [`MessageWriter`] encodes messages. [`Inbound`] splits received octets into messages, which
//!   [`RequestHeader`], [`ReplyHeader`] and similar types decode.
//! * [`Messaging`] is the trait of protocols with other encodings of the same messages.
//! * [`ClientConnection`] is the state machine for the client's end of a connection: which requests are
//!   outstanding, and how each of them ends. That for the server's end is in parts, as threads share it:
//!   [`ServerReceiver`], [`ServerRequests`] and [`CancelledRequests`].
//! * [`Ior`], [`IiopProfile`] and [`TaggedComponent`] are references; [`ObjectUrl`] parses their text
//!   forms.
//! * [`CodeSetComponentInfo`], [`negotiate`] and [`text_coding`] negotiate the code sets.
//!
//! All input may be hostile: lengths are checked before memory is allocated, counts and sizes have limits,
//! and nothing panics.
#![no_std]
#![forbid(unsafe_code)]

// `#[inline]`: see the root of `zorb-cdr`, which says what the attributes of both crates save. Those of the
// accessors that only other messaging protocols use, such as `Inbound::messaging`, save 3 % of a call over
// GIOPlite or short messages.

extern crate alloc;

mod code_set;
mod connection;
mod error;
mod exception;
mod inbound;
mod listen_points;
mod message;
mod messaging;
mod reference;
mod service;
mod url;
mod version;

pub use code_set::{
    CodeSetComponent, CodeSetComponentInfo, CodeSetContext, CodeSetError, CodeSetId,
    MAX_CONVERSION_SETS, negotiate, text_coding,
};
pub use connection::{
    Activity, Announcement, BeginError, BegunRequest, Cancellation, CancelledRequests,
    ClientConnection, ClientMessage, ClientSession, ConnectionEnd, ConnectionTimer, Exceeded,
    FailureCause, Incomplete, MAX_CANCELLED, MAX_OUTSTANDING, NewRequest, Received, RequestFailure,
    RequestIds, RequestKind, RequestProgress, ServedRequest, ServerReceiver, ServerRequests,
    TimeLimits, UnreadRequest,
};
pub use error::{ProtocolError, ProtocolErrorKind};
pub use inbound::{Charge, DetachedMessage, Inbound, Limits, MessageBudget};
pub use listen_points::{ListenPoints, MAX_LISTEN_POINTS};
pub use message::{
    AddressingDisposition, CancelRequest, FragmentPiece, Fragments, HEADER_SIZE, LocateReplyHeader,
    LocateRequestHeader, LocateStatus, MessageHeader, MessageKind, MessageWriter, OperationName,
    PlainRequest, ReplyHeader, ReplyStart, ReplyStatus, RequestBuffer, RequestHeader, RequestStart,
    ResponseFlags, TargetAddress, fragments,
};
pub use messaging::{
    Abbreviation, ClientMessagingState, Destination, Expanded, Frame, GiopLite, MessageFormat,
    Messaging, ObjectIndex, ServerMessagingState,
};
pub use reference::{
    AlternateIiopAddress, ComponentBody, ComponentTag, IiopProfile, Ior, IorTextError,
    LanePriority, MAX_COMPONENTS, MAX_ENDPOINTS, MAX_POLICIES, MAX_PROFILES, MAX_STRINGIFIED,
    OrbType, Policies, PolicyValue, ProfileTag, SslSecTrans, TagGroup, TaggedComponent,
    TaggedProfile, TaoEndpoint, TaoEndpoints, UipmcProfile, iiop_object_key, read_components,
    write_components,
};
pub use service::{MAX_SERVICE_CONTEXTS, ServiceContext, ServiceContexts, ServiceId};
pub use url::{
    Corbaloc, CorbalocAddress, Corbaname, DEFAULT_IIOP_PORT, Escaped, HostPort, HostPortError,
    MAX_ADDRESSES, MAX_URL, NamingContextAddress, ObjectUrl, StringName, StringNameComponent,
    StringNameError, UrlError, UrlErrorKind, unescape,
};
pub use version::GiopVersion;
