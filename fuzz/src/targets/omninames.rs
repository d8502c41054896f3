//! Data files of omniNames: the files of `zorb naming import`.

use zorb_naming::import::OmniNames;

use super::{AllocationBound, Target};

/// Octets read as a data file: it has at most one context and one binding for each line.
pub const TARGET: Target = Target {
    name: "omninames",
    run,
    allocation: AllocationBound { per_octet: 256, constant: 64 << 10 },
    words: &[
        b"port 2809\n",
        b"persistent 00\n",
        b"create 4e616d6553657276696365\n",
        b"create 00000001\n",
        b"bind IOR:",
        b"unbind IOR:",
        b"destroy IOR:",
        b" a b nobject IOR:",
        b" c  ncontext IOR:",
        b"\\ ",
        b"\\\\",
        b"\r\n",
    ],
};

fn run(octets: &[u8]) {
    match OmniNames::parse(octets) {
        Ok(names) => {
            let lines = octets.split(|octet| *octet == b'\n').count();
            let (contexts, bindings) = names.counts();
            assert!(contexts + bindings <= lines);
        }
        Err(error) => {
            assert!(error.line >= 1 && !error.to_string().is_empty());
        }
    }
}
