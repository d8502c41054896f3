//! The body of every target, once. The fuzzer and the tests share this folder.

pub mod arq;
pub mod cdr;
pub mod certificate;
pub mod client;
pub mod connection;
pub mod corbaloc;
pub mod dynamic;
pub mod echo;
pub mod giop;
pub mod idl;
pub mod ior;
pub mod json;
pub mod miop;
pub mod options;
pub mod repository;
pub mod ring;
pub mod schedule;
pub mod sctp;
pub mod server;
pub mod short;
pub mod type_code;
pub mod value;

/// One kind of input from outside, and what is done with it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of the fuzzer's program and of the folder of its corpus.
    pub name: &'static str,
    /// Runs one input. Panics on a failure; a panic of another thread, or one that is caught, is a finding
    /// too, for which the runner installs a hook (libFuzzer's does).
    pub run: fn(&[u8]),
    /// The most that one input may make it allocate.
    pub allocation: AllocationBound,
    /// What makes inputs interesting: keywords and marks that mutations put in.
    pub words: &'static [&'static [u8]],
}

/// A limit on the bytes asked of the allocator while one input runs. What is freed again counts
/// too, and so does what the target's own checks allocate: decoding as many types, encoding again
/// in both byte orders and reading it back.
#[derive(Clone, Copy, Debug)]
pub struct AllocationBound {
    /// Bytes for each octet of input.
    pub per_octet: u64,
    /// Bytes beside those.
    pub constant: u64,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    cdr::TARGET,
    type_code::TARGET,
    value::TARGET,
    dynamic::TARGET,
    json::TARGET,
    repository::TARGET,
    giop::TARGET,
    connection::TARGET,
    miop::TARGET,
    short::TARGET,
    arq::TARGET,
    sctp::TARGET,
    ring::TARGET,
    ior::TARGET,
    corbaloc::TARGET,
    certificate::TARGET,
    idl::TARGET,
    options::TARGET,
    schedule::TARGET,
    server::TARGET,
    client::TARGET,
];
