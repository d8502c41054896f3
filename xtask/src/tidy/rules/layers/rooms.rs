//! The table of crates. Adding a crate means adding a row; adding an arrow on the same floor means
//! naming it in `uses`, where a reviewer sees it.

/// The facade's floor: from here up, concrete protocols may be named.
pub(super) const FACADE: u8 = 5;
/// The services' floor: from here up, build scripts may compile IDL.
pub(super) const SERVICES: u8 = 6;

/// Crates that are one protocol each.
pub(super) const CONCRETE_PROTOCOLS: &[&str] =
    &["zorb-tcp", "zorb-unix", "zorb-shm", "zorb-udp", "zorb-arq", "zorb-sctp", "zorb-tls"];

/// Where a crate stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Storey {
    /// A floor of the ORB, 0 at the bottom.
    Floor(u8),
    /// The IDL column, which uses no floor.
    Idl,
    /// A program on top of everything.
    Tool,
    /// Shared test code: a dev-dependency of anyone.
    Testkit,
    /// This program.
    Xtask,
}

/// One crate.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) name: &'static str,
    pub(super) storey: Storey,
    /// Arrows beyond those that the storeys allow.
    pub(super) uses: &'static [&'static str],
}

const fn floor(floor: u8, name: &'static str, uses: &'static [&'static str]) -> Room {
    Room { name, storey: Storey::Floor(floor), uses }
}

const fn beside(storey: Storey, name: &'static str, uses: &'static [&'static str]) -> Room {
    Room { name, storey, uses }
}

/// Every crate of the workspace outside `tests/`, `examples/` and `fuzz/`.
pub(super) const ROOMS: &[Room] = &[
    // 0: the machine
    floor(0, "zorb-os", &[]),
    // 1: bytes
    floor(1, "zorb-cdr", &[]),
    floor(1, "zorb-interp", &["zorb-cdr"]),
    floor(1, "zorb-types", &["zorb-cdr", "zorb-interp"]),
    // 2: protocol
    floor(2, "zorb-giop", &[]),
    // 3: movement
    floor(3, "zorb-transport", &[]),
    floor(3, "zorb-short", &[]),
    floor(3, "zorb-tcp", &["zorb-transport"]),
    floor(3, "zorb-unix", &["zorb-transport"]),
    floor(3, "zorb-shm", &["zorb-transport", "zorb-unix"]),
    floor(3, "zorb-udp", &["zorb-tcp", "zorb-transport"]),
    floor(3, "zorb-arq", &["zorb-tcp", "zorb-transport"]),
    floor(3, "zorb-sctp", &["zorb-tcp", "zorb-transport"]),
    floor(3, "zorb-av", &["zorb-transport", "zorb-udp"]),
    floor(3, "zorb-tls", &["zorb-tcp", "zorb-transport"]),
    // 4: the ORB
    floor(4, "zorb-bridge", &[]),
    floor(4, "zorb-core", &[]),
    floor(4, "zorb-rt", &["zorb-core"]),
    floor(4, "zorb-dynamic", &["zorb-core"]),
    floor(4, "zorb-dsrt", &["zorb-core", "zorb-rt"]),
    floor(4, "zorb-sched", &[]),
    // 5: the facades
    floor(5, "zorb", &[]),
    floor(5, "zorb-nano", &[]),
    // 6: services
    floor(6, "zorb-naming", &[]),
    floor(6, "zorb-ifr", &[]),
    floor(6, "zorb-sched-service", &[]),
    floor(6, "zorb-event", &[]),
    // 7: components
    floor(7, "zorb-ccm", &[]),
    floor(7, "zorb-deploy", &["zorb-ccm"]),
    // the IDL column
    beside(Storey::Idl, "zorb-idl", &[]),
    beside(Storey::Idl, "zorb-idl-rust", &["zorb-idl"]),
    beside(Storey::Idl, "zorb-build", &["zorb-idl", "zorb-idl-rust"]),
    // tools
    beside(Storey::Tool, "zorb-conformance", &[]),
    beside(Storey::Tool, "zorb-cli", &["zorb-bench"]),
    beside(Storey::Tool, "zorb-bench", &[]),
    beside(Storey::Testkit, "zorb-testkit", &[]),
    beside(Storey::Xtask, "xtask", &[]),
];
