//! Text and numbers of the page.

/// The text with a replacement for each control character, except newlines, and for each character
/// that changes the direction of the text around it.
pub(super) fn visible(text: &str) -> String {
    let visible = |char: char| match char {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        char if char.is_control() && char != '\n' => '\u{fffd}',
        char => char,
    };
    text.chars().map(visible).collect()
}

/// The text, cut to `most` characters with an ellipsis.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['\u{2026}']).collect()
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// A time in microseconds.
    Micros,
    /// Calls in a second.
    Rate,
    /// 10^6 octets in a second.
    Megabytes,
    /// A ratio.
    Ratio,
    /// Octets, in powers of two.
    Octets,
    /// A share of one, in percent.
    Share,
    /// Anything else.
    Count,
}

impl Quantity {
    /// A measured number with its unit; ratios have a fixed number of decimals, so that they line up.
    pub(super) fn measured(self, value: f64) -> String {
        match self {
            Self::Ratio if (0.1..1000.0).contains(&value) => format!("{value:.2}\u{d7}"),
            _ => self.text(value),
        }
    }

    /// The number with its unit, short.
    pub(super) fn text(self, value: f64) -> String {
        match self {
            Self::Micros => {
                scaled(value * 1e3, &[(1e9, " s"), (1e6, " ms"), (1e3, " µs"), (1.0, " ns")])
            }
            Self::Rate | Self::Count => {
                scaled(value, &[(1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")])
            }
            Self::Megabytes => scaled(value, &[(1e3, " GB/s"), (1.0, " MB/s"), (1e-3, " kB/s")]),
            Self::Ratio => format!("{}\u{d7}", digits(value, 3)),
            Self::Share => format!("{}\u{2009}%", digits(value * 100.0, 6)),
            Self::Octets => {
                let sizes = [
                    (f64::from(1 << 30), " GiB"),
                    (f64::from(1 << 20), " MiB"),
                    (1024.0, " KiB"),
                    (1.0, " B"),
                ];
                scaled(value, &sizes)
            }
        }
    }
}

/// The value in the largest unit that does not exceed it.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let size = value.abs();
    // A value that rounds up to the next unit is shown in that.
    let fits = units.iter().find(|(unit, _)| size >= unit * 0.9995);
    match fits.or(units.last()) {
        Some((unit, name)) => format!("{}{name}", digits(value / unit, 3)),
        None => digits(value, 3),
    }
}

/// The value with about this many significant digits, without trailing zeros.
pub(super) fn digits(value: f64, significant: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let magnitude = value.abs().log10().floor();
    if magnitude >= 9.0 {
        return format!("{value:.2e}");
    }
    let decimals = (f64::from(significant) - 1.0 - magnitude).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A number in a table: fixed decimals, and thin spaces between the thousands.
pub(super) fn in_table(value: f64, decimals: usize) -> String {
    if value.abs() >= 1e15 {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), ""), |(w, f)| (w, f));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |whole| ("\u{2212}", whole));
    let mut grouped = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) && whole.len() > 4 {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    if !fraction.is_empty() {
        grouped.push('.');
        grouped += fraction;
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_replaced() {
        assert_eq!(visible("a<b>\u{0}\u{202e}"), "a<b>\u{fffd}\u{fffd}");
    }

    #[test]
    fn numbers_have_the_unit_that_suits_them() {
        for (quantity, value, expected) in [
            (Quantity::Micros, 0.0404, "40.4 ns"),
            (Quantity::Micros, 67.25, "67.2 µs"),
            (Quantity::Micros, 999.96, "1 ms"),
            (Quantity::Micros, 5e6, "5 s"),
            (Quantity::Rate, 15_280.0, "15.3 k"),
            (Quantity::Megabytes, 1500.0, "1.5 GB/s"),
            (Quantity::Ratio, 1.029, "1.03\u{d7}"),
            (Quantity::Octets, 98_304.0, "96 KiB"),
            (Quantity::Octets, 4.0, "4 B"),
            (Quantity::Count, 0.0, "0"),
            (Quantity::Count, 1e300, "1.00e291 G"),
        ] {
            assert_eq!(quantity.text(value), expected);
        }
    }

    #[test]
    fn ratios_line_up() {
        assert_eq!(Quantity::Ratio.measured(1.0), "1.00\u{d7}");
        assert_eq!(Quantity::Ratio.measured(0.0421), "0.0421\u{d7}");
        assert_eq!(Quantity::Ratio.text(1.0), "1\u{d7}");
    }

    #[test]
    fn tables_group_thousands() {
        assert_eq!(in_table(1234.0, 0), "1234");
        assert_eq!(in_table(-1_234_567.25, 1), "\u{2212}1\u{202f}234\u{202f}567.2");
        assert_eq!(in_table(0.5, 2), "0.50");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(shortened("omniorb", 7), "omniorb");
        assert_eq!(shortened("omniorb-4", 7), "omnior\u{2026}");
    }
}
