//! The parts of callgrind's profiles that the ladder needs.

use std::collections::BTreeMap;

use crate::{Error, Result};

/// What the names of the engines' functions contain.
const OURS: &str = "zorb_ladder::";

/// The counts between two marks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Profile {
    /// Instructions.
    pub(super) instructions: u64,
    /// Instructions of the engines' own functions that were not in the cache.
    pub(super) i1_misses: u64,
    /// The same of all functions, those of the C library included.
    pub(super) i1_misses_of_all: u64,
    /// How often each function of the ladder was called, by its short name.
    pub(super) calls: BTreeMap<String, u64>,
}

impl Profile {
    /// Parses a profile that names functions in full.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let line = |start| text.lines().find_map(|line| line.strip_prefix(start));
        let missing = || Error::new("callgrind wrote no counts");
        let events: &str = line("events: ").ok_or_else(missing)?;
        let totals: Vec<&str> = line("totals: ").ok_or_else(missing)?.split(' ').collect();
        let total = |event| {
            let column = events.split(' ').position(|name| name == event)?;
            // Zeros at the end are left out.
            totals.get(column).copied().unwrap_or("0").parse().ok()
        };
        let (instructions, i1_misses_of_all) =
            total("Ir").zip(total("I1mr")).ok_or_else(missing)?;
        let misses_column = events.split(' ').position(|name| name == "I1mr");
        let mut profile = Self { instructions, i1_misses_of_all, ..Self::default() };
        let (mut is_ours, mut is_call, mut called) = (false, false, None);
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("fn=") {
                is_ours = name.contains(OURS);
            } else if let Some(name) = line.strip_prefix("cfn=") {
                called = name.contains(OURS).then(|| short(name));
            } else if let Some(counts) = line.strip_prefix("calls=") {
                is_call = true;
                let count = counts.split(' ').next().and_then(|count| count.parse::<u64>().ok());
                if let Some(name) = called.take() {
                    *profile.calls.entry(name).or_default() += count.unwrap_or_default();
                }
            } else if line.starts_with(|c: char| c.is_ascii_digit()) {
                // A line of the source and its costs; after `calls=`, those of what was called, which are listed there.
                if is_ours && !is_call {
                    let mut costs = line.split(' ').skip(1);
                    let misses = misses_column.and_then(|column| costs.nth(column));
                    profile.i1_misses +=
                        misses.and_then(|one| one.parse::<u64>().ok()).unwrap_or(0);
                }
                is_call = false;
            }
        }
        Ok(profile)
    }

    /// What is left of the counts without those of `other`.
    pub(super) fn without(mut self, other: &Self) -> Self {
        self.instructions = self.instructions.saturating_sub(other.instructions);
        self.i1_misses = self.i1_misses.saturating_sub(other.i1_misses);
        self.i1_misses_of_all = self.i1_misses_of_all.saturating_sub(other.i1_misses_of_all);
        self
    }
}

/// `visit` of `<a::b::Encoder<A> as a::Visitor>::visit'2` as `Encoder::visit`; `calc` of `a::b::calc::h0123456789abcdef`.
fn short(name: &str) -> String {
    let name = name.split('\'').next().unwrap_or(name);
    let name = match name.rsplit_once("::h") {
        Some((name, hash)) if hash.len() == 16 => name,
        _ => name,
    };
    let last = |path: &str| {
        let plain = without_generics(path);
        plain.rsplit("::").next().unwrap_or_default().to_owned()
    };
    match name.strip_prefix('<').and_then(|name| name.rsplit_once(">::")) {
        Some((of, method)) => {
            let of = of.split(" as ").next().unwrap_or(of);
            format!("{}::{}", last(of), last(method))
        }
        None => last(name),
    }
}

/// A path without what is in angle brackets.
fn without_generics(path: &str) -> String {
    let mut depth = 0_usize;
    let outside = path.chars().filter(|c| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    let path: String = outside.collect();
    path.trim_end_matches("::").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
events: Ir Dr Dw I1mr D1mr

fn=zorb_ladder::count::h0123456789abcdef
1 5 0 0 2
cfn=<zorb_ladder::original::encode::Encoder<A> as zorb_ladder::original::Visitor>::visit'2
calls=4 7
2 100 3
cfn=<zorb_ladder::original::encode::Encoder<A> as zorb_ladder::original::Visitor>::visit
calls=3 7
2 100 3
cfn=malloc
calls=9 7
2 100 3 1 7
fn=malloc
1 9 0 0 4
totals: 205 6 2 6
";

    #[test]
    fn calls_are_those_of_the_ladder() {
        let profile = Profile::parse(TEXT).unwrap();
        assert_eq!(
            (profile.instructions, profile.i1_misses, profile.i1_misses_of_all),
            (205, 2, 6)
        );
        assert_eq!(profile.calls, BTreeMap::from([("Encoder::visit".to_owned(), 7)]));
        let rest = profile.clone().without(&profile);
        assert_eq!((rest.instructions, rest.i1_misses), (0, 0));
        assert!(Profile::parse("events: Ir\n").is_err());
    }

    #[test]
    fn names_are_shortened() {
        for (name, expected) in [
            ("zorb_ladder::type_code::calc::h0123456789abcdef", "calc"),
            (
                "zorb_ladder::original::call::do_static_call::<zorb_ladder::stream::Inlined>",
                "do_static_call",
            ),
            ("<zorb_ladder::type_code::Parameters>::get_ulong", "Parameters::get_ulong"),
            ("main", "main"),
        ] {
            assert_eq!(short(name), expected);
        }
    }
}
