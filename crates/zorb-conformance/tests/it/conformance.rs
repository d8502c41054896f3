//! Runs the suite over every protocol of the facade.

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

    protocol_suite!(@lossy subject());
    protocol_suite!(@tests subject(); a_flood_waits_for_its_servant);
}

/// One datagram of twenty is lost.
mod sciop_with_losses {
    use zorb::protocols::SciopProtocol;
    use zorb_testkit::lossy;

    use super::*;

    protocol_suite!(@lossy Subject::built("sciop://127.0.0.1:0", |builder| {
        builder.protocol(Arc::new(lossy(SciopProtocol::new())))
    }));
}

/// Within one process, which no test can kill.
mod inproc {
    use std::sync::LazyLock;

    use zorb::transport::inproc::{InprocProtocol, InprocTransport};

    use super::*;

    static INSIDE: LazyLock<InprocTransport> = LazyLock::new(InprocTransport::new);

    protocol_suite!(@local Subject::built("inproc://", |builder| {
        builder.protocol(Arc::new(InprocProtocol::new(INSIDE.clone())))
    }));
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
