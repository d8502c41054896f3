//! The minor codes that have a name, in one module an exception.
//!
//! Codes of the OMG are those of CORBA 3.3 part 1, annex A; Zorb's own distinguish cases for
//! which the standard has one code. [`MinorCode::describe`] returns the meaning of a code.

use super::kind::SystemExceptionKind;
use super::minor_code::MinorCode;

macro_rules! minors {
    ($($module:ident, $kind:ident { $($name:ident = $vendor:ident $code:literal, $words:literal;)* })*) => {
        $(
            #[doc = concat!("Minor codes of [`", stringify!($kind), "`](SystemExceptionKind::", stringify!($kind), ").")]
            pub mod $module {
                use super::MinorCode;
                $(
                    #[doc = concat!($words, ".")]
                    pub const $name: MinorCode = MinorCode::$vendor($code);
                )*
            }
        )*

        impl MinorCode {
            /// The reason in a few words, when an exception of `kind` carries this code.
            pub fn describe(self, kind: SystemExceptionKind) -> Option<&'static str> {
                Some(match kind {
                    $(SystemExceptionKind::$kind => match self {
                        $($module::$name => $words,)*
                        _ => return None,
                    },)*
                    _ => return None,
                })
            }
        }
    };
}

minors! {
    unknown, Unknown {
        UNLISTED_USER_EXCEPTION = omg 1, "user exception that the operation does not raise";
        UNKNOWN_SYSTEM_EXCEPTION = omg 2, "system exception that the standard does not know";
        SERVANT_PANICKED = zorb 1, "the servant panicked";
    }
    bad_param, BadParam {
        VALUE_FACTORY = omg 1, "value factory cannot be registered or found";
        ID_EXISTS = omg 2, "repository id exists in the interface repository";
        NAME_EXISTS = omg 3, "name is used in the interface repository";
        BAD_CONTAINER = omg 4, "target is not a valid container";
        INHERITED_NAME_CLASH = omg 5, "inherited names clash";
        WRONG_ABSTRACT_TYPE = omg 6, "wrong type for an abstract interface";
        BAD_SCHEME = omg 7, "unknown URL scheme";
        BAD_ADDRESS = omg 8, "malformed address in a URL";
        BAD_SCHEME_SPECIFIC_PART = omg 9, "malformed scheme-specific part of a URL";
        BAD_URL = omg 10, "malformed URL";
        NON_ABSTRACT_BASE = omg 11, "base is not abstract";
        TWO_CONCRETE_INTERFACES = omg 12, "supports more than one concrete interface";
        INCOMPLETE_TYPE_CODE = omg 13, "incomplete TypeCode";
        INVALID_OBJECT_ID = omg 14, "invalid object id";
        INVALID_NAME = omg 15, "invalid name";
        INVALID_REPOSITORY_ID = omg 16, "invalid repository id";
        INVALID_MEMBER_NAME = omg 17, "invalid member name";
        DUPLICATE_LABEL = omg 18, "duplicate union label";
        INCOMPATIBLE_DISCRIMINATOR = omg 19, "incompatible union discriminator";
        ILLEGITIMATE_DISCRIMINATOR = omg 20, "illegitimate union discriminator";
        NOT_AN_EXCEPTION = omg 21, "the any holds no exception";
        UNLISTED_EXCEPTION = omg 22, "user exception that the operation does not raise";
        WIDE_SET_UNKNOWN = omg 23, "wide text arrived but no wide code set was agreed";
        CONTEXT_OUT_OF_RANGE = omg 24, "service context out of range";
        ENUM_OUT_OF_RANGE = omg 25, "enumeration value out of range";
        INVALID_CONTEXT_ID = omg 26, "invalid service context id";
        NIL_INITIAL_REFERENCE = omg 27, "nil object as an initial reference";
        INVALID_COMPONENT_ID = omg 28, "invalid tagged component id";
        INVALID_PROFILE_ID = omg 29, "invalid profile id";
        DUPLICATE_POLICY = omg 30, "duplicate policy type";
        BAD_ONEWAY = omg 31, "a oneway operation that would return something";
        DUPLICATE_POLLABLE = omg 43, "pollable is in a set already";
        BAD_COMPRESSION_LEVEL = omg 44, "bad compression level";
        BOUND_EXCEEDED = zorb 1, "string or sequence longer than its bound";
        NUL_IN_STRING = zorb 2, "string with a NUL inside";
        NIL_NOT_ALLOWED = zorb 3, "nil reference where an object is needed";
        WRONG_INTERFACE = zorb 4, "object of another interface";
        BAD_OPTION = zorb 5, "unknown option or malformed value";
        MALFORMED_IOR = zorb 6, "malformed stringified reference";
        PRIORITY_OUT_OF_RANGE = zorb 7, "priority out of range";
    }
    no_memory, NoMemory {
        BUFFER_LIMIT = zorb 1, "the buffer limit is reached";
        OUT_OF_MEMORY = zorb 2, "an allocation failed";
    }
    imp_limit, ImpLimit {
        NO_USABLE_PROFILE = omg 1, "no usable profile";
        MESSAGE_TOO_LARGE = zorb 1, "message larger than the limit";
        TOO_DEEP = zorb 2, "value nested deeper than the limit";
        TOO_LONG = zorb 3, "value longer than 2^32-1 elements";
        TOO_MANY_FORWARDS = zorb 4, "too many location forwards";
        TOO_MANY_CONNECTIONS = zorb 5, "too many connections";
        TOO_MANY_REQUESTS = zorb 6, "too many requests under way";
        TOO_MANY_WAYS = zorb 7, "policies have one reference go too many ways";
        TOO_MANY_CONTEXTS = zorb 8, "more service contexts than a message may have";
    }
    comm_failure, CommFailure {
        CONNECTION_LOST = zorb 1, "connection lost while the call was under way";
        SEND_FAILED = zorb 2, "request could not be sent";
        PROTOCOL_ERROR = zorb 3, "peer broke the protocol";
        MESSAGE_ERROR = zorb 4, "peer answered MessageError";
        CONNECTION_CLOSED = zorb 5, "connection closed by the peer";
        UNEXPECTED_REPLY = zorb 6, "reply of an unknown kind";
    }
    inv_objref, InvObjref {
        WIDE_NOT_SUPPORTED = omg 1, "wide text is not supported by the server";
        CODE_SET_COMPONENT_REQUIRED = omg 2, "the reference lacks the code set component";
        MALFORMED = zorb 1, "malformed object reference";
        NO_USABLE_PROFILE = zorb 2, "no profile that this ORB understands";
        NIL = zorb 3, "nil reference called";
        WRONG_INTERFACE = zorb 4, "object of another interface";
    }
    no_permission, NoPermission {
        REFUSED = zorb 1, "refused by configuration";
        POLICY_LEVEL = zorb 2, "the policy cannot be set here";
        PEER_REFUSED = zorb 3, "one side rejects the other's certificate";
        PRIORITY_DENIED = zorb 4, "the system forbids to set the priority";
        MEMORY_LOCK_DENIED = zorb 5, "the system forbids to lock memory";
    }
    internal, Internal {
        BROKEN_INVARIANT = zorb 1, "broken invariant";
        LOCK_POISONED = zorb 2, "a thread panicked while it held a lock";
        SYSTEM_CALL = zorb 3, "system call failed";
    }
    marshal, Marshal {
        NO_VALUE_FACTORY = omg 1, "no value factory";
        SERVER_REQUEST_ORDER = omg 2, "ServerRequest used out of order";
        SERVER_REQUEST_ARGUMENTS = omg 3, "ServerRequest arguments do not match";
        LOCAL_OBJECT = omg 4, "local object cannot be sent";
        WIDE_FROM_GIOP_1_0 = omg 5, "wide text from a GIOP 1.0 client";
        WIDE_TO_GIOP_1_0 = omg 6, "wide text to a GIOP 1.0 client";
        TRUNCATED = zorb 1, "the stream ends inside a value";
        LENGTH_BEYOND_END = zorb 2, "a length is beyond the end of the stream";
        BOUND_EXCEEDED = zorb 3, "string or sequence longer than its bound";
        BAD_STRING = zorb 4, "string not terminated by its only NUL";
        BAD_BOOLEAN = zorb 5, "boolean other than 0 and 1";
        BAD_DISCRIMINATOR = zorb 6, "union discriminator does not select the member";
        BAD_HEADER = zorb 8, "malformed request or reply header";
        BAD_VALUE = zorb 9, "malformed value";
        TOO_DEEP = zorb 10, "value nested deeper than the limit";
        BAD_TYPE_CODE = zorb 11, "malformed TypeCode";
        EXTRA_OCTETS = zorb 12, "octets after the last value";
        TOO_MUCH_MEMORY = zorb 13, "values that need far more memory than their message";
    }
    initialize, Initialize {
        PRIORITY_RANGE = omg 1, "priority range too restricted for the ORB";
        ENDPOINT = zorb 1, "endpoint cannot be opened";
        BAD_OPTION = zorb 2, "bad option";
        THREADS = zorb 3, "threads cannot be started";
        PRIORITY_NOT_SET = zorb 4, "the thread has no priority";
    }
    no_implement, NoImplement {
        NO_VALUE_IMPLEMENTATION = omg 1, "no value implementation";
        INCOMPATIBLE_VALUE = omg 2, "incompatible version of a value";
        NO_USABLE_PROFILE = omg 3, "no usable profile";
        DII_ON_LOCAL_OBJECT = omg 4, "dynamic invocation on a local object";
        UNSUPPORTED_TYPE = zorb 1, "type not supported by this build";
        UNSUPPORTED_OPERATION = zorb 2, "operation not supported by this ORB";
    }
    bad_typecode, BadTypecode {
        INCOMPLETE = omg 1, "incomplete TypeCode";
        ILLEGITIMATE_MEMBER = omg 2, "illegitimate member type in a TypeCode";
        MALFORMED = zorb 1, "malformed TypeCode";
    }
    bad_operation, BadOperation {
        WRONG_SERVANT_TYPE = omg 1, "servant manager returned a servant of the wrong type";
        OPERATION_UNKNOWN = omg 2, "operation or attribute not known to the object";
    }
    no_resources, NoResources {
        INTERCEPTOR_NOT_SUPPORTED = omg 1, "portable interceptor operation not supported in this binding";
        QUEUE_FULL = zorb 1, "queue full";
        THREADS = zorb 2, "no thread free";
        DESCRIPTORS = zorb 3, "no file descriptor free";
        MESSAGE_BUDGET = zorb 4, "no memory left for messages (MaxBufferedOctets)";
        OBJECTS = zorb 5, "the adapter has the maximum number of objects";
        GROUP_MEMBERS = zorb 6, "the group has the maximum number of members";
        OUTSTANDING_REQUESTS = zorb 7, "too many calls wait for replies on the connection";
    }
    no_response, NoResponse {
        NOT_AVAILABLE_YET = omg 1, "reply not available yet";
    }
    bad_inv_order, BadInvOrder {
        DEPENDENCY = omg 1, "dependency in the interface repository";
        INDESTRUCTIBLE = omg 2, "object of the interface repository cannot be destroyed";
        WOULD_DEADLOCK = omg 3, "the operation would deadlock";
        SHUT_DOWN = omg 4, "the ORB is shut down";
        REQUEST_REUSED = omg 5, "request used a second time";
        SERVANT_MANAGER_SET = omg 6, "servant manager set already";
        ARGUMENTS_ORDER = omg 7, "ServerRequest arguments called out of order";
        CONTEXT_ORDER = omg 8, "ServerRequest context called out of order";
        RESULT_ORDER = omg 9, "ServerRequest result set out of order";
        ALREADY_SENT = omg 10, "request sent already";
        NOT_SENT = omg 11, "request not sent yet";
        RESULT_TAKEN = omg 12, "result taken already";
        SYNCHRONOUS_POLLED = omg 13, "synchronous request polled";
        INTERCEPTOR_CALL = omg 14, "invalid call in a portable interceptor";
        CONTEXT_EXISTS = omg 15, "service context exists already";
        POLICY_FACTORY_EXISTS = omg 16, "policy factory exists already";
        POA_BEING_DESTROYED = omg 17, "POA created while its parent is destroyed";
        NO_POLLER_RESPONSE = omg 22, "no response at the poller yet";
        IN_UPCALL = zorb 1, "not allowed inside an upcall of this ORB";
        POOL_IN_USE = zorb 2, "an object adapter is served by the thread pool";
        SEGMENT = zorb 3, "no scheduling segment of this name is the innermost one";
        OTHER_PRIORITY = zorb 4, "a reference to the object contains another priority";
        FORKED_CHILD = zorb 5, "the process was forked by one that had an ORB";
    }
    transient, Transient {
        REQUEST_DISCARDED = omg 1, "request discarded by the POA manager or for lack of resources";
        NO_USABLE_PROFILE = omg 2, "no usable profile";
        REQUEST_CANCELLED = omg 3, "request cancelled";
        POA_DESTROYED = omg 4, "POA destroyed";
        CONNECT_FAILED = zorb 1, "no connection to any address of the reference";
        NAME_NOT_RESOLVED = zorb 2, "host name cannot be resolved";
        CONNECT_TIMED_OUT = zorb 3, "connecting took too long";
        SHUTTING_DOWN = zorb 4, "the ORB is shutting down";
        QUEUE_FULL = zorb 5, "request queue full";
        CLOSED_BY_PEER = zorb 6, "peer closed the connection before it took the request";
        NO_FREE_CONNECTION = zorb 7, "other calls used all connections for too long";
        OTHER_ENDPOINT = zorb 8, "the object is served at other endpoints";
        STARTING = zorb 9, "the server is starting and does not have the object yet";
        TOO_MANY_PENDING = zorb 10, "as many calls wait for their replies as may";
        TOO_MANY_DEFERRED = zorb 11, "too many requests wait for deferred replies";
        REPLY_DROPPED = zorb 12, "the servant dropped a request without answering it";
        TOO_MANY_OCTETS = zorb 13, "the requests of other calls to the endpoint are too large";
        SERVER_NOT_STARTED = zorb 14, "the implementation repository could not start the server, or may not";
    }
    intf_repos, IntfRepos {
        NOT_AVAILABLE = omg 1, "no interface repository";
        NO_ENTRY = omg 2, "no entry in the interface repository";
    }
    bad_context, BadContext {
        NOT_FOUND = omg 1, "context not found";
        NO_MATCHING_PROPERTY = omg 2, "no matching property";
    }
    obj_adapter, ObjAdapter {
        UNKNOWN_ADAPTER = omg 1, "unknown adapter, or its activator failed";
        NO_SERVANT = omg 2, "no servant";
        NO_DEFAULT_SERVANT = omg 3, "no default servant";
        NO_SERVANT_MANAGER = omg 4, "no servant manager";
        WRONG_POLICY = omg 5, "wrong policy for incarnate";
        INACTIVE = zorb 1, "POA manager inactive";
        REFUSED = zorb 2, "the adapter refused an operation on it";
    }
    data_conversion, DataConversion {
        CHARACTER_NOT_MAPPED = omg 1, "character does not map to the code set";
        PRIORITY_NOT_MAPPED = omg 2, "priority mapping failed";
    }
    object_not_exist, ObjectNotExist {
        NO_MATCH = omg 1, "no such object in the POA";
        POA_NOT_FOUND = omg 2, "no such POA";
        BEING_DEACTIVATED = omg 4, "object is being deactivated";
        POLLER_DELIVERED = omg 5, "poller delivered its reply already";
        UNKNOWN_KEY = zorb 1, "the server has no object with this key";
        ORB_DESTROYED = zorb 2, "the ORB has been destroyed";
    }
    inv_policy, InvPolicy {
        CANNOT_RECONCILE = omg 1, "policies of reference and client cannot be reconciled";
        INVALID_TYPE = omg 2, "invalid policy type";
        NO_FACTORY = omg 3, "no factory for the policy type";
        CONFLICT = zorb 1, "policies contradict each other";
        NO_LANE = zorb 2, "no endpoint of the reference serves the priority";
        DISCIPLINE = zorb 3, "the scheduler does not know the scheduling parameters' discipline";
        NO_BAND = zorb 4, "the call's priority is in none of the bands";
    }
    thread_cancelled, ThreadCancelled {
        CANCELLED = zorb 1, "the distributable thread was cancelled";
    }
    rebind, Rebind {
        FORWARDED = zorb 1, "the server forwards, and the policy forbids to follow";
        CONNECTION_CLOSED = zorb 2, "the connection is closed, and the policy forbids another";
    }
    codeset_incompatible, CodesetIncompatible {
        NO_COMMON_SET = omg 1, "no code set in common";
        NOT_SUPPORTED = omg 2, "code set asked for is not supported";
    }
    timeout, Timeout {
        POLLER = omg 1, "no response at the poller in time";
        REQUEST_EXPIRED = omg 2, "request expired before it was delivered";
        REPLY_EXPIRED = omg 3, "reply expired before it was delivered";
        ROUND_TRIP = zorb 1, "no reply within the round-trip timeout";
        CONNECT = zorb 2, "connecting took longer than the timeout";
        SEND = zorb 3, "sending took longer than the timeout";
        SHUTDOWN = zorb 4, "upcalls were still running when the grace time of the shutdown ended";
    }
}
