//! Servants that echo: the result is `a`, the inout `b` becomes `a`, the out `c` the old `b`.

use std::sync::atomic::{AtomicI32, Ordering};

use super::echo::echo;
use crate::interop::data::{self, Expression};
use crate::interop::{
    ArraysServant, BasicsServant, ConstantReport, ConstantsServant, ListsServant, MacrosServant,
    NamesServant, RecordsServant, RecursionServant, TextsServant, UnionsServant, WidesServant,
    macros, names, values,
};
use crate::shapes::{Colour, Point, Segment, Triangle};

/// One servant for all interfaces that only echo.
#[derive(Debug, Default)]
pub(super) struct Echo {
    oneway: AtomicI32,
}

impl BasicsServant for Echo {
    echo! { value
        echo_boolean: bool;
        echo_char: char;
        echo_octet: u8;
        echo_short: i16;
        echo_ushort: u16;
        echo_long: i32;
        echo_ulong: u32;
        echo_longlong: i64;
        echo_ulonglong: u64;
        echo_float: f32;
        echo_double: f64;
        echo_count: values::Count;
    }

    fn nothing(&self) -> zorb::Result<()> {
        Ok(())
    }

    fn mixed(
        &self,
        a: u8,
        c: i16,
        d: &str,
        flip: bool,
    ) -> zorb::Result<(i32, f64, i16, i64, bool)> {
        Ok((42, f64::from(a) * 1.5, -c, d.len() as i64, !flip))
    }
}

impl TextsServant for Echo {
    echo! { string
        echo_string;
        echo_short_name;
        echo_alias;
    }

    fn repeat(&self, unit: &str, count: u32) -> zorb::Result<String> {
        Ok(unit.repeat(count as usize))
    }
}

impl WidesServant for Echo {
    echo! { value echo_wchar: char; }
    echo! { string
        echo_wstring;
        echo_short_wide;
    }
    echo! { sequence echo_wide_seq: String; }

    fn katakana(&self) -> zorb::Result<char> {
        Ok(values::KATAKANA)
    }

    fn greeting(&self) -> zorb::Result<String> {
        Ok(values::WGREETING.into())
    }
}

impl RecordsServant for Echo {
    echo! { value echo_colour: Colour; }
    echo! { struct
        echo_point: Point;
        echo_segment: Segment;
        echo_mixed: data::Mixed;
        echo_person: data::Person;
        echo_crate: data::Crate;
    }
}

impl ListsServant for Echo {
    echo! { sequence
        echo_booleans: bool;
        echo_chars: char;
        echo_blob: u8;
        echo_shorts: i16;
        echo_longs: i32;
        echo_longlongs: i64;
        echo_floats: f32;
        echo_doubles: f64;
        echo_strings: String;
        echo_aliases: data::Alias;
        echo_colours: Colour;
        echo_path: Point;
        echo_persons: data::Person;
        echo_long_lists: data::LongSeq;
        echo_table: Vec<String>;
        echo_few_longs: i32;
        echo_few_names: data::ShortName;
        echo_few_octets: u8;
        echo_row_list: data::Row;
        echo_unions: data::ByLong;
    }
}

impl ArraysServant for Echo {
    echo! { struct
        echo_row: data::Row;
        echo_grid: data::Grid;
        echo_couple: data::Couple;
        echo_words: data::Words;
        echo_rows: data::Rows;
        echo_address: data::Address;
        echo_seq_pair: data::SeqPair;
        echo_flag: data::Flag;
        echo_triangle: Triangle;
    }
}

impl UnionsServant for Echo {
    echo! { struct
        echo_by_long: data::ByLong;
        echo_by_ulong: data::ByULong;
        echo_by_short: data::ByShort;
        echo_by_ushort: data::ByUShort;
        echo_by_longlong: data::ByLongLong;
        echo_by_ulonglong: data::ByULongLong;
        echo_by_char: data::ByChar;
        echo_by_boolean: data::ByBoolean;
        echo_maybe: data::Maybe;
        echo_by_colour: data::ByColour;
        echo_by_kind: data::ByKind;
        echo_choices: data::Choices;
        echo_nested: data::Nested;
    }
}

impl RecursionServant for Echo {
    echo! { struct
        echo_tree: data::Tree;
        echo_node: data::Node;
        echo_expression: data::Expression;
        echo_document: data::Document;
    }

    fn evaluate(&self, tree: &Expression) -> zorb::Result<i32> {
        Ok(evaluate(tree))
    }
}

impl NamesServant for Echo {
    echo! { value echo_enum: names::Enum; }
    echo! { struct echo_keywords: names::Keywords; }

    fn r#match(&self, r#type: i32, self_: i32, r#in: i32) -> zorb::Result<i32> {
        Ok(r#type * 100 + self_ * 10 + r#in)
    }

    fn interface(&self, r#move: i32) -> zorb::Result<i32> {
        Ok(r#move + 1)
    }

    fn r#use(&self, r#ref: i32) -> zorb::Result<(i32, i32)> {
        Ok((r#ref + 1, r#ref * 2))
    }

    fn r#mod(&self) -> zorb::Result<i32> {
        Ok(7)
    }

    fn oneway(&self) -> zorb::Result<i32> {
        Ok(self.oneway.load(Ordering::Relaxed))
    }

    fn set_oneway(&self, value: i32) -> zorb::Result<()> {
        self.oneway.store(value, Ordering::Relaxed);
        Ok(())
    }
}

fn evaluate(tree: &Expression) -> i32 {
    match tree {
        Expression::Value(value) => *value,
        Expression::Operand(operand) => operand.first().map_or(0, |tree| -evaluate(tree)),
        Expression::Terms(terms) => terms.iter().map(evaluate).sum(),
    }
}

impl MacrosServant for Echo {
    echo! { value echo_number: i32; }
    echo! { string echo_words; }

    fn add(&self, left: i32, right: i32) -> zorb::Result<i32> {
        Ok(left + right)
    }

    fn doubled_value(&self) -> zorb::Result<i32> {
        Ok(macros::DOUBLED)
    }

    fn quoted_value(&self) -> zorb::Result<String> {
        Ok(macros::QUOTED.into())
    }
}

impl ConstantsServant for Echo {
    fn report(&self) -> zorb::Result<ConstantReport> {
        Ok(ConstantReport {
            small: values::SMALL,
            usmall: values::USMALL,
            product: values::PRODUCT,
            shifted: values::SHIFTED,
            quotient: values::QUOTIENT,
            remainder: values::REMAINDER,
            masked: values::MASKED,
            toggled: values::TOGGLED,
            halved: values::HALVED,
            all_bits: values::ALL_BITS,
            distance: values::FAR,
            longest: values::LONGEST,
            ratio: values::RATIO,
            tiny: values::TINY,
            part: values::PART,
            letter: values::LETTER,
            newline: values::NEWLINE,
            quote: values::QUOTE,
            hexed: values::HEXED,
            octal: values::OCTAL,
            yes: values::YES,
            byte: values::BYTE,
            greeting: values::GREETING.into(),
            favourite: values::FAVOURITE,
            total: values::TOTAL,
        })
    }
}
