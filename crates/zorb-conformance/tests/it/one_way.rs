//! Runs the suite for one-way calls over every datagram protocol.

use std::net::Ipv4Addr;
use std::sync::Arc;

use zorb::protocols::{MiopProtocol, MiopSettings};
use zorb_conformance::{OneWay, one_way_suite};

mod diop {
    use super::*;
    one_way_suite!(OneWay::at("diop://127.0.0.2:0"));
}

mod av_diop {
    use super::*;
    one_way_suite!(OneWay::built("av+diop://127.0.0.1:0", |builder| {
        builder.protocol(Arc::new(zorb_av::av_diop()))
    }));
}

mod miop {
    use super::*;
    one_way_suite!(OneWay::groups(|builder| {
        let mut options = MiopSettings::default();
        options.interface = Some(Ipv4Addr::LOCALHOST);
        builder.protocol(Arc::new(MiopProtocol::with(options)))
    }));
}
