//! What the database is stored on.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

/// Octets that survive the process: a file, or a simulation of one.
pub(crate) trait Disk: fmt::Debug + Send + Sync + 'static {
    /// The length in octets.
    fn len(&self) -> io::Result<u64>;
    /// Fills `octets` with what is stored at `offset`.
    fn read(&self, offset: u64, octets: &mut [u8]) -> io::Result<()>;
    /// Writes `octets` at `offset`.
    fn write(&self, offset: u64, octets: &[u8]) -> io::Result<()>;
    /// Changes the length; new octets are zero.
    fn set_len(&self, len: u64) -> io::Result<()>;
    /// Returns when all that was written survives a loss of power.
    fn sync(&self) -> io::Result<()>;
    /// Checks that the next process can find it.
    ///
    /// # Errors
    /// It cannot.
    fn check_name(&self) -> io::Result<()> {
        Ok(())
    }
}

impl Disk for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read(&self, offset: u64, octets: &mut [u8]) -> io::Result<()> {
        self.read_exact_at(octets, offset)
    }

    fn write(&self, offset: u64, octets: &[u8]) -> io::Result<()> {
        self.write_all_at(octets, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        Self::set_len(self, len)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn check_name(&self) -> io::Result<()> {
        match self.metadata()?.nlink() {
            0 => Err(io::Error::other("the file has been removed")),
            _ => Ok(()),
        }
    }
}
