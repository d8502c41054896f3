//! The object that the targets `server` and `client` call, as the small ORB serves and calls it.

use zorb_nano::{Client, Endpoint, Reference, Result, Text};

use super::Machine;
use crate::small_idl::fuzz::{Colour, Echo, EchoServant, Matrix, Scalars};
use crate::targets::server;

/// The number of different calls.
pub(super) const CALLS: u8 = 8;

/// The numbers that the target `client` gives to these calls, in their order here.
const NUMBERS: [u8; CALLS as usize] = [0, 1, 2, 3, 7, 9, 12, 13];

const SCALARS: Scalars =
    Scalars { o: 1, s: -2, l: 3, c: 'x', ll: -4, b: true, f: 0.5, d: 0.25, us: 5, ull: 6 };

/// The number of a call of the target `client`, if the small ORB has the types of its arguments and results.
pub fn number_of(call: u8) -> Option<u8> {
    let place = NUMBERS.iter().position(|number| *number == call)?;
    Some(7 + place as u8)
}

/// Makes a call. Returns whether it succeeded.
pub(super) fn call(number: u8, client: &mut Client<Machine>, endpoint: Endpoint) -> bool {
    let echo = Echo(Reference::new(endpoint, server::OBJECT_KEY).expect("a short key"));
    match number {
        0 => echo.level(client).is_ok(),
        1 => echo.set_level(client, 7).is_ok(),
        2 => echo.note(client, "a note").is_ok(),
        3 => echo.back_scalars(client, &SCALARS, Colour::Green).is_ok(),
        4 => echo.back_text(client, "t\u{e4}xt", "short").is_ok(),
        5 => echo.back_octets(client, b"0123456789").is_ok(),
        6 => echo.back_object(client, Some(&echo.0)).is_ok(),
        _ => echo.back_echo(client, Some(&echo)).is_ok(),
    }
}

/// The servant, which returns its arguments.
#[derive(Default)]
pub(super) struct Answers {
    level: i32,
}

impl EchoServant for Answers {
    fn level(&mut self) -> Result<i32> {
        Ok(self.level)
    }

    fn set_level(&mut self, value: i32) -> Result<()> {
        self.level = value;
        Ok(())
    }

    fn note(&mut self, text: Text<'_>) {
        assert!(text.chars().count() <= 1024, "the limit of messages");
    }

    fn add(&mut self, a: i32, b: i32) -> Result<i32> {
        Ok(a.wrapping_add(b))
    }

    fn back_scalars(&mut self, a: &Scalars, b: Colour) -> Result<(Scalars, Colour, Matrix)> {
        Ok((*a, b, [[a.l, i32::from(a.s), 3], [4, 5, 6]]))
    }

    fn back_text<'a>(&'a mut self, a: Text<'a>, b: Text<'a>) -> Result<Text<'a>> {
        assert!(b.chars().count() <= 8);
        Ok(a)
    }

    fn back_octets<'a>(&'a mut self, a: &'a [u8]) -> Result<&'a [u8]> {
        Ok(a)
    }

    fn back_object(&mut self, a: Option<&Reference>) -> Result<Option<Reference>> {
        Ok(a.cloned())
    }

    fn back_echo(&mut self, a: Option<&Echo>) -> Result<Option<Echo>> {
        Ok(a.cloned())
    }
}
