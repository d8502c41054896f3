//! Reads dumps.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use serde::Deserialize;

use super::{CRC, Contents, VERSION, text};
use crate::engine::io_failure;
use crate::limits::{self, MAX_KEY, MAX_VALUE};
use crate::{Batch, Entry, StoreError, StoreErrorKind};

/// The longest line: an octet may be three characters.
const MAX_LINE: usize = 3 * (MAX_KEY + MAX_VALUE) + 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    #[serde(rename = "zorb-store-dump")]
    version: u32,
}

/// An entry, or the last line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(borrow)]
    table: Option<Cow<'a, str>>,
    #[serde(borrow)]
    key: Option<Cow<'a, str>>,
    #[serde(borrow)]
    value: Option<Cow<'a, str>>,
    entries: Option<u64>,
    #[serde(borrow)]
    crc32: Option<Cow<'a, str>>,
}

/// Reads a dump, and calls `take` with each entry. Whether the dump is whole is known at its end: read it once before
/// its entries are used.
///
/// Reads a line at a time, which is limited by those of keys and values.
///
/// # Errors
/// [`StoreErrorKind::Broken`] with the number of the line; [`StoreErrorKind::Newer`] for a version of the format that
/// this program does not know; those of `from` and of `take`.
pub fn read(
    from: &mut dyn BufRead,
    take: &mut dyn FnMut(Entry<'_>) -> Result<(), StoreError>,
) -> Result<Contents, StoreError> {
    let mut lines = Lines { from, line: Vec::new(), number: 0, octets: 0, digest: CRC.digest() };
    lines.next()?;
    let header = serde_json::from_slice::<Header>(&lines.line);
    let version = header.map_err(|_| lines.broken("this is not a dump of a store"))?.version;
    if version != VERSION {
        let what = format!("the dump has version {version}; this program reads version {VERSION}");
        return Err(StoreError::new(StoreErrorKind::Newer, what)
            .with_hint("use the version of Zorb that wrote the dump, or a newer one"));
    }
    let mut entries = 0;
    loop {
        let before = lines.digest.clone().finalize();
        lines.next()?;
        let line = serde_json::from_slice::<Line<'_>>(&lines.line);
        match line.map_err(|error| lines.broken("this is not an entry").with_source(error))? {
            Line {
                table: Some(table),
                key: Some(key),
                value: Some(value),
                entries: None,
                crc32: None,
            } => {
                let (Some(key), Some(value)) = (text::decode(&key), text::decode(&value)) else {
                    return Err(
                        lines.broken("key and value are printable, with %XX for other octets")
                    );
                };
                // A table's name is copied by what checks it.
                check(&table, &key, &value)
                    .map_err(|error| lines.broken("a limit is exceeded").with_source(error))?;
                entries += 1;
                take(Entry { table: &table, key: &key, value: &value })?;
            }
            Line {
                table: None,
                key: None,
                value: None,
                entries: Some(expected),
                crc32: Some(crc),
            } => {
                if expected != entries || *crc != *format!("{before:08x}") {
                    return Err(lines.broken("the number of entries or the checksum is wrong"));
                }
                return lines.end().map(|octets| Contents { entries, octets });
            }
            _ => return Err(lines.broken("this is not an entry")),
        }
    }
}

fn check(table: &str, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
    limits::check_table(table)?;
    limits::check_entry(key.len(), value.len())
}

struct Lines<'a> {
    from: &'a mut dyn BufRead,
    line: Vec<u8>,
    number: u64,
    octets: u64,
    digest: crc::Digest<'static, u32>,
}

impl Lines<'_> {
    /// Reads the next line, without its end.
    fn next(&mut self) -> Result<(), StoreError> {
        self.number += 1;
        self.line.clear();
        let limit = MAX_LINE as u64;
        let read = self.from.take(limit).read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| io_failure(error, "cannot read the dump"))?;
        self.octets += read as u64;
        self.digest.update(&self.line);
        match self.line.pop() {
            Some(b'\n') => Ok(()),
            Some(_) if read as u64 == limit => Err(self.broken("the line is too long")),
            _ => Err(self.broken("the dump ends here, without its last line")),
        }
    }

    /// Checks that nothing follows. Returns the number of octets.
    fn end(&mut self) -> Result<u64, StoreError> {
        let rest = self.from.fill_buf();
        match rest.map_err(|error| io_failure(error, "cannot read the dump"))? {
            [] => Ok(self.octets),
            _ => Err(self.broken("something follows the last line")),
        }
    }

    #[cold]
    fn broken(&self, what: &str) -> StoreError {
        StoreError::new(StoreErrorKind::Broken, format!("line {}: {what}", self.number))
            .with_hint("use an earlier dump")
    }
}

/// Entries that are collected for one transaction.
#[derive(Debug, Default)]
pub(crate) struct Collected(Batch);

impl Collected {
    /// The size at which a batch is committed, in octets.
    const ENOUGH: usize = 4 << 20;

    /// Adds an entry. Returns a batch that should be committed, if it is large enough.
    pub(crate) fn add(&mut self, entry: Entry<'_>) -> Option<Batch> {
        self.0.push(entry.table.to_owned().into(), entry.key.to_vec(), Some(entry.value.to_vec()));
        (self.0.octets() >= Self::ENOUGH || self.0.len() >= 10_000)
            .then(|| std::mem::take(&mut self.0))
    }

    /// The last batch.
    pub(crate) fn rest(self) -> Batch {
        self.0
    }
}
