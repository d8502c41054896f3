//! The API of generated code. It changes with the IDL compiler; programs must not use it.

// `#[inline]`: generated code is optimized in the crate of the program. Without the attributes in the macros, the seven
// operations of Param_Test add 32,344 octets to a client instead of 29,060 (opt-level z), and a call with values of many
// parts takes 8 % more instructions in the client (6,931 instead of 6,422) and 6 % more in the server (10,376 instead of
// 9,746; profile `lto`). Elsewhere in this crate they saved no instructions.

mod bits;
mod conversion;
mod helpers;
mod interpretive;
mod macros_amh;
mod macros_bits;
mod macros_enumerations;
mod macros_interfaces;
mod macros_local;
mod macros_raises;
mod macros_stubs;
mod macros_typed;
mod macros_typedefs;
mod macros_unions;
mod macros_values;
mod macros_valuetypes;
mod macros_views;
mod stub;
#[cfg(test)]
mod value_tests;

pub use bits::{BitField, put_field, take_field};
pub use conversion::{Digit, Numbered, OtherThan, RaisedIn, digit_of, raised_in};
pub use helpers::{RefArgument, UnknownEnumerator, min_size};
pub use interpretive::{interpret, interpret_one_way};
pub use std::any::TypeId;
pub use stub::{Arguments, CallArguments, CallResults, Results, call, call_one_way};
pub use zorb_interp::{
    Deferred, Numbers, Operand, Space, Table, Tabled, enum_table, raised, read_value,
    struct_numbers, struct_table, union_choice, write_value,
};
pub use zorb_invocation::client::Outcome;
pub use zorb_invocation::collocation::HasServant;
pub use zorb_invocation::loaned::{BoundedLoanedOctetSeq, LoanedOctetSeq};
pub use zorb_invocation::value::{
    Cast, CustomMarshal, HandleArgument, Inherits, KnownValue, Operated, ValueBase, ValueKind,
    ValueType, WithOperations,
};
pub use zorb_types::{OperationTable, Operations, TypeFn};

pub use crate::deferred::{AsyncServant, DeferredServant, Response};
pub use crate::messaging::send_to_handler as pass_to_handler;
pub use crate::{
    __zorb_abstract_valuetype as abstract_valuetype, __zorb_bitmask as bitmask,
    __zorb_bitset as bitset, __zorb_deferred as deferred, __zorb_enumeration as enumeration,
    __zorb_exception as exception, __zorb_interface as interface, __zorb_invoke as invoke,
    __zorb_local as local, __zorb_local_error as local_error, __zorb_member as member,
    __zorb_oneway as oneway, __zorb_raises as raises, __zorb_results as results,
    __zorb_send as send, __zorb_send_oneway_to_all as send_oneway_to_all,
    __zorb_send_to_all as send_to_all, __zorb_send_to_handler as send_to_handler,
    __zorb_skeleton as skeleton, __zorb_structure as structure, __zorb_typedef as typedef,
    __zorb_union as union, __zorb_value_box as value_box, __zorb_valuetype as valuetype,
    __zorb_variable_member as variable_member, __zorb_variable_view as variable_view,
    __zorb_view as view, __zorb_view_results as view_results,
    __zorb_with_operations as with_operations, AnyError, AnyUserException, Error, Interface,
    Native, ObjectRef, Raises, Ref, ServantObject, Served, ServedBy, ServerCall, UserException,
};
pub use zorb_cdr::{
    Bounded, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Context, FixedLayout, FixedReader,
    FixedSize, FixedWriter, InMemory, MemberOf, Members, Octets, Position, Validity,
    VariablePositions, Viewed, ViewedArray, Views, WChar, WString, Wire,
};
pub use zorb_os::probe;
pub use zorb_types::{
    Any, Fixed, LongDouble, SystemException, TypeCode, TypeDesc, Typed, ValueModifier, Visibility,
};
