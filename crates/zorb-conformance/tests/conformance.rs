//! Every protocol of the facade passes the suite, by one line each.

mod tls;

use std::sync::Arc;

use zorb::policy::{ConnectionProperties, Policies};
use zorb_conformance::{Subject, protocol_suite};

mod iiop {
    use super::*;
    protocol_suite!(Subject::at("iiop://127.0.0.1:0"));
}

/// Requests of more than 256 octets in fragments.
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

/// GIOPlite has none, so this changes nothing.
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

mod rudp {
    use super::*;
    protocol_suite!(Subject::at("rudp://127.0.0.1:0"));
}

mod sciop {
    use super::*;
    protocol_suite!(Subject::at("sciop://127.0.0.1:0"));
}

/// One datagram of twenty is lost.
mod sciop_with_losses {
    use zorb::protocols::SciopProtocol;
    use zorb::transport::conformance::Lossy;

    use super::*;

    fn subject() -> Subject {
        Subject::built("sciop://127.0.0.1:0", |builder| {
            builder.protocol(Arc::new(Lossy(SciopProtocol::new())))
        })
    }

    protocol_suite! { @tests subject();
        two_way_calls_come_back
        exceptions_come_back
        one_way_calls_arrive_in_order
        a_servant_calls_its_client
        many_threads_call_at_once
        many_threads_share_a_connection
        an_object_is_located
        a_server_that_shuts_down_says_so
    }
}

mod shmiop {
    use super::*;
    protocol_suite!(Subject::at("shmiop://"));
}

mod ssliop {
    use super::*;
    protocol_suite!(Subject::built("ssliop://127.0.0.1:0", tls::with_tls));
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
