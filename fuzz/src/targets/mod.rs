//! The body of every target, once. The fuzzer and the tests share this folder.

pub mod arq;
pub mod av;
pub mod bridge;
pub mod cdr;
pub mod certificate;
pub mod client;
pub mod connection;
pub mod corbaloc;
pub mod dump;
pub mod dynamic;
pub mod echo;
pub mod engines;
pub mod giop;
pub mod handshake;
pub mod idl;
pub mod imr;
pub mod ior;
pub mod json;
pub mod miop;
pub mod naming;
pub mod nano;
pub mod omninames;
pub mod options;
pub mod realtime;
pub mod repository;
pub mod ring;
pub mod schedule;
pub mod sctp;
pub mod server;
pub mod short;
pub mod stored_servers;
pub mod type_code;
pub mod usage;
pub mod value;
pub mod views;
pub mod ziop;
pub mod zstd;

/// A kind of external input, and the function that processes it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of the fuzzer's program and of the folder of its corpus.
    pub name: &'static str,
    /// Runs one input. Panics on a failure; a panic of another thread, or one that is caught, is a finding
    /// too, for which the runner installs a hook (libFuzzer's does).
    pub run: fn(&[u8]),
    /// The maximum allocation for one input.
    pub allocation: AllocationBound,
    /// The dictionary of mutations: keywords and magic numbers.
    pub words: &'static [&'static [u8]],
}

/// A limit on the bytes allocated while one input runs. Freed memory counts, too, and so does what the target's own
/// checks allocate: decoding as many types, encoding again in both byte orders and reading it back.
#[derive(Clone, Copy, Debug)]
pub struct AllocationBound {
    /// Bytes per octet of input.
    pub per_octet: u64,
    /// Constant number of bytes.
    pub constant: u64,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    cdr::TARGET,
    type_code::TARGET,
    value::TARGET,
    engines::TARGET,
    views::TARGET,
    dynamic::TARGET,
    json::TARGET,
    repository::TARGET,
    dump::TARGET,
    omninames::TARGET,
    stored_servers::TARGET,
    giop::TARGET,
    connection::TARGET,
    miop::TARGET,
    short::TARGET,
    ziop::TARGET,
    zstd::TARGET,
    av::TARGET,
    arq::TARGET,
    sctp::TARGET,
    ring::TARGET,
    handshake::TARGET,
    ior::TARGET,
    corbaloc::TARGET,
    certificate::TARGET,
    idl::TARGET,
    options::TARGET,
    usage::TARGET,
    schedule::TARGET,
    server::TARGET,
    imr::TARGET,
    naming::TARGET,
    client::TARGET,
    bridge::TARGET,
    nano::TARGET,
    realtime::TARGET,
];
