//! The suite, with a bridge between clients and servers of different protocols.

use crate::tls::with_tls;
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

/// Wide text is rejected, because GIOPlite cannot carry it.
mod lite_to_giop {
    use super::*;

    protocol_suite! {
        @tests Subject::built("iiop://127.0.0.1:0", with_tls).bridged("lite+uiop://");
        tiny_and_large_messages_are_echoed
        exceptions_are_raised
        one_way_calls_arrive_in_order
        a_flood_waits_for_its_servant
        stopped_clients_delay_nobody
        a_servant_calls_its_client
        many_threads_call_at_once
        many_threads_share_a_connection
        an_object_is_located
        a_call_times_out
        a_server_shuts_down_orderly
        a_request_may_arrive_octet_by_octet
        garbage_ends_only_its_own_connection
        a_message_beyond_the_limit_ends_its_connection
    }
}

/// The bridge writes converted messages of any length to rings.
mod lite_to_shmiop {
    use super::*;

    protocol_suite! {
        @tests Subject::built("shmiop://", with_tls).bridged("lite+iiop://127.0.0.1:0");
        tiny_and_large_messages_are_echoed
        many_threads_call_at_once
        many_threads_share_a_connection
        a_message_beyond_the_limit_ends_its_connection
    }
}
