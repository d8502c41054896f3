//! Types of option values: conversion from and to text.

use std::time::Duration;

use super::{OptionKind, OptionSpec};

/// A type for an option's field.
///
/// Implemented for text, lists, pairs, `bool`, numbers and durations; keywords are defined by
/// [`option_words!`](crate::option_words!).
pub trait OptionValue {
    /// The kind of the text.
    const KIND: OptionKind;

    /// Sets the value from text. A list is appended to; among pairs, one of the same name is
    /// replaced.
    ///
    /// # Errors
    /// Why the text is not a value of the option: the expected kind, or the range.
    fn take(&mut self, text: &str, spec: &OptionSpec) -> Result<(), String>;

    /// The value as text in `unit` that could be set.
    fn text(&self, unit: &str) -> String;

    /// Clears a list, before a source of higher precedence sets it. Others are unchanged.
    fn clear(&mut self) {}
}

/// Names with values, such as initial references with their URLs, in the order of setting.
pub type NameValuePairs = Vec<(String, String)>;

impl OptionValue for String {
    const KIND: OptionKind = OptionKind::Text;

    fn take(&mut self, text: &str, _: &OptionSpec) -> Result<(), String> {
        text.clone_into(self);
        Ok(())
    }

    fn text(&self, _: &str) -> String {
        self.clone()
    }
}

impl OptionValue for Vec<String> {
    const KIND: OptionKind = OptionKind::List;

    fn take(&mut self, text: &str, _: &OptionSpec) -> Result<(), String> {
        let values = text.split([';', ',']).map(str::trim).filter(|value| !value.is_empty());
        self.extend(values.map(str::to_owned));
        Ok(())
    }

    fn text(&self, _: &str) -> String {
        self.join(";")
    }

    fn clear(&mut self) {
        self.clear();
    }
}

impl OptionValue for NameValuePairs {
    const KIND: OptionKind = OptionKind::NameValuePairs;

    fn take(&mut self, text: &str, _: &OptionSpec) -> Result<(), String> {
        let pair = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let (name, value) = pair
            .filter(|(name, value)| !name.is_empty() && !value.is_empty())
            .ok_or("expected NAME=VALUE")?;
        self.retain(|(known, _)| known != name);
        self.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    fn text(&self, _: &str) -> String {
        let pairs: Vec<_> = self.iter().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join(";")
    }
}

impl OptionValue for bool {
    const KIND: OptionKind = OptionKind::OneOf(&["yes", "no"]);

    fn take(&mut self, text: &str, spec: &OptionSpec) -> Result<(), String> {
        *self = word(text, &[("yes", true), ("no", false)], spec)?;
        Ok(())
    }

    fn text(&self, _: &str) -> String {
        if *self { "yes" } else { "no" }.to_owned()
    }
}

/// A number, or a duration, whose text is a number in the option's unit.
///
/// `None` of an `Option<T>` is written as 0.
pub trait OptionNumber: Sized {
    /// The value of `number`; `None` if the type has no such value.
    fn from_number(number: u64, unit: &str) -> Option<Self>;

    /// The number of the value, rounded up to whole units.
    fn number(&self, unit: &str) -> u64;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl OptionNumber for $number {
            fn from_number(number: u64, _: &str) -> Option<Self> {
                number.try_into().ok()
            }

            fn number(&self, _: &str) -> u64 {
                u64::try_from(*self).unwrap_or(u64::MAX)
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64 usize);

impl OptionNumber for Duration {
    fn from_number(number: u64, unit: &str) -> Option<Self> {
        match unit {
            "s" => Some(Self::from_secs(number)),
            "ms" => Some(Self::from_millis(number)),
            "us" => Some(Self::from_micros(number)),
            _ => None,
        }
    }

    fn number(&self, unit: &str) -> u64 {
        let nanos_a_unit = match unit {
            "s" => 1_000_000_000,
            "ms" => 1_000_000,
            _ => 1000,
        };
        self.as_nanos().div_ceil(nanos_a_unit).try_into().unwrap_or(u64::MAX)
    }
}

impl<T: OptionNumber> OptionValue for T {
    const KIND: OptionKind = OptionKind::Number(0, u64::MAX);

    fn take(&mut self, text: &str, spec: &OptionSpec) -> Result<(), String> {
        *self = T::from_number(parse(text, spec)?, spec.unit).ok_or_else(|| range(spec))?;
        Ok(())
    }

    fn text(&self, unit: &str) -> String {
        self.number(unit).to_string()
    }
}

impl<T: OptionNumber> OptionValue for Option<T> {
    const KIND: OptionKind = OptionKind::Number(0, u64::MAX);

    fn take(&mut self, text: &str, spec: &OptionSpec) -> Result<(), String> {
        *self = match parse(text, spec)? {
            0 => None,
            number => Some(T::from_number(number, spec.unit).ok_or_else(|| range(spec))?),
        };
        Ok(())
    }

    fn text(&self, unit: &str) -> String {
        self.as_ref().map_or(0, |value| value.number(unit)).to_string()
    }
}

fn parse(text: &str, spec: &OptionSpec) -> Result<u64, String> {
    let OptionKind::Number(least, most) = spec.kind else {
        return Err("not a number".to_owned());
    };
    let number: u64 = text.trim().parse().map_err(|_| {
        format!("expected a number from {least} to {most} {}", spec.unit).trim_end().to_owned()
    })?;
    if (least..=most).contains(&number) { Ok(number) } else { Err(range(spec)) }
}

fn range(spec: &OptionSpec) -> String {
    format!("out of range: {} {}", spec.kind.describe(), spec.unit).trim_end().to_owned()
}

/// The value of the keyword `text` in `words`, case-insensitive.
#[doc(hidden)]
pub fn word<T: Copy>(text: &str, words: &[(&str, T)], spec: &OptionSpec) -> Result<T, String> {
    let found = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text.trim()));
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| format!("expected one of {}", spec.kind.describe()))
}
