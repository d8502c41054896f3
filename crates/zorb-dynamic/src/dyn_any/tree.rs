//! The tree of a DynAny: parts that contain parts, in the representations of [`Content`].

use zorb_cdr::{CdrReader, TextCoding};
use zorb_types::{Any, TypeCode};

use super::DynAnyResult;
use super::known::Known;

/// A value of any type, which can be read and changed part by part: the IDL type
/// `DynamicAny::DynAny`, and with [`as_struct`](Self::as_struct) and so on those derived from it.
///
/// It is a tree. A value is decomposed when one of its parts is accessed; until then it uses only the memory
/// of its octets. If all parts have a fixed size, as in a sequence of numbers or of structs of numbers, they
/// stay encoded: [`get`](Self::get) and [`insert`](Self::insert) read and change the current part in place.
/// To read a sequence of numbers as a whole, `get::<Vec<f64>>` is still faster. Parts belong to the value:
/// changing a part changes the value. `copy` is [`Clone`], `destroy` is dropping it.
///
/// One part is the current one: [`seek`](Self::seek) and similar methods choose it, and
/// [`insert`](Self::insert) and [`get`](Self::get) access it.
#[derive(Clone, Debug)]
pub struct DynAny {
    pub(super) type_code: Known,
    pub(super) content: Content,
    /// The current part.
    pub(super) position: Option<usize>,
}

/// The representation of a value.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A value that is not decomposed, of exactly this type.
    Whole(Any),
    /// Octets in which parts are read and changed in place, or a part of such octets.
    Image(Image),
    /// Members or elements.
    Parts(Vec<DynAny>),
    Union(Box<UnionParts>),
    /// The state of a valuetype, or a boxed value; `None` for null.
    Value(Option<Box<State>>),
}

/// A value as octets, in the machine's byte order.
#[derive(Clone, Debug, Default)]
pub(super) struct Image {
    pub(super) octets: Vec<u8>,
    /// The offset of the first octet modulo 8; 0 for sequences.
    pub(super) start: usize,
    pub(super) text: TextCoding,
    /// The parts that were accessed as separate values, which replace their octets.
    pub(super) parts: Vec<Option<Box<DynAny>>>,
}

/// The parts of a union.
#[derive(Clone, Debug)]
pub(super) struct UnionParts {
    pub(super) discriminator: DynAny,
    /// The index of the case for which the member was created.
    pub(super) active: Option<usize>,
    pub(super) member: Option<DynAny>,
}

/// The state of a valuetype, or a boxed value.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Its most derived type.
    pub(super) type_code: TypeCode,
    /// The members, those of bases first, or the boxed value.
    pub(super) parts: Vec<DynAny>,
    /// The value before it was decomposed.
    pub(super) whole: Option<Any>,
}

impl DynAny {
    /// A value that is not decomposed.
    pub(super) fn whole(any: Any) -> Self {
        let type_code = any.type_code().clone();
        Self::with(type_code, Content::Whole(any))
    }

    pub(super) fn with(type_code: impl Into<Known>, content: Content) -> Self {
        let type_code = type_code.into();
        // The first part is the current one, if there are parts.
        let position = type_code.has_parts().then_some(0);
        Self { type_code, content, position }
    }

    /// Reads the next part of a stream.
    pub(super) fn read_part(part: &Known, reader: &mut CdrReader<'_>) -> DynAnyResult<Self> {
        let any = Any::read_with(&part.layout(), reader)?;
        Ok(Self::with(part.clone(), Content::Whole(any)))
    }
}
