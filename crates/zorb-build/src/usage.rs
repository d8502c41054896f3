//! Reads usage files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use zorb_idl_rust::Usage;

use crate::Error;

/// Reads the usage file at `path`, up to the maximum size of such files.
pub(crate) fn read(path: &Path) -> Result<Usage, Error> {
    let fault = |source| Error::Usage { path: path.to_owned(), source };
    let octets = octets(path).map_err(|error| fault(Box::new(error)))?;
    Usage::parse(&octets).map_err(|error| fault(Box::new(error)))
}

fn octets(path: &Path) -> io::Result<Vec<u8>> {
    let mut octets = Vec::new();
    let most = Usage::MAX_OCTETS as u64 + 1;
    File::open(path)?.take(most).read_to_end(&mut octets)?;
    Ok(octets)
}
