//! What a valuetype is in Rust.

use std::any::{Any, TypeId};
use std::fmt::Debug;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_types::{TypeDesc, ValueModifier};

use super::operations::Operated;
use super::registry::KnownValue;

/// A valuetype, abstract or with state. Generated code implements it.
pub trait ValueKind: 'static {
    /// Its repository id.
    const REPOSITORY_ID: &'static str;
    /// Its IDL name, without its scope.
    const NAME: &'static str;

    /// How values of this very type are received; `None` for types without state.
    fn known() -> Option<KnownValue> {
        None
    }

    /// The description of the IDL type.
    fn type_desc() -> &'static TypeDesc;
}

/// A valuetype with state: the struct that holds it. Generated code implements it.
pub trait ValueType: ValueKind + Clone + Debug + Send + Sync + Sized {
    /// Its own repository id, then those of the bases that its values may be truncated to.
    const IDS: &'static [&'static str];
    /// The state is sent in chunks: the type is custom, or may be truncated.
    const IS_CHUNKED: bool;
    /// The state is written and read by the program.
    const IS_CUSTOM: bool;

    /// Whether values of this type are values of that one, or support that interface.
    fn inherits(kind: TypeId) -> bool;

    /// The part of the state that a value of this type has as one of a base.
    fn part(&self, kind: TypeId) -> Option<&dyn Any>;

    /// The operations that a value of this type has as one of that type, or through that abstract
    /// interface: what the program implements for this type, or for the nearest base.
    fn operations(&self, _kind: TypeId) -> Option<Operated<'_>> {
        None
    }

    /// Appends the state, that of the base first.
    ///
    /// # Errors
    /// Those of the members.
    fn write_state(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Takes the state.
    ///
    /// # Errors
    /// Those of the members.
    fn read_state(reader: &mut CdrReader<'_>) -> CdrResult<Self>;
}

/// The encoding of a `custom valuetype`: `CORBA::CustomMarshal`, with the writer and reader of CDR
/// for `DataOutputStream` and `DataInputStream`. Implement it for the state struct.
#[doc(alias("DataOutputStream", "DataInputStream"))]
pub trait CustomMarshal: Sized {
    /// Appends the state.
    ///
    /// # Errors
    /// What keeps it from being sent.
    fn marshal(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;

    /// Takes the state; what it leaves is skipped.
    ///
    /// # Errors
    /// What is wrong with it.
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
