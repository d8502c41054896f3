//! The servant, which does as little work as possible.

use std::hint::black_box;
use std::io::Write as _;

use crate::idl::costs::{BinStruct, CountedServant, Part, Point, Refused, counted};

/// Serves `Costs::Counted`.
#[derive(Debug, Default)]
pub struct Servant;

/// Ends one phase of a measurement in this process and begins the next.
///
/// Callgrind writes its counts out on entry, and strace shows the line that is written.
#[inline(never)]
pub fn mark_phase(name: &str) {
    let mut output = std::io::stdout().lock();
    // If it does not arrive, the reader reports the missing phase.
    let _ = writeln!(output, "phase {name}");
    let _ = output.flush();
}

impl CountedServant for Servant {
    fn nothing(&self) -> zorb::Result<()> {
        Ok(())
    }

    fn echo_long(&self, number: i32) -> zorb::Result<i32> {
        Ok(number)
    }

    fn echo_struct(&self, data: &BinStruct) -> zorb::Result<BinStruct> {
        Ok(*data)
    }

    fn note(&self, number: i32) {
        black_box(number);
    }

    fn echo_string(&self, text: &str) -> zorb::Result<String> {
        Ok(text.to_owned())
    }

    fn take_octets(&self, data: &[u8]) -> zorb::Result<()> {
        black_box(data);
        Ok(())
    }

    fn give_octets(&self, count: u32) -> zorb::Result<Vec<u8>> {
        Ok(vec![7; count as usize])
    }

    fn take_structs(&self, data: &[BinStruct]) -> zorb::Result<()> {
        black_box(data);
        Ok(())
    }

    fn take_parts(&self, data: &[Part]) -> zorb::Result<()> {
        black_box(data);
        Ok(())
    }

    fn take_points(&self, data: &[Point]) -> zorb::Result<()> {
        black_box(data);
        Ok(())
    }

    fn refuse(&self, reason: i32) -> zorb::Result<(), counted::RefuseError> {
        Err(Refused { reason }.into())
    }

    fn mark(&self, name: &str) -> zorb::Result<()> {
        mark_phase(name);
        Ok(())
    }
}
