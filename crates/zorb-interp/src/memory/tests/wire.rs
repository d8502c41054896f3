//! The `Wire` implementation of types with tables.

/// Reads and writes `$name` by its table; a value has at least `$least` octets.
macro_rules! wire_by_table {
    ($name:ident, $least:literal) => {
        impl zorb_cdr::Wire for $name {
            type Value = Self;
            type View = Self;
            type Borrowed<'a> = Self;
            const MIN_SIZE: usize = $least;

            fn view(value: &Self) -> &Self {
                value
            }

            fn write(
                value: &Self,
                writer: &mut zorb_cdr::CdrWriter<'_>,
            ) -> zorb_cdr::CdrResult<()> {
                crate::write_value::<Self>(value, writer)
            }

            fn read(reader: &mut zorb_cdr::CdrReader<'_>) -> zorb_cdr::CdrResult<Self> {
                crate::read_value::<Self>(reader)
            }

            fn read_borrowed<'a>(
                reader: &mut zorb_cdr::CdrReader<'a>,
            ) -> zorb_cdr::CdrResult<Self> {
                crate::read_value::<Self>(reader)
            }
        }
    };
}

pub(super) use wire_by_table;
