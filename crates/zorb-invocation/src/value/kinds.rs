//! The traits of valuetypes.

use std::any::{Any, TypeId};
use std::fmt::Debug;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_types::{TypeDesc, ValueModifier};

use super::erased::KnownValue;
use super::operated::Operated;

/// A valuetype, abstract or with state. Generated code implements it.
pub trait ValueKind: 'static {
    /// Its repository id.
    const REPOSITORY_ID: &'static str;
    /// Its IDL name, without its scope.
    const NAME: &'static str;

    /// How values of exactly this type are read; `None` for types without state.
    fn known() -> Option<KnownValue> {
        None
    }

    /// The description of the IDL type.
    fn type_desc() -> &'static TypeDesc;
}

/// The state of a valuetype, a struct. Generated code implements it.
pub trait ValueType: ValueKind + Clone + Debug + Send + Sync + Sized {
    /// Its own repository id, then those of the bases that its values may be truncated to.
    const IDS: &'static [&'static str];
    /// Whether the state is sent in chunks: for custom types and those that may be truncated.
    const IS_CHUNKED: bool;
    /// Whether the program marshals the state.
    const IS_CUSTOM: bool;

    /// Whether the type inherits from this one, or supports this interface.
    fn inherits(kind: TypeId) -> bool;

    /// The part of the state that belongs to a base.
    fn part(&self, kind: TypeId) -> Option<&dyn Any>;

    /// The operations by this type or abstract interface: the program's implementation for this type or for
    /// the nearest base.
    fn operations(&self, _kind: TypeId) -> Option<Operated<'_>> {
        None
    }

    /// Writes the state, that of the base first.
    ///
    /// # Errors
    /// A member has no encoding, or the octets encode none.
    fn write_state(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Reads the state.
    ///
    /// # Errors
    /// A member has no encoding, or the octets encode none.
    fn read_state(reader: &mut CdrReader<'_>) -> CdrResult<Self>;
}

/// The encoding of a `custom valuetype`: `CORBA::CustomMarshal`, with the writer and reader of CDR
/// for `DataOutputStream` and `DataInputStream`. Implement it for the state struct.
#[doc(alias("DataOutputStream", "DataInputStream"))]
pub trait CustomMarshal: Sized {
    /// Writes the state.
    ///
    /// # Errors
    /// The state cannot be sent.
    fn marshal(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Reads the state; octets that it does not read are skipped.
    ///
    /// # Errors
    /// The octets do not encode a state.
    fn unmarshal(reader: &mut CdrReader<'_>) -> CdrResult<Self>;
}

/// A valuetype that inherits from `B`, or is `B`. Generated code implements it.
pub trait Inherits<B: ?Sized> {}

/// `CORBA::ValueBase`: any valuetype.
#[derive(Clone, Copy, Debug)]
pub enum ValueBase {}

impl ValueKind for ValueBase {
    const REPOSITORY_ID: &'static str = "IDL:omg.org/CORBA/ValueBase:1.0";
    const NAME: &'static str = "ValueBase";

    fn type_desc() -> &'static TypeDesc {
        static DESC: TypeDesc = TypeDesc::value(
            ValueBase::REPOSITORY_ID,
            ValueBase::NAME,
            ValueModifier::None,
            None,
            &[],
        );
        &DESC
    }
}

impl<K: ValueKind + ?Sized> Inherits<ValueBase> for K {}
