//! Parses the output of binutils: the sections of a program, and its symbols by crate.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ops::{Add, Range, Sub};

/// Octets of code, constants and data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns(pub(super) [u64; 3]);

impl Add for Columns {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self([0, 1, 2].map(|index| self.0[index] + other.0[index]))
    }
}

impl Sub for Columns {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self([0, 1, 2].map(|index| self.0[index].saturating_sub(other.0[index])))
    }
}

/// A section that is loaded into memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) size: u64,
    address: u64,
}

impl Section {
    /// Its octets in its column; zero for sections that only the loader or unwinder reads.
    pub(super) fn columns(&self) -> Columns {
        let mut columns = Columns::default();
        if let Some(column) = self.column() {
            columns.0[column] = self.size;
        }
        columns
    }

    fn column(&self) -> Option<usize> {
        match self.name.as_str() {
            ".text" => Some(0),
            ".rodata" | ".data.rel.ro" => Some(1),
            ".data" | ".bss" | ".tdata" | ".tbss" => Some(2),
            _ => None,
        }
    }

    fn range(&self) -> Range<u64> {
        self.address..self.address + self.size
    }
}

/// The sections in the output of `size -A -d` that have an address.
pub(super) fn sections(text: &str) -> Vec<Section> {
    let section = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next().filter(|name| name.starts_with('.'))?.to_owned();
        let (size, address) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        (address > 0).then_some(Section { name, size, address })
    };
    text.lines().filter_map(section).collect()
}

/// The octets of each crate in the output of `nm --print-size --demangle`, the most code first. A
/// symbol with several names is counted once.
pub(super) fn by_crate(text: &str, sections: &[Section]) -> Vec<(String, Columns)> {
    let mut seen = BTreeSet::new();
    let mut crates: BTreeMap<String, Columns> = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.splitn(4, ' ');
        let number = |word: Option<&str>| u64::from_str_radix(word?, 16).ok();
        let (address, size) = (number(words.next()), number(words.next()));
        let (Some(address), Some(size)) = (address, size) else { continue };
        let Some(name) = words.nth(1).and_then(crate_of) else { continue };
        // Addresses in thread-local storage are offsets, and thus in no section.
        let section = sections.iter().find(|section| section.range().contains(&address));
        if let Some(column) = section.and_then(Section::column)
            && seen.insert(address)
        {
            crates.entry(name).or_default().0[column] += size;
        }
    }
    let mut crates: Vec<_> = crates.into_iter().collect();
    crates.sort_by_key(|(_, columns)| std::cmp::Reverse(columns.0));
    crates
}

/// The octets of the symbol with this name.
pub(super) fn size(text: &str, name: &str) -> u64 {
    let found = text.lines().find_map(|line| {
        let mut words = line.splitn(4, ' ').skip(1);
        let size = u64::from_str_radix(words.next()?, 16).ok()?;
        (words.nth(1) == Some(name)).then_some(size)
    });
    found.unwrap_or_default()
}

/// The crates of the standard library, and those that it contains.
const STANDARD: &[&str] = &[
    "std",
    "core",
    "alloc",
    "std_detect",
    "compiler_builtins",
    "panic_unwind",
    "unwind",
    "gimli",
    "addr2line",
    "miniz_oxide",
    "rustc_demangle",
    "object",
    "adler2",
    "memchr_std",
];

/// The crate of a symbol: the first crate of Zorb in its name, otherwise the first one outside the
/// standard library. A generic function thus belongs to the crate that instantiates it. `None` for
/// symbols without a path: constants, and those of the C library.
fn crate_of(symbol: &str) -> Option<String> {
    let roots: Vec<&str> = roots(symbol).collect();
    let ours = roots.iter().find(|root| root.starts_with("zorb") || root.starts_with("hello"));
    let others = || roots.iter().find(|root| !STANDARD.contains(root));
    let standard = || roots.first().map(|_| &"std");
    Some(ours.or_else(others).or_else(standard)?.replace('_', "-"))
}

/// The first segments of the paths in a symbol's name.
fn roots(symbol: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    symbol.match_indices("::").filter_map(move |(end, _)| {
        let before = symbol.get(..end)?;
        let start = before.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
        let word = before.get(start..)?;
        let is_first = !before.get(..start)?.ends_with("::");
        let is_name = word.starts_with(|c: char| c.is_ascii_lowercase());
        (is_first && is_name).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_belongs_to_the_crate_that_needs_it() {
        for (symbol, expected) in [
            ("zorb_core::poa::slots::find", Some("zorb-core")),
            ("<zorb_giop::error::ProtocolError as core::fmt::Display>::fmt", Some("zorb-giop")),
            ("core::ptr::drop_in_place<zorb_core::server::reply::Reply>", Some("zorb-core")),
            ("core::ptr::drop_in_place<toml::de::error::Error>", Some("toml")),
            ("core::slice::ascii::<impl [u8]>::eq_ignore_ascii_case_chunks", Some("std")),
            ("<alloc::vec::Vec<u8> as std::io::Write>::write_all", Some("std")),
            ("<arc_swap::strategy::Hybrid<Cfg> as X>::load", Some("arc-swap")),
            ("anon.ad527f40.82.llvm.17288626707096565557", None),
            ("GCC_except_table60", None),
            ("_init", None),
        ] {
            assert_eq!(crate_of(symbol).as_deref(), expected, "{symbol}");
        }
    }

    #[test]
    fn octets_are_counted_once_and_by_section() {
        let sections =
            sections("a  :\nsection size addr\n.text 100 4096\n.rodata 50 8192\n.comment 9 0\n");
        assert_eq!(sections.len(), 2);
        let text = "\
0000000000001000 0000000000000010 t zorb_cdr::a
0000000000001000 0000000000000010 T zorb_giop::the_same
0000000000001010 0000000000000020 T main
0000000000002000 0000000000000008 r zorb_cdr::TABLE
                 U free
0000000000002008 r GCC_except_table0
";
        assert_eq!(by_crate(text, &sections), [("zorb-cdr".to_owned(), Columns([16, 8, 0]))]);
        assert_eq!((size(text, "main"), size(text, "free")), (0x20, 0));
    }
}
