//! The options of an ORB that has MIOP.

use zorb_transport::{OptionKind, OptionSpec};

/// What [`MiopOptions`](super::MiopOptions) say, as options of the ORB.
pub(super) static OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "MiopHops",
        key: "miop_hops",
        kind: OptionKind::Number(0, 255),
        default: "1",
        unit: "",
        help: "how many networks requests to groups go through, the first one included; 0 keeps them on the machine",
    },
    OptionSpec {
        name: "MiopInterface",
        key: "miop_interface",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "interface that groups are reached over, by its name or IPv4 address; empty lets the system choose",
    },
    OptionSpec {
        name: "MiopLoopBack",
        key: "miop_loop_back",
        kind: OptionKind::OneOf(&["yes", "no"]),
        default: "yes",
        unit: "",
        help: "whether requests to groups also go to members on the sender's machine",
    },
];
