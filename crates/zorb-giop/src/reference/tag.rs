//! Profile tags and component tags.

use core::fmt;

macro_rules! tags {
    (
        $(#[$type_doc:meta])*
        $type:ident { $($(#[$doc:meta])* $name:ident = $value:literal, $text:literal;)* }
    ) => {
        $(#[$type_doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(pub u32);

        impl $type {
            $($(#[$doc])* pub const $name: Self = Self($value);)*

            /// The name of the tag, if it is known.
            pub const fn name(self) -> Option<&'static str> {
                Some(match self.0 {
                    $($value => $text,)*
                    _ => return None,
                })
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, "tag {:#x}", self.0),
                }
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($type))
            }
        }
    };
}

tags! {
    /// The kind of a profile (`IOP::ProfileId`). Profiles of unknown kinds are preserved.
    ProfileTag {
        /// IIOP: [`IiopProfile`](crate::IiopProfile).
        INTERNET_IOP = 0, "TAG_INTERNET_IOP";
        /// Components without an address of their own.
        MULTIPLE_COMPONENTS = 1, "TAG_MULTIPLE_COMPONENTS";
        /// SS7.
        SCCP_IOP = 2, "TAG_SCCP_IOP";
        /// Multicast: a group and its address.
        UIPMC = 3, "TAG_UIPMC";
        /// TAO's IIOP over Unix-domain sockets.
        TAO_UIOP = 0x5441_4f00, "TAO UIOP";
        /// TAO's shared memory, with the layout of IIOP.
        TAO_SHMIOP = 0x5441_4f02, "TAO SHMIOP";
        /// TAO's GIOP over UDP, with the layout of IIOP.
        TAO_DIOP = 0x5441_4f04, "TAO DIOP";
        /// TAO's collocation-only protocol.
        TAO_COIOP = 0x5441_4f05, "TAO COIOP";
        /// TAO's GIOP over SCTP.
        TAO_SCIOP = 0x5441_4f0e, "TAO SCIOP";
        /// Zorb's GIOPlite over TCP, with the layout of IIOP.
        ZORB_LITE_IIOP = 0x5a52_4202, "ZORB_LITE_IIOP";
        /// Zorb's GIOPlite over Unix-domain sockets, with the layout of TAO's UIOP.
        ZORB_LITE_UIOP = 0x5a52_4203, "ZORB_LITE_UIOP";
        /// Zorb's audio and video frames over UDP, with the layout of IIOP.
        ZORB_AV_DIOP = 0x5a52_4204, "ZORB_AV_DIOP";
        /// Zorb's short messages over TCP, with the layout of IIOP.
        ZORB_SHORT_IIOP = 0x5a52_4205, "ZORB_SHORT_IIOP";
        /// Zorb's short messages over Unix-domain sockets, with the layout of TAO's UIOP.
        ZORB_SHORT_UIOP = 0x5a52_4206, "ZORB_SHORT_UIOP";
        /// Zorb's GIOP over reliable UDP, with the layout of IIOP.
        ZORB_RUDP = 0x5a52_4207, "ZORB_RUDP";
    }
}

tags! {
    /// The kind of a component (`IOP::ComponentId`). Components of unknown kinds are preserved.
    ComponentTag {
        /// The ORB that created the reference: [`OrbType`](crate::OrbType).
        ORB_TYPE = 0, "TAG_ORB_TYPE";
        /// The code sets of the server: [`CodeSetComponentInfo`](crate::CodeSetComponentInfo).
        CODE_SETS = 1, "TAG_CODE_SETS";
        /// Policies that the client has to know: [`Policies`](crate::Policies).
        POLICIES = 2, "TAG_POLICIES";
        /// Another address: [`AlternateIiopAddress`](crate::AlternateIiopAddress).
        ALTERNATE_IIOP_ADDRESS = 3, "TAG_ALTERNATE_IIOP_ADDRESS";
        /// The object key of a profile without one.
        COMPLETE_OBJECT_KEY = 5, "TAG_COMPLETE_OBJECT_KEY";
        /// The position of the endpoint id in the object key.
        ENDPOINT_ID_POSITION = 6, "TAG_ENDPOINT_ID_POSITION";
        /// DCE-CIOP: the location policy.
        LOCATION_POLICY = 12, "TAG_LOCATION_POLICY";
        /// IIOP over SSL: [`SslSecTrans`](crate::SslSecTrans).
        SSL_SEC_TRANS = 20, "TAG_SSL_SEC_TRANS";
        /// Firewall traversal.
        FIREWALL_TRANS = 23, "TAG_FIREWALL_TRANS";
        /// RMI-IIOP: the code base of classes.
        JAVA_CODEBASE = 25, "TAG_JAVA_CODEBASE";
        /// The transaction service's policy, old form.
        TRANSACTION_POLICY = 26, "TAG_TRANSACTION_POLICY";
        /// Fault tolerance: the object group of the reference.
        FT_GROUP = 27, "TAG_FT_GROUP";
        /// Fault tolerance: the profile of the primary.
        FT_PRIMARY = 28, "TAG_FT_PRIMARY";
        /// Fault tolerance: heartbeats are answered.
        FT_HEARTBEAT_ENABLED = 29, "TAG_FT_HEARTBEAT_ENABLED";
        /// Messaging: routers before the target.
        MESSAGE_ROUTERS = 30, "TAG_MESSAGE_ROUTERS";
        /// The transaction service's policy.
        OTS_POLICY = 31, "TAG_OTS_POLICY";
        /// The transaction service's invocation policy.
        INV_POLICY = 32, "TAG_INV_POLICY";
        /// CSIv2's security mechanisms.
        CSI_SEC_MECH_LIST = 33, "TAG_CSI_SEC_MECH_LIST";
        /// CSIv2: no transport security.
        NULL_TAG = 34, "TAG_NULL_TAG";
        /// CSIv2: SECIOP.
        SECIOP_SEC_TRANS = 35, "TAG_SECIOP_SEC_TRANS";
        /// CSIv2: TLS and its addresses.
        TLS_SEC_TRANS = 36, "TAG_TLS_SEC_TRANS";
        /// The activity service's policy.
        ACTIVITY_POLICY = 37, "TAG_ACTIVITY_POLICY";
        /// RMI-IIOP: the highest stream format.
        RMI_CUSTOM_MAX_STREAM_FORMAT = 38, "TAG_RMI_CUSTOM_MAX_STREAM_FORMAT";
        /// Multicast: the group.
        GROUP = 39, "TAG_GROUP";
        /// Multicast: an IIOP profile of the group.
        GROUP_IIOP = 40, "TAG_GROUP_IIOP";
        /// TAO's endpoints with priorities: [`TaoEndpoints`](crate::TaoEndpoints).
        TAO_ENDPOINTS = 0x5441_4f02, "TAO_TAG_ENDPOINTS";
        /// TAO's SSL endpoints.
        TAO_SSL_ENDPOINTS = 0x5441_4f01, "TAO SSL endpoints";
        /// Zorb: the host of a server with shared memory, and its other endpoints there.
        ZORB_SHM_ENDPOINTS = 0x5a52_4201, "ZORB_SHM_ENDPOINTS";
        /// Zorb: the priority that a profile's endpoints serve: [`LanePriority`](crate::LanePriority).
        ZORB_LANE_PRIORITY = 0x5a52_4205, "ZORB_LANE_PRIORITY";
        /// omniORB: the server accepts bidirectional connections.
        OMNIORB_BIDIR = 0x4154_5401, "omniORB BIDIR";
        /// omniORB's Unix-domain sockets.
        OMNIORB_UNIX_TRANS = 0x4154_5402, "omniORB UNIX_TRANS";
        /// omniORB: identity of the server process.
        OMNIORB_PERSISTENT_ID = 0x4154_5403, "omniORB PERSISTENT_ID";
        /// omniORB: restricted connections.
        OMNIORB_RESTRICTED_CONNECTION = 0x4154_5404, "omniORB RESTRICTED_CONNECTION";
    }
}
