//! The tree of a DynAny: parts that contain parts, in the representations of [`Content`].

use zorb_cdr::{CdrReader, TextCoding};
use zorb_types::{Any, TypeCode};

use super::DynAnyResult;
use super::known::Known;

/// A value of any type, which can be read and changed part by part: the IDL type
/// `DynamicAny::DynAny`, and with [`as_struct`](Self::as_struct) and so on those derived from it.
///
/// It is a tree. A part is taken apart when it is asked for: until then, a large value costs its octets
/// alone. Where all parts are of fixed size, as in a sequence of numbers or of
/// structs of numbers, they stay octets even then: [`get`](Self::get) and [`insert`](Self::insert)
/// read and change the current part where it lies. A sequence of numbers is still best taken whole,
/// with `get::<Vec<f64>>`. Parts belong to the value, and what is changed in a part is
/// changed in the value. `copy` is [`Clone`], `destroy` is letting go.
///
/// One part is the current one; [`seek`](Self::seek) and its like choose it, and
/// [`insert`](Self::insert) and [`get`](Self::get) reach into it.
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
    /// A value that was not taken apart, of exactly the type.
    Whole(Any),
    /// Octets in which parts are read and changed; also a part of such.
    Image(Image),
    /// Members or elements.
    Parts(Vec<DynAny>),
    Union(Box<UnionParts>),
    /// A valuetype's state, or the value in a box; null for none.
    Value(Option<Box<State>>),
}

/// A value as octets, in the machine's byte order.
#[derive(Clone, Debug, Default)]
pub(super) struct Image {
    pub(super) octets: Vec<u8>,
    /// Octets from a multiple of 8 to the first one; 0 for sequences.
    pub(super) start: usize,
    pub(super) text: TextCoding,
    /// The parts that were asked for as values of their own, which count instead of the octets.
    pub(super) parts: Vec<Option<Box<DynAny>>>,
}

/// The parts of a union.
#[derive(Clone, Debug)]
pub(super) struct UnionParts {
    pub(super) discriminator: DynAny,
    /// The place of the selected case, as the member was made for it.
    pub(super) active: Option<usize>,
    pub(super) member: Option<DynAny>,
}

/// The state of a valuetype, or the value in a box.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Its own type.
    pub(super) type_code: TypeCode,
    /// Members, those of bases first, or what is in a box.
    pub(super) parts: Vec<DynAny>,
    /// The value as it was before it was taken apart.
    pub(super) whole: Option<Any>,
}

impl DynAny {
    /// A value that is not taken apart.
    pub(super) fn whole(any: Any) -> Self {
        let type_code = any.type_code().clone();
        Self::with(type_code, Content::Whole(any))
    }

    pub(super) fn with(type_code: impl Into<Known>, content: Content) -> Self {
        let type_code = type_code.into();
        // The first part is current, where there are parts.
        let position = type_code.has_parts().then_some(0);
        Self { type_code, content, position }
    }

    /// The part that comes next in a stream.
    pub(super) fn read_part(part: &Known, reader: &mut CdrReader<'_>) -> DynAnyResult<Self> {
        let any = Any::read_with(part.layout(), reader)?;
        Ok(Self::with(part.clone(), Content::Whole(any)))
    }
}
