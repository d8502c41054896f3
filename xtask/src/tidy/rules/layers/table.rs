//! The table of crates and their layers. A new crate needs a row; a dependency within a layer must
//! be listed in `uses`, where a reviewer sees it.

/// The facade's layer: from here on, crates may name concrete protocols.
pub(super) const FACADE: u8 = 5;
/// The services' layer: from here on, build scripts may compile IDL.
pub(super) const SERVICES: u8 = 6;

/// Crates that are one protocol each.
pub(super) const CONCRETE_PROTOCOLS: &[&str] =
    &["zorb-tcp", "zorb-unix", "zorb-shm", "zorb-udp", "zorb-arq", "zorb-sctp", "zorb-tls"];

/// The layer of a crate.
#[derive(Clone, Copy, Debug)]
pub(super) enum Layer {
    /// A layer of the ORB, 0 at the bottom.
    Orb(u8),
    /// The crates of the IDL compiler, which use no layer.
    Idl,
    /// A program on top of everything.
    Tool,
    /// Shared test code: a dev-dependency of any crate.
    Testkit,
    /// This crate.
    Xtask,
}

/// One crate.
#[derive(Debug)]
pub(super) struct Crate {
    pub(super) name: &'static str,
    pub(super) layer: Layer,
    /// Allowed dependencies within its layer.
    pub(super) uses: &'static [&'static str],
}

const fn orb(layer: u8, name: &'static str, uses: &'static [&'static str]) -> Crate {
    Crate { name, layer: Layer::Orb(layer), uses }
}

const fn beside(layer: Layer, name: &'static str, uses: &'static [&'static str]) -> Crate {
    Crate { name, layer, uses }
}

/// Every crate of the workspace outside `tests/`, `examples/` and `fuzz/`.
pub(super) const CRATES: &[Crate] = &[
    // 0: the machine
    orb(0, "zorb-os", &[]),
    // 1: encoding
    orb(1, "zorb-cdr", &[]),
    orb(1, "zorb-interp", &["zorb-cdr"]),
    orb(1, "zorb-types", &["zorb-cdr", "zorb-interp"]),
    // 2: protocol
    orb(2, "zorb-giop", &[]),
    // 3: transport
    orb(3, "zorb-transport", &[]),
    orb(3, "zorb-short", &[]),
    orb(3, "zorb-tcp", &["zorb-transport"]),
    orb(3, "zorb-unix", &["zorb-transport"]),
    orb(3, "zorb-shm", &["zorb-transport", "zorb-unix"]),
    orb(3, "zorb-udp", &["zorb-tcp", "zorb-transport"]),
    orb(3, "zorb-arq", &["zorb-tcp", "zorb-transport"]),
    orb(3, "zorb-sctp", &["zorb-tcp", "zorb-transport"]),
    orb(3, "zorb-tls", &["zorb-tcp", "zorb-transport"]),
    // 4: the ORB
    orb(4, "zorb-bridge", &["zorb-base"]),
    orb(4, "zorb-base", &[]),
    orb(4, "zorb-poa", &["zorb-base"]),
    orb(4, "zorb-invocation", &["zorb-base", "zorb-poa"]),
    orb(4, "zorb-serving", &["zorb-base", "zorb-poa"]),
    orb(4, "zorb-core", &["zorb-base", "zorb-invocation", "zorb-poa", "zorb-serving"]),
    orb(4, "zorb-rt", &["zorb-core"]),
    orb(4, "zorb-ziop", &["zorb-core"]),
    orb(4, "zorb-usage", &["zorb-core"]),
    orb(4, "zorb-dynamic", &["zorb-core"]),
    orb(4, "zorb-dsrt", &["zorb-core", "zorb-rt"]),
    orb(4, "zorb-sched", &[]),
    orb(4, "zorb-nano", &[]),
    // 5: the facade
    orb(5, "zorb", &[]),
    // 6: services
    orb(6, "zorb-store", &[]),
    orb(6, "zorb-av", &[]),
    orb(6, "zorb-iterators", &[]),
    orb(6, "zorb-naming", &["zorb-iterators", "zorb-store"]),
    orb(6, "zorb-imr", &["zorb-iterators", "zorb-store"]),
    orb(6, "zorb-service", &["zorb-imr", "zorb-naming", "zorb-store"]),
    orb(6, "zorb-ifr", &["zorb-store"]),
    orb(6, "zorb-sched-service", &[]),
    // the IDL compiler
    beside(Layer::Idl, "zorb-idl", &[]),
    beside(Layer::Idl, "zorb-idl-rust", &["zorb-idl"]),
    beside(Layer::Idl, "zorb-build", &["zorb-idl", "zorb-idl-rust"]),
    // tools
    beside(Layer::Tool, "zorb-conformance", &[]),
    beside(Layer::Tool, "zorb-cli", &["zorb-bench", "zorb-bench-page"]),
    beside(Layer::Tool, "zorb-bench", &[]),
    beside(Layer::Tool, "zorb-bench-page", &["zorb-bench"]),
    beside(Layer::Tool, "zorb-ladder", &["zorb-bench"]),
    beside(Layer::Testkit, "zorb-testkit", &[]),
    beside(Layer::Xtask, "xtask", &[]),
];
