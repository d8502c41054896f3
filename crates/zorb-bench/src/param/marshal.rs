//! Marshalling a value again and again, by either engine.

use std::cell::RefCell;
use std::hint::black_box;

use zorb::cdr::ByteOrder;
use zorb::codegen::{Tabled, read_value};
use zorb::{CdrReader, CdrResult, CdrWriter};

use crate::error::{Error, Result};

/// What marshals values.
pub(super) trait Engine {
    /// Marshals a value.
    fn write<T: Tabled>(value: &T::Value, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Demarshals one.
    fn read<T: Tabled>(reader: &mut CdrReader<'_>) -> CdrResult<T::Value>;
}

/// The code of each type.
pub(super) enum Compiled {}

impl Engine for Compiled {
    fn write<T: Tabled>(value: &T::Value, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        T::write(T::view(value), writer)
    }

    fn read<T: Tabled>(reader: &mut CdrReader<'_>) -> CdrResult<T::Value> {
        T::read(reader)
    }
}

/// The tables of each type.
pub(super) enum Interpretive {}

impl Engine for Interpretive {
    fn write<T: Tabled>(value: &T::Value, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        T::operand(&T::view(value)).write(writer)
    }

    fn read<T: Tabled>(reader: &mut CdrReader<'_>) -> CdrResult<T::Value> {
        read_value::<T>(reader)
    }
}

thread_local! {
    /// The octets of a value.
    static OCTETS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn write<E: Engine, T: Tabled>(value: &T::Value, octets: &mut Vec<u8>) -> Result<()> {
    octets.clear();
    let mut writer = CdrWriter::new(octets, ByteOrder::NATIVE);
    let written = E::write::<T>(value, &mut writer).and_then(|()| writer.finish());
    written.map_err(|_| Error::new("a value cannot be marshalled"))
}

/// Marshals a value `times`.
#[inline(never)]
pub(super) fn marshal<E: Engine, T: Tabled>(value: &T::Value, times: u32) -> Result<()> {
    OCTETS.with_borrow_mut(|octets| {
        for _ in 0..times {
            write::<E, T>(black_box(value), octets)?;
            black_box(&*octets);
        }
        Ok(())
    })
}

/// Demarshals the octets of a value `times`.
#[inline(never)]
pub(super) fn demarshal<E: Engine, T: Tabled>(value: &T::Value, times: u32) -> Result<()>
where
    T::Value: PartialEq,
{
    OCTETS.with_borrow_mut(|octets| {
        write::<E, T>(value, octets)?;
        let mut last = None;
        for _ in 0..times {
            let mut reader = CdrReader::new(black_box(octets), ByteOrder::NATIVE);
            last = E::read::<T>(&mut reader).ok();
            black_box(&last);
        }
        match last.is_none_or(|last| last == *value) {
            true => Ok(()),
            false => Err(Error::new("the value changed on its way")),
        }
    })
}
