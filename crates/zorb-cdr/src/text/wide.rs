//! `wchar` and `wstring`, whose encoding depends on the GIOP version.

use alloc::string::String;

use crate::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Number, WideForm, WideSet};

pub(crate) const BYTE_ORDER_MARK: u16 = 0xfeff;
const SWAPPED_MARK: u16 = 0xfffe;

impl CdrReader<'_> {
    /// A `wchar`.
    ///
    /// # Errors
    /// `WideNotAllowed` in GIOP 1.0, `WideNotNegotiated`; `BadText` for anything but one character;
    /// `Truncated`.
    pub fn read_wchar(&mut self) -> CdrResult<char> {
        let set = self.wide_set("wchar")?;
        let text = match self.text().wide_form {
            WideForm::Absent => return Err(self.error(CdrErrorKind::WideNotAllowed, "wchar")),
            WideForm::Units => {
                let unit = self.read_u16()?;
                self.decode_units(core::iter::once(unit), set, "wchar")?
            }
            WideForm::Octets => {
                let count = usize::from(self.read_u8()?);
                match self.take(count, "wchar")? {
                    // A single unit is the value, even the unit of a byte-order mark.
                    &[high, low] => {
                        let unit = u16::from_be_bytes([high, low]);
                        self.decode_units(core::iter::once(unit), set, "wchar")?
                    }
                    octets => self.decode_octets(octets, set, "wchar")?,
                }
            }
        };
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Ok(character),
            _ => Err(self.error(CdrErrorKind::BadText, "wchar")),
        }
    }

    /// A `wstring` of at most `bound` code units (`u32::MAX` when unbounded).
    ///
    /// # Errors
    /// `WideNotAllowed` in GIOP 1.0, `WideNotNegotiated`; `BadString`, `BadText`, `BoundExceeded`,
    /// `LengthBeyondEnd`, `Truncated`.
    pub fn read_wstring(&mut self, bound: u32) -> CdrResult<String> {
        let set = self.wide_set("wstring")?;
        let text = match self.text().wide_form {
            WideForm::Absent => return Err(self.error(CdrErrorKind::WideNotAllowed, "wstring")),
            WideForm::Units => {
                let count = self.read_count(2, "wstring")?;
                let mut units = self.vector(count, "wstring")?;
                for _ in 0..count {
                    units.push(self.read_u16()?);
                }
                if units.pop() != Some(0) || units.contains(&0) {
                    return Err(self.error(CdrErrorKind::BadString, "wstring"));
                }
                self.decode_units(units.iter().copied(), set, "wstring")?
            }
            WideForm::Octets => {
                let count = self.read_count(1, "wstring")?;
                let octets = self.take(count, "wstring")?;
                let text = self.decode_octets(octets, set, "wstring")?;
                if text.as_bytes().contains(&0) {
                    return Err(self.error(CdrErrorKind::BadString, "wstring"));
                }
                text
            }
        };
        if bound != u32::MAX && text.encode_utf16().count() > bound as usize {
            return Err(self.error(CdrErrorKind::BoundExceeded, "wstring"));
        }
        Ok(text)
    }

    /// Moves the reader past a `wstring` in the form of GIOP 1.2; `None` if it is in another one, or if
    /// [`read_wstring`](Self::read_wstring) fails.
    pub(crate) fn check_wstring(&mut self, bound: u32) -> Option<()> {
        let set = self.wide_set("wstring").ok()?;
        if self.text().wide_form != WideForm::Octets {
            return None;
        }
        let count = self.read_count(1, "wstring").ok()?;
        let (pairs, odd) = self.take(count, "wstring").ok()?.as_chunks::<2>();
        let (pairs, order) = without_mark(pairs);
        let units = pairs.iter().map(|pair| u16::from_octets(*pair, order));
        let is_good = |character: char| {
            character != '\0' && (set != WideSet::Ucs2 || character.len_utf16() == 1)
        };
        let mut characters = char::decode_utf16(units);
        let are_good = characters.all(|character| character.is_ok_and(is_good));
        (odd.is_empty() && are_good && pairs.len() <= bound as usize).then_some(())
    }

    fn wide_set(&self, what: &'static str) -> CdrResult<WideSet> {
        match (self.text().wide_form, self.text().wide_set) {
            (WideForm::Absent, _) => Err(self.error(CdrErrorKind::WideNotAllowed, what)),
            (_, Some(set)) => Ok(set),
            (_, None) => Err(self.error(CdrErrorKind::WideNotNegotiated, what)),
        }
    }

    fn decode_octets(
        &mut self,
        octets: &[u8],
        set: WideSet,
        what: &'static str,
    ) -> CdrResult<String> {
        let (pairs, odd) = octets.as_chunks::<2>();
        if !odd.is_empty() {
            return Err(self.error(CdrErrorKind::BadText, what));
        }
        let (pairs, order) = without_mark(pairs);
        let units = pairs.iter().map(|pair| u16::from_octets(*pair, order));
        self.decode_units(units, set, what)
    }

    fn decode_units(
        &mut self,
        units: impl Iterator<Item = u16> + Clone,
        set: WideSet,
        what: &'static str,
    ) -> CdrResult<String> {
        let mut text = self.string(units.clone().map(length_in_utf8).sum(), what)?;
        for character in char::decode_utf16(units) {
            let character = character.map_err(|_| self.error(CdrErrorKind::BadText, what))?;
            text.push(character);
        }
        if set == WideSet::Ucs2 && text.chars().any(|character| character.len_utf16() > 1) {
            return Err(self.error(CdrErrorKind::BadText, what));
        }
        Ok(text)
    }
}

/// Code units without a byte-order mark, which selects the byte order and is not part of the value.
pub(crate) fn without_mark(units: &[[u8; 2]]) -> (&[[u8; 2]], ByteOrder) {
    match units.split_first() {
        Some((first, rest)) => match u16::from_be_bytes(*first) {
            BYTE_ORDER_MARK => (rest, ByteOrder::Big),
            SWAPPED_MARK => (rest, ByteOrder::Little),
            _ => (units, ByteOrder::Big),
        },
        None => (units, ByteOrder::Big),
    }
}

/// The octets of a code unit in UTF-8; half of a surrogate pair has half of the pair's.
fn length_in_utf8(unit: u16) -> usize {
    match unit {
        0..=0x7f => 1,
        0x80..=0x7ff | 0xd800..=0xdfff => 2,
        _ => 3,
    }
}

impl CdrWriter<'_> {
    /// A `wchar`. GIOP 1.2 writes a character outside the basic multilingual plane as a surrogate pair.
    ///
    /// # Errors
    /// `WideNotAllowed` in GIOP 1.0, `WideNotNegotiated`; `BadText` for a surrogate pair in GIOP 1.1 or
    /// UCS-2.
    pub fn write_wchar(&mut self, value: char) -> CdrResult<()> {
        let set = self.wide_set("wchar")?;
        let mut units = [0; 2];
        let units = value.encode_utf16(&mut units);
        if units.len() > 1 && (set == WideSet::Ucs2 || self.text().wide_form == WideForm::Units) {
            return Err(self.error(CdrErrorKind::BadText, "wchar"));
        }
        if self.text().wide_form == WideForm::Units {
            units.iter().for_each(|&unit| self.write_u16(unit));
        } else {
            self.write_u8(if units.len() > 1 { 4 } else { 2 });
            units.iter().for_each(|unit| self.put(&unit.to_be_bytes()));
        }
        Ok(())
    }

    /// A `wstring` of at most `bound` code units. GIOP 1.2 writes it in the byte order of the stream, with
    /// a byte-order mark if that is little-endian. (Big-endian text needs no mark by the standard, but
    /// omniORB reads text without one as little-endian in an any of a little-endian message.)
    ///
    /// # Errors
    /// `WideNotAllowed` in GIOP 1.0, `WideNotNegotiated`; `BadString` for a NUL inside;
    /// `BadText`, `BoundExceeded`, `TooLong`.
    pub fn write_wstring(&mut self, value: &str, bound: u32) -> CdrResult<()> {
        let set = self.wide_set("wstring")?;
        if value.as_bytes().contains(&0) {
            return Err(self.error(CdrErrorKind::BadString, "wstring"));
        }
        let units = value.encode_utf16().count();
        if set == WideSet::Ucs2 && units != value.chars().count() {
            return Err(self.error(CdrErrorKind::BadText, "wstring"));
        }
        if units > bound as usize {
            return Err(self.error(CdrErrorKind::BoundExceeded, "wstring"));
        }
        self.reserve_capacity(units.saturating_mul(2).saturating_add(12), "wstring")?;
        if self.text().wide_form == WideForm::Units {
            self.write_count(units + 1, "wstring")?;
            value.encode_utf16().for_each(|unit| self.write_u16(unit));
            self.write_u16(0);
        } else {
            let order = self.order();
            // A receiver would drop a byte-order mark that is the first character of the value.
            let marked = match order {
                ByteOrder::Big => value.starts_with(['\u{feff}', '\u{fffe}']),
                ByteOrder::Little => !value.is_empty(),
            };
            let octets = |unit: u16| unit.to_octets(order);
            self.write_count((units + usize::from(marked)) * 2, "wstring")?;
            if marked {
                self.put(&octets(BYTE_ORDER_MARK));
            }
            value.encode_utf16().for_each(|unit| self.put(&octets(unit)));
        }
        Ok(())
    }

    fn wide_set(&self, what: &'static str) -> CdrResult<WideSet> {
        match (self.text().wide_form, self.text().wide_set) {
            (WideForm::Absent, _) => Err(self.error(CdrErrorKind::WideNotAllowed, what)),
            (_, Some(set)) => Ok(set),
            (_, None) => Err(self.error(CdrErrorKind::WideNotNegotiated, what)),
        }
    }
}
