//! The options of an ORB that has TLS.

use zorb_transport::{OptionKind, OptionSpec};

/// What [`Settings`](crate::Settings) can be made of, as options.
pub(crate) static OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "SsliopCertificate",
        key: "ssliop_certificate",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "file in PEM with this side's certificate and the chain to its authority",
    },
    OptionSpec {
        name: "SsliopKey",
        key: "ssliop_key",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "file in PEM with the private key of SsliopCertificate",
    },
    OptionSpec {
        name: "SsliopRoots",
        key: "ssliop_roots",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "file in PEM with the certificates of the authorities that peers are checked by",
    },
    OptionSpec {
        name: "SsliopClientCertificates",
        key: "ssliop_client_certificates",
        kind: OptionKind::OneOf(&["required", "wished", "none"]),
        default: "required",
        unit: "",
        help: "whether clients over TLS have to show a certificate",
    },
    OptionSpec {
        name: "SsliopAllow",
        key: "ssliop_allow",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "clients that are let in over TLS, separated by ;, by subject, dns:NAME, ip:ADDRESS, uri:URI, email:ADDRESS or sha256:DIGITS; empty lets in all whose certificate is good",
    },
    OptionSpec {
        name: "SsliopServerName",
        key: "ssliop_server_name",
        kind: OptionKind::Text,
        default: "",
        unit: "",
        help: "name that certificates of servers have to be for, in place of the host that is called",
    },
    OptionSpec {
        name: "SsliopHandshakeTimeout",
        key: "ssliop_handshake_timeout",
        kind: OptionKind::Number(1, 3_600_000),
        default: "10000",
        unit: "ms",
        help: "longest time that a TLS handshake may take",
    },
];
