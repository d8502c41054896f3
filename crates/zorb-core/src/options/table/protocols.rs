//! The options that choose protocols.

use super::{OptionKind, OptionSpec};

pub(super) const PROTOCOLS: OptionSpec = OptionSpec {
    name: "Protocols",
    key: "protocols",
    kind: OptionKind::Names,
    default: "",
    unit: "",
    help: "protocols that this ORB has of those in the program, by their schemes, the one to listen with first; or, each with a - before it, those that it has not; without it all",
};

pub(super) const CLIENT_PROTOCOLS: OptionSpec = OptionSpec {
    name: "ClientProtocols",
    key: "client_protocols",
    kind: OptionKind::Names,
    default: "",
    unit: "",
    // tidy: allow(neutral): an example for people
    help: "protocols that calls go by, the preferred one first, as in uiop,iiop; references without them cannot be called, unless the last word is any",
};

pub(super) const SERVER_PROTOCOLS: OptionSpec = OptionSpec {
    name: "ServerProtocols",
    key: "server_protocols",
    kind: OptionKind::Names,
    default: "",
    unit: "",
    help: "protocols to listen with, in the order in which references tell of them; endpoints of others are not opened, and where none is named each gets an ephemeral one",
};
