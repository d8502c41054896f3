//! Writes dumps.

use std::io::{self, Write};
use std::ops::ControlFlow;

use super::{CRC, Contents, VERSION, text};
use crate::engine::io_failure;
use crate::{Store, StoreError};

/// The octets that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// Writes all entries of a store, as they are at one moment. The store can be used meanwhile.
///
/// # Errors
/// Those of [`Store::scan_all`], and of `to`.
pub fn write(store: &dyn Store, to: &mut dyn Write) -> Result<Contents, StoreError> {
    let mut writer = Writer { to, digest: CRC.digest(), buffer: Vec::new(), octets: 0 };
    let mut entries = 0;
    let mut written = writer.line(format_args!("{{\"zorb-store-dump\":{VERSION}}}"));
    store.scan_all(&mut |entry| {
        if written.is_err() {
            return ControlFlow::Break(());
        }
        entries += 1;
        written = writer.entry(entry.table, entry.key, entry.value);
        ControlFlow::Continue(())
    })?;
    let octets = written.and_then(|()| writer.end(entries));
    let octets = octets.map_err(|error| io_failure(error, "cannot write the dump"))?;
    Ok(Contents { entries, octets })
}

struct Writer<'a> {
    to: &'a mut dyn Write,
    digest: crc::Digest<'static, u32>,
    buffer: Vec<u8>,
    octets: u64,
}

impl Writer<'_> {
    fn entry(&mut self, table: &str, key: &[u8], value: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(b"{\"table\":\"");
        self.buffer.extend_from_slice(table.as_bytes());
        self.buffer.extend_from_slice(b"\",\"key\":\"");
        text::encode(key, &mut self.buffer);
        self.buffer.extend_from_slice(b"\",\"value\":\"");
        text::encode(value, &mut self.buffer);
        self.buffer.extend_from_slice(b"\"}\n");
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) -> io::Result<()> {
        writeln!(self.buffer, "{line}")
    }

    fn flush(&mut self) -> io::Result<()> {
        self.digest.update(&self.buffer);
        self.octets += self.buffer.len() as u64;
        self.to.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Writes the last line. Returns the number of octets.
    fn end(mut self, entries: u64) -> io::Result<u64> {
        self.flush()?;
        let crc = self.digest.clone().finalize();
        self.line(format_args!("{{\"entries\":{entries},\"crc32\":\"{crc:08x}\"}}"))?;
        self.flush()?;
        Ok(self.octets)
    }
}
