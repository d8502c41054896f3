//! What an any has in common with the values of other types: its encoding, comparison, default and text.

use core::fmt;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, CharSet, Wire};

use super::octets::Octets;
use super::{Any, Form};
use crate::layout::Traits;
use crate::{Layout, TypeCode};

impl zorb_interp::Tabled for Any {}

impl Wire for Any {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 4;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        TypeCode::write(&value.type_code, writer)?;
        value.write_value(writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.descend("any")?;
        let type_code = TypeCode::read(reader)?;
        let any = Self::read_value(type_code, reader)?;
        reader.ascend();
        Ok(any)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

impl Default for Any {
    /// An any without a value, of type `tk_null`.
    fn default() -> Self {
        let traits = Traits { alignment: 1, has_text: false };
        let form = Form::own(CharSet::Utf8, traits);
        Self { type_code: TypeCode::default(), octets: Octets::EMPTY, form, types: None }
    }
}

impl PartialEq for Any {
    fn eq(&self, other: &Self) -> bool {
        if !self.type_code.equivalent(&other.type_code) {
            return false;
        }
        let encoding = |form| Form { alignment: 1, has_text: false, has_values: false, ..form };
        let same_encoding = encoding(self.form) == encoding(other.form);
        if same_encoding && *self.octets == *other.octets {
            return true;
        }
        let same = Layout::of(&self.type_code).equal(&mut self.reader(), &mut other.reader());
        // Two types with the same id may differ, so a value of one may be invalid as the other.
        same.unwrap_or(false)
    }
}

impl fmt::Debug for Any {
    /// The type and the first octets of the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 32;
        write!(f, "Any({}:", self.type_code)?;
        for octet in self.octets.iter().take(SHOWN) {
            write!(f, " {octet:02x}")?;
        }
        f.write_str(if self.octets.len() > SHOWN { " ...)" } else { ")" })
    }
}
