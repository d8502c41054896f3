//! Clients and servers of different protocols pass the suite with a bridge between them.

mod tls;

use tls::with_tls;
use zorb_conformance::{Subject, protocol_suite};

macro_rules! bridges {
    ($($name:ident: $client:literal to $server:literal;)*) => {
        $(
            mod $name {
                use super::*;
                protocol_suite!(Subject::built($server, with_tls).bridged($client));
            }
        )*
    };
}

bridges! {
    iiop_to_iiop: "iiop://127.0.0.1:0" to "iiop://127.0.0.1:0";
    iiop_to_uiop: "iiop://127.0.0.1:0" to "uiop://";
    iiop_to_shmiop: "iiop://127.0.0.1:0" to "shmiop://";
    iiop_to_ssliop: "iiop://127.0.0.1:0" to "ssliop://127.0.0.1:0";
    uiop_to_iiop: "uiop://" to "iiop://127.0.0.1:0";
    uiop_to_shmiop: "uiop://@" to "shmiop://";
    shmiop_to_iiop: "shmiop://" to "iiop://127.0.0.1:0";
    shmiop_to_uiop: "shmiop://" to "uiop://";
    ssliop_to_iiop: "ssliop://127.0.0.1:0" to "iiop://127.0.0.1:0";
    ssliop_to_shmiop: "ssliop://127.0.0.1:0" to "shmiop://";
    lite_to_lite: "lite+iiop://127.0.0.1:0" to "lite+uiop://";
    iiop_to_lite: "iiop://127.0.0.1:0" to "lite+uiop://";
    shmiop_to_lite: "shmiop://" to "lite+iiop://127.0.0.1:0";
}

/// What there is no way for is wide text, which is refused.
mod lite_to_giop {
    use super::*;

    protocol_suite! {
        @tests Subject::built("iiop://127.0.0.1:0", with_tls).bridged("lite+uiop://");
        tiny_and_large_messages_come_back
        exceptions_come_back
        one_way_calls_arrive_in_order
        a_flood_waits_for_its_servant
        a_servant_calls_its_client
        many_threads_call_at_once
        many_threads_share_a_connection
        an_object_is_located
        a_call_that_takes_too_long_ends_in_time
        a_server_that_shuts_down_says_so
        a_request_may_come_octet_by_octet
        garbage_ends_its_own_connection_alone
        a_message_beyond_the_limit_ends_its_connection
    }
}

/// What the bridge turns into GIOP goes into rings, whatever its length.
mod lite_to_shmiop {
    use super::*;

    protocol_suite! {
        @tests Subject::built("shmiop://", with_tls).bridged("lite+iiop://127.0.0.1:0");
        tiny_and_large_messages_come_back
        many_threads_call_at_once
        many_threads_share_a_connection
        a_message_beyond_the_limit_ends_its_connection
    }
}
