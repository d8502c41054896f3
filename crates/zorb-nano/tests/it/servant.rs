//! The object that the tests call.

use std::cell::Cell;
use std::rc::Rc;

use zorb_nano::{
    Answer, CompletionStatus, Interface, Linear, MinorCode, Reader, Servant, SystemException,
    SystemExceptionKind, Writer,
};

pub(crate) const ID: &str = "IDL:Meter:1.0";
pub(crate) const BASE: &str = "IDL:Device:1.0";
pub(crate) const OUT_OF_RANGE: &str = "IDL:Meter/OutOfRange:1.0";

static METER: Interface = Interface {
    ids: &[ID, BASE],
    operations: &Linear(&["add", "echo", "divide", "store", "fill", "break", "numbers", "pass"]),
};

/// ```idl
/// interface Device {};
/// interface Meter : Device {
///     exception OutOfRange { long limit; };
///     long add(in long a, in long b);
///     string echo(in string text);
///     double divide(in double a, in double b) raises (OutOfRange);
///     oneway void store(in long value);
///     sequence<octet> fill(in unsigned long count);
///     void break();
///     sequence<double> numbers(in unsigned long count);
///     Meter pass(in Meter one, out Meter other);
/// };
/// ```
#[derive(Debug, Default)]
pub(crate) struct Meter {
    pub(crate) stored: Rc<Cell<i32>>,
}

impl Servant for Meter {
    fn interface(&self) -> &'static Interface {
        &METER
    }

    fn invoke(
        &mut self,
        operation: usize,
        arguments: &mut Reader<'_>,
        results: &mut Writer<'_>,
    ) -> Result<Answer, SystemException> {
        match operation {
            0 => {
                let (a, b) = (arguments.read::<i32>()?, arguments.read::<i32>()?);
                arguments.end()?;
                results.write::<i32>(&a.wrapping_add(b))?;
            }
            1 => results.write_str(&arguments.borrow::<String>()?)?,
            2 => {
                let (a, b) = (arguments.read::<f64>()?, arguments.read::<f64>()?);
                if b == 0.0 {
                    results.write_str(OUT_OF_RANGE)?;
                    results.write::<i32>(&7)?;
                    return Ok(Answer::UserException);
                }
                results.write::<f64>(&(a / b))?;
            }
            3 => self.stored.set(arguments.read::<i32>()?),
            4 => {
                let count = arguments.read::<u32>()?.min(10_000);
                results.write_octets(&vec![7; count as usize])?;
            }
            5 => {
                // Part of the results has been written when the operation fails.
                results.write::<i32>(&1)?;
                return Err(SystemException::new(
                    SystemExceptionKind::NoResources,
                    MinorCode(77),
                    CompletionStatus::Yes,
                ));
            }
            7 => {
                let one = arguments.read_reference()?.expect("no nil reference");
                results.write_reference(&one, ID)?;
                results.write_str("")?;
                results.write_count(0)?;
            }
            _ => {
                let count = arguments.read::<u32>()?.min(10_000);
                let values: Vec<f64> = (0..count).map(f64::from).collect();
                // The caller of a writer may ignore its errors: the call fails nevertheless.
                let _ = results.write_sequence::<f64>(&values);
            }
        }
        Ok(Answer::Results)
    }
}
