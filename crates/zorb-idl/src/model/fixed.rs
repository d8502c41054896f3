//! Fixed-point values.

use std::fmt::{self, Display, Formatter};

/// The maximum number of significant digits of a fixed-point value.
pub const MAX_FIXED_DIGITS: usize = 31;

/// A value of a `fixed` type: a decimal number of at most 31 digits.
///
/// Leading and trailing zeros are removed, so that equal numbers compare equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FixedValue {
    unscaled: i128,
    scale: u16,
}

impl FixedValue {
    /// The number `unscaled` divided by ten to the power of `scale`; none when it needs more than
    /// 31 digits before the decimal point. Digits after the 31st are dropped.
    #[must_use]
    pub fn new(unscaled: i128, scale: u16) -> Option<Self> {
        let digits = digits_of(unscaled.unsigned_abs());
        Self::from_digits(unscaled < 0, &digits, scale.into())
    }

    /// Parses `12.5`: digits with an optional decimal point.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|it| it - b'0').collect();
        // A literal must not lose digits.
        let significant = digits.iter().skip_while(|digit| **digit == 0).count();
        let idle = fraction.bytes().rev().take_while(|digit| *digit == b'0').count();
        let behind = fraction.len() - idle;
        if significant > MAX_FIXED_DIGITS + idle || behind > MAX_FIXED_DIGITS {
            return None;
        }
        Self::from_digits(false, &digits, fraction.len())
    }

    /// The digits as one number, without the decimal point: 125 for 12.5.
    #[must_use]
    pub const fn unscaled(self) -> i128 {
        self.unscaled
    }

    /// The number of digits after the decimal point.
    #[must_use]
    pub const fn scale(self) -> u16 {
        self.scale
    }

    /// The total number of digits, at least one: 3 for 12.5, 2 for 0.05.
    #[must_use]
    pub fn digits(self) -> u16 {
        let count = digits_of(self.unscaled.unsigned_abs()).len();
        u16::try_from(count).unwrap_or(u16::MAX).max(self.scale).max(1)
    }

    /// The value truncated to `scale` digits after the decimal point.
    #[must_use]
    pub(crate) fn truncate(self, scale: u16) -> Self {
        let digits = digits_of(self.unscaled.unsigned_abs());
        let dropped = usize::from(self.scale.saturating_sub(scale)).min(digits.len());
        let kept = digits.get(..digits.len() - dropped).unwrap_or_default();
        let scale = usize::from(self.scale.min(scale));
        Self::from_digits(self.unscaled < 0, kept, scale).unwrap_or_default()
    }

    /// Creates a value from digits, the most significant first.
    fn from_digits(negative: bool, digits: &[u8], mut scale: usize) -> Option<Self> {
        let leading = digits.iter().take_while(|digit| **digit == 0).count();
        let mut digits = digits.get(leading..)?;
        loop {
            match digits.split_last() {
                Some((0, rest)) if scale > 0 => digits = rest,
                // A result is truncated to 31 digits, without rounding.
                Some((_, rest)) if scale > 0 && digits.len() > MAX_FIXED_DIGITS => digits = rest,
                None => return Some(Self::default()),
                _ => break,
            }
            scale -= 1;
        }
        if digits.len() > MAX_FIXED_DIGITS {
            return None;
        }
        // Many zeros directly after the decimal point: too small for 31 digits.
        if scale > MAX_FIXED_DIGITS {
            let dropped = (scale - MAX_FIXED_DIGITS).min(digits.len());
            let kept = digits.get(..digits.len() - dropped)?;
            return Self::from_digits(negative, kept, MAX_FIXED_DIGITS);
        }
        let unscaled = digits.iter().fold(0_i128, |sum, digit| 10 * sum + i128::from(*digit));
        let unscaled = if negative { -unscaled } else { unscaled };
        Some(Self { unscaled, scale: u16::try_from(scale).ok()? })
    }

    pub(crate) const fn negated(self) -> Self {
        Self { unscaled: -self.unscaled, scale: self.scale }
    }

    /// The sum; none when it needs more than 31 digits before the decimal point.
    pub(crate) fn add(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let (left, right) = (self.aligned(scale), other.aligned(scale));
        let (a, b) = (self.unscaled < 0, other.unscaled < 0);
        let (negative, sum) = if a == b {
            (a, add(&left, &right))
        } else if less(&left, &right) {
            (b, subtract(&right, &left))
        } else {
            (a, subtract(&left, &right))
        };
        Self::from_digits(negative, &sum, scale.into())
    }

    /// The product.
    pub(crate) fn multiply(self, other: Self) -> Option<Self> {
        let left = digits_of(self.unscaled.unsigned_abs());
        let right = digits_of(other.unscaled.unsigned_abs());
        let mut product = vec![0_u8; left.len() + right.len()];
        for (i, a) in left.iter().rev().enumerate() {
            let mut carry = 0;
            for (j, b) in right.iter().rev().chain(&[0]).enumerate() {
                let Some(at) = product.iter_mut().rev().nth(i + j) else { continue };
                let sum = *at + a * b + carry;
                *at = sum % 10;
                carry = sum / 10;
            }
        }
        let negative = (self.unscaled < 0) != (other.unscaled < 0);
        Self::from_digits(negative, &product, usize::from(self.scale + other.scale))
    }

    /// The quotient, to 31 digits; none when it needs more before the decimal point, or when the
    /// divisor is zero.
    pub(crate) fn divide(self, other: Self) -> Option<Self> {
        let divisor = other.unscaled.unsigned_abs();
        if divisor == 0 {
            return None;
        }
        // Long division: the remainder stays below the divisor, which has at most 31 digits.
        let mut rest = 0_u128;
        let mut digits = Vec::new();
        for digit in digits_of(self.unscaled.unsigned_abs()) {
            rest = 10 * rest + u128::from(digit);
            digits.push(u8::try_from(rest / divisor).unwrap_or(0));
            rest %= divisor;
        }
        let mut scale = i32::from(self.scale) - i32::from(other.scale);
        let significant = |digits: &[u8]| digits.iter().skip_while(|it| **it == 0).count();
        while (rest != 0 && significant(&digits) < MAX_FIXED_DIGITS && digits.len() < 128)
            || scale < 0
        {
            rest *= 10;
            digits.push(u8::try_from(rest / divisor).unwrap_or(0));
            rest %= divisor;
            scale += 1;
        }
        let negative = (self.unscaled < 0) != (other.unscaled < 0);
        Self::from_digits(negative, &digits, usize::try_from(scale).ok()?)
    }

    /// The digits, padded to `scale` digits after the decimal point.
    fn aligned(self, scale: u16) -> Vec<u8> {
        let mut digits = digits_of(self.unscaled.unsigned_abs());
        digits.extend((self.scale..scale).map(|_| 0));
        digits
    }
}

/// `-12.5`, without a `d`.
impl Display for FixedValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.unscaled < 0 { "-" } else { "" };
        let text = self.unscaled.unsigned_abs().to_string();
        let scale = usize::from(self.scale);
        let text = format!("{text:0>width$}", width = scale + 1);
        let (whole, fraction) = text.split_at(text.len() - scale);
        let point = if scale > 0 { "." } else { "" };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}

fn digits_of(mut value: u128) -> Vec<u8> {
    let mut digits = Vec::new();
    while value > 0 {
        digits.push((value % 10) as u8);
        value /= 10;
    }
    digits.reverse();
    digits
}

fn add(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut sum = Vec::new();
    let mut carry = 0;
    let (mut left, mut right) = (left.iter().rev(), right.iter().rev());
    loop {
        let (a, b) = (left.next(), right.next());
        if a.is_none() && b.is_none() {
            break;
        }
        let digit = a.unwrap_or(&0) + b.unwrap_or(&0) + carry;
        sum.push(digit % 10);
        carry = digit / 10;
    }
    sum.push(carry);
    sum.reverse();
    sum
}

/// `left - right`, which must not be negative.
fn subtract(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut difference = Vec::new();
    let mut borrow = 0;
    let mut right = right.iter().rev();
    for a in left.iter().rev() {
        let taken = right.next().unwrap_or(&0) + borrow;
        borrow = u8::from(*a < taken);
        difference.push(a + 10 * borrow - taken);
    }
    difference.reverse();
    difference
}

fn less(left: &[u8], right: &[u8]) -> bool {
    let strip = |digits: &[u8]| -> Vec<u8> {
        digits.iter().copied().skip_while(|digit| *digit == 0).collect()
    };
    let (left, right) = (strip(left), strip(right));
    (left.len(), left) < (right.len(), right)
}

#[cfg(test)]
mod tests {
    use super::FixedValue;

    fn fixed(text: &str) -> FixedValue {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let value = FixedValue::parse(digits).expect("a number");
        if negative { value.negated() } else { value }
    }

    #[test]
    fn leading_and_trailing_zeros_are_insignificant() {
        let value = fixed("0123.450");
        assert_eq!((value.unscaled(), value.scale(), value.digits()), (12345, 2, 5));
        assert_eq!(fixed("3000.00").to_string(), "3000");
        assert_eq!(fixed("0.05").digits(), 2);
        assert_eq!(fixed("0.000"), FixedValue::default());
        assert_eq!(fixed("-.5").to_string(), "-0.5");
        assert_eq!(FixedValue::default().digits(), 1);
    }

    #[test]
    fn sums_and_differences_are_exact() {
        let sum = |a: &str, b: &str| fixed(a).add(fixed(b)).map(|sum| sum.to_string());
        assert_eq!(sum("1.25", "2.8").as_deref(), Some("4.05"));
        assert_eq!(sum("1", "-1.001").as_deref(), Some("-0.001"));
        assert_eq!(sum("-10", "0.5").as_deref(), Some("-9.5"));
        assert_eq!(sum("9.99", "0.01").as_deref(), Some("10"));
        assert_eq!(sum(&"9".repeat(31), "1"), None);
        // 62 digits: the last ones are dropped.
        let tiny = format!("0.{}1", "0".repeat(30));
        let large = format!("1{}", "0".repeat(30));
        assert_eq!(sum(&large, &tiny), Some(large.clone()));
    }

    #[test]
    fn products_and_quotients_keep_31_digits() {
        let product = |a: &str, b: &str| fixed(a).multiply(fixed(b)).map(|it| it.to_string());
        assert_eq!(product("1.5", "-2.5").as_deref(), Some("-3.75"));
        assert_eq!(product("99", "99").as_deref(), Some("9801"));
        assert_eq!(product("0", "99").as_deref(), Some("0"));
        let third = format!("0.{}", "3".repeat(31));
        assert_eq!(product(&third, "0.1"), Some(format!("0.0{}", "3".repeat(30))));
        assert_eq!(product(&"9".repeat(31), "10"), None);
        let quotient = |a: &str, b: &str| fixed(a).divide(fixed(b)).map(|it| it.to_string());
        assert_eq!(quotient("1", "3"), Some(third));
        assert_eq!(quotient("-7.5", "2.5").as_deref(), Some("-3"));
        assert_eq!(quotient("1", "0.008").as_deref(), Some("125"));
        assert_eq!(quotient("200", "3"), Some(format!("66.{}", "6".repeat(29))));
        assert_eq!(quotient("1", "0"), None);
    }

    #[test]
    fn long_numbers_are_rejected_or_truncated() {
        assert_eq!(FixedValue::parse(&"1".repeat(32)), None);
        assert!(FixedValue::parse(&format!("{}.0", "1".repeat(31))).is_some());
        assert_eq!(fixed("12.3456").truncate(2).to_string(), "12.34");
        assert_eq!(fixed("-0.009").truncate(2), FixedValue::default());
        assert_eq!(FixedValue::new(1 << 120, 0), None);
    }
}
