//! The suite for every protocol of the facade, one line each.

use std::sync::Arc;

use zorb::policy::{ConnectionProperties, Policies};
use zorb_conformance::{Subject, protocol_suite};

mod iiop {
    use super::*;
    protocol_suite!(Subject::at("iiop://127.0.0.1:0"));
}

/// Splits requests of more than 256 octets into fragments.
fn in_fragments() -> Policies {
    let mut properties = ConnectionProperties::default();
    properties.fragment_size = Some(256);
    Policies::new().with(properties)
}

mod iiop_in_fragments {
    use super::*;
    protocol_suite!(Subject::at("iiop://127.0.0.1:0").under(in_fragments));
}

mod shmiop_in_fragments {
    use super::*;
    protocol_suite!(Subject::at("shmiop://").under(in_fragments));
}

/// GIOPlite has no fragments, so the policy has no effect.
mod lite_iiop_without_fragments {
    use super::*;
    protocol_suite!(Subject::at("lite+iiop://127.0.0.1:0").under(in_fragments));
}

mod lite_iiop {
    use super::*;
    protocol_suite!(Subject::at("lite+iiop://127.0.0.1:0"));
}

mod uiop {
    use super::*;
    protocol_suite!(Subject::at("uiop://"));
}

mod uiop_abstract {
    use super::*;
    protocol_suite!(Subject::at("uiop://@"));
}

mod lite_uiop {
    use super::*;
    protocol_suite!(Subject::at("lite+uiop://"));
}

mod short_iiop {
    use super::*;
    protocol_suite!(Subject::at("short+iiop://127.0.0.1:0"));
}

mod short_uiop {
    use super::*;
    protocol_suite!(Subject::at("short+uiop://"));
}

mod arq {
    use super::*;
    protocol_suite!(Subject::at("rudp://127.0.0.1:0"));
}

mod sciop {
    use super::*;
    protocol_suite!(Subject::at("sciop://127.0.0.1:0"));
}

/// All tests except the one that listens at the relay's address, the one with another process, and
/// those that take too long with losses.
macro_rules! suite_with_losses {
    ($subject:expr) => {
        protocol_suite! { @tests $subject;
            two_way_calls_return
            text_is_preserved
            tiny_and_large_messages_are_echoed
            exceptions_are_raised
            one_way_calls_arrive_in_order
            a_servant_calls_its_client
            many_threads_call_at_once
            many_threads_share_a_connection
            an_object_is_located
            a_call_times_out
            a_server_shuts_down_orderly
            a_request_may_arrive_octet_by_octet
            fragments_are_joined_or_rejected
            garbage_ends_only_its_own_connection
            a_message_beyond_the_limit_ends_its_connection
        }
    };
}

/// One datagram of twenty is lost.
mod rudp_with_losses {
    use zorb::protocols::ArqProtocol;
    use zorb_testkit::lossy;

    use super::*;

    fn subject() -> Subject {
        Subject::built("rudp://127.0.0.1:0", |builder| {
            builder.protocol(Arc::new(lossy(ArqProtocol::new())))
        })
    }

    suite_with_losses!(subject());
    protocol_suite!(@tests subject(); a_flood_waits_for_its_servant);
}

/// One datagram of twenty is lost.
mod sciop_with_losses {
    use zorb::protocols::SciopProtocol;
    use zorb_testkit::lossy;

    use super::*;

    suite_with_losses!(Subject::built("sciop://127.0.0.1:0", |builder| {
        builder.protocol(Arc::new(lossy(SciopProtocol::new())))
    }));
}

/// Within one process, which no test can kill.
mod inproc {
    use std::sync::LazyLock;

    use zorb::transport::inproc::{InprocProtocol, InprocTransport};

    use super::*;

    static INSIDE: LazyLock<InprocTransport> = LazyLock::new(InprocTransport::new);

    protocol_suite! {
        @tests Subject::built("inproc://", |builder| {
            builder.protocol(Arc::new(InprocProtocol::new(INSIDE.clone())))
        });
        two_way_calls_return
        text_is_preserved
        tiny_and_large_messages_are_echoed
        exceptions_are_raised
        one_way_calls_arrive_in_order
        a_flood_waits_for_its_servant
        a_servant_calls_its_client
        many_threads_call_at_once
        many_threads_share_a_connection
        a_private_connection_serves_one_reference
        an_object_is_located
        a_call_times_out
        a_server_shuts_down_orderly
        a_client_finds_a_server_again
        a_request_may_arrive_octet_by_octet
        fragments_are_joined_or_rejected
        garbage_ends_only_its_own_connection
        a_message_beyond_the_limit_ends_its_connection
    }
}

mod shmiop {
    use super::*;
    protocol_suite!(Subject::at("shmiop://"));
}

mod ssliop {
    use super::*;
    protocol_suite!(Subject::built("ssliop://127.0.0.1:0", crate::tls::with_tls));
}

/// A combination that the facade does not register.
mod lite_shmiop {
    use zorb::giop::{GiopLite, ProfileTag};
    use zorb::protocols::ShmiopProtocol;
    use zorb::transport::Composed;

    use super::*;

    protocol_suite!(Subject::built("lite+shmiop://", |builder| {
        let tag = ProfileTag(0x7a6c_7368);
        builder.protocol(Arc::new(Composed::new(&GiopLite, ShmiopProtocol::new(), tag)))
    }));
}
