//! The requests and replies of the operations, as lists of types.

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Wire};
use zorb_interp::{Tabled, read_counted};
use zorb_types::{TypeCode, Typed};

/// The body of a request or reply, or of a reply with an exception.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) operation: &'static str,
    pub(crate) part: &'static str,
    /// The repository id of an exception.
    pub(crate) id: Option<&'static str>,
    pub(crate) parts: Vec<Part>,
}

/// A parameter, a result, or the members of an exception.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) type_code: fn() -> TypeCode,
    /// Reads a value and writes it again. Returns the steps of the engine, if it is the interpretive one.
    pub(crate) marshal: fn(&mut CdrReader<'_>, &mut CdrWriter<'_>) -> CdrResult<u64>,
}

fn by_code<T: Wire>(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<u64> {
    let value = T::read(reader)?;
    T::write(T::view(&value), writer).map(|()| 0)
}

fn by_table<T: Tabled>(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<u64> {
    let (value, steps) = read_counted::<T>(reader)?;
    let written = T::operand(&T::view(&value)).write_counted(writer)?;
    assert_eq!(written, steps, "steps to write and to read");
    Ok(steps)
}

macro_rules! bodies {
    ($engine:ident $marshal:ident $function:ident) => {
        pub(crate) fn $function() -> Vec<Body> {
            use zorb::codegen::{Bounded, Fixed, LongDouble, Octets, WChar};
            use zorb_engines_tests::$engine::bounded::bounded::*;

            bodies! { @ $marshal
                "_get_field" "reply" [] [[i32; 3]; 2];
                "_get_mode" "reply" [] Choice;
                "_set_mode" "request" [] Choice;
                "send" "request" [] u8, Plain, [bool; 3];
                "words" "request" [] Texts, Bounded<Octets, 5>;
                "words" "reply" [] Texts, Bounded<Octets, 5>, Derived;
                "words" "Bounded::Failed" ["IDL:Bounded/Failed:1.0"] Failed;
                "words" "Bounded::Closed" ["IDL:Bounded/Closed:1.0"] Closed;
                "choose" "request" [] [Choice; 2], Whole;
                "choose" "reply" [] Bounded<Vec<Choice>, 3>;
                "others" "request" [] Fixed<6, 2>, LongDouble, Access, Flags, Nothing;
                "others" "reply" [] Bounded<std::collections::BTreeMap<i16, Bounded<String, 7>>, 2>;
                "lists" "request" []
                    Bounded<Vec<bool>, 9>, Bounded<Vec<Bounded<Octets, 5>>, 2>, Bounded<Vec<i32>, 3>;
                "lists" "reply" [] Bounded<Vec<Bounded<Vec<Color>, 2>>, 2>;
                "quick" "request" [] Fast, Bounded<Vec<WChar>, 3>;
                "quick" "reply" [] Bounded<Vec<Fast>, 2>;
            }
        }
    };
    (@ $marshal:ident $($operation:literal $part:literal [$($id:literal)?] $($type:ty),+;)*) => {
        vec![$(Body {
            operation: $operation,
            part: $part,
            id: [$($id)?].first().copied(),
            parts: vec![$(Part {
                type_code: <$type as Typed>::type_code,
                marshal: $marshal::<$type>,
            }),+],
        }),*]
    };
}

bodies!(compiled by_code compiled_bodies);
bodies!(interpretive by_table interpretive_bodies);
