//! Digits and scale of a `fixed`.

/// The maximum number of digits of a `fixed`.
pub(crate) const MAX_FIXED_DIGITS: u16 = 31;

/// Whether a `fixed` may have these digits and this scale. In IDL the scale is 0 to the number of digits;
/// a negative scale counts trailing zeros that are not sent.
pub(crate) const fn is_fixed(digits: u16, scale: i16) -> bool {
    digits != 0
        && digits <= MAX_FIXED_DIGITS
        && scale <= digits.cast_signed()
        && scale >= -MAX_FIXED_DIGITS.cast_signed()
}

/// Digits and scale of a `fixed` as one number.
pub(crate) const fn fixed(digits: u16, scale: i16) -> i64 {
    ((digits as i64) << 16) | (scale as u16 as i64)
}

/// The inverse of [`fixed`].
pub(crate) const fn digits_and_scale(number: i64) -> (u16, i16) {
    ((number >> 16) as u16, number as u16 as i16)
}
