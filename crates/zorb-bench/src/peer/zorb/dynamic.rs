//! Operations on values whose types are known at run time: dynamic calls, anys encoded as octets, and
//! DynAnys that are composed and decomposed leaf by leaf.

use zorb::dynamic::{Codec, DynAny, DynAnyError, Request};
use zorb::{Any, Interface, ObjectRef, TcKind, TypeCode, Typed, Wire};

use crate::error::{Error, Result};
use crate::operation::{Action, Operation};
use crate::peer::client::{TwoWay, in_parts};
use crate::stubs::bench::{BinStruct, Suite};
use crate::values::{Value, sequence, set_first};

/// An element that an `any` can contain, and that a DynAny composes and decomposes leaf by leaf.
pub(super) trait Dynamic: Value + Wire<Value = Self> + Typed + Sync {
    /// Its TypeCode, created at run time.
    fn dynamic_type_code() -> Result<TypeCode>;
    /// Sets the current component of `all` to this element.
    fn put(&self, all: &mut DynAny) -> std::result::Result<(), DynAnyError>;
    /// Reads the current component of `all`.
    fn take(all: &mut DynAny) -> std::result::Result<Self, DynAnyError>;
}

macro_rules! leaves {
    ($($type:ty, $kind:ident;)*) => {$(
        impl Dynamic for $type {
            fn dynamic_type_code() -> Result<TypeCode> {
                Ok(TypeCode::plain(TcKind::$kind))
            }

            fn put(&self, all: &mut DynAny) -> std::result::Result<(), DynAnyError> {
                all.insert::<Self>(self)
            }

            fn take(all: &mut DynAny) -> std::result::Result<Self, DynAnyError> {
                all.get::<Self>()
            }
        }
    )*};
}

leaves! {
    u8, Octet;
    i32, Long;
    f64, Double;
}

impl Dynamic for BinStruct {
    fn dynamic_type_code() -> Result<TypeCode> {
        let members = [
            ("s", TypeCode::plain(TcKind::Short)),
            ("c", TypeCode::plain(TcKind::Char)),
            ("l", TypeCode::plain(TcKind::Long)),
            ("o", TypeCode::plain(TcKind::Octet)),
            ("d", TypeCode::plain(TcKind::Double)),
        ];
        Ok(TypeCode::structure("IDL:Bench/BinStruct:1.0", "BinStruct", &members)?)
    }

    fn put(&self, all: &mut DynAny) -> std::result::Result<(), DynAnyError> {
        let part = all.current_component()?.ok_or(DynAnyError::InvalidValue)?;
        part.insert::<i16>(&self.s)?;
        part.next_component()?;
        part.insert::<char>(&self.c)?;
        part.next_component()?;
        part.insert::<i32>(&self.l)?;
        part.next_component()?;
        part.insert::<u8>(&self.o)?;
        part.next_component()?;
        part.insert::<f64>(&self.d)
    }

    fn take(all: &mut DynAny) -> std::result::Result<Self, DynAnyError> {
        let part = all.current_component()?.ok_or(DynAnyError::InvalidValue)?;
        let s = part.get::<i16>()?;
        part.next_component()?;
        let c = part.get::<char>()?;
        part.next_component()?;
        let l = part.get::<i32>()?;
        part.next_component()?;
        let o = part.get::<u8>()?;
        part.next_component()?;
        Ok(Self { s, c, l, o, d: part.get::<f64>()? })
    }
}

/// Whether servants of the dynamic skeleton interface have an operation that clients make by a stub or dynamically.
pub(super) fn has_dynamic_servant(operation: Operation) -> bool {
    let is_echo = operation.action() == Action::Echo && operation.takes_many();
    operation == Operation::Ping || is_echo && operation != Operation::EchoString
}

/// An operation on sequences of `T`; `None` if the operation is not dynamic.
pub(super) fn work<T: Dynamic>(
    suite: &Suite,
    operation: Operation,
    elements: usize,
) -> Result<Option<Box<dyn TwoWay>>>
where
    Vec<T>: Typed + Wire<Value = Vec<T>, View = [T]>,
{
    let type_code = TypeCode::sequence(&T::dynamic_type_code()?, 0)?;
    let Some((way, _)) = operation.name().split_once('_') else { return Ok(None) };
    Ok(Some(match way {
        "dii" => dii::<T>(suite.as_object().clone(), operation, elements, type_code),
        "codec" => codec::<T>(elements, type_code),
        "leaves" => leaves::<T>(elements, type_code),
        _ => return Ok(None),
    }))
}

/// A dynamic call that echoes its argument: from a typed value to a typed value.
fn dii<T: Dynamic>(
    target: ObjectRef,
    operation: Operation,
    elements: usize,
    type_code: TypeCode,
) -> Box<dyn TwoWay>
where
    Vec<T>: Typed + Wire<Value = Vec<T>, View = [T]>,
{
    let name = operation.name().replace("dii", "echo");
    bulk(elements, move |values| {
        let response = Request::new(&target, name.as_str())
            .input("data", Any::new::<Vec<T>>(values)?)
            .returns(type_code.clone())
            .invoke()?;
        Ok(response.result)
    })
}

/// Encodes a value and decodes it by its TypeCode.
fn codec<T: Dynamic>(elements: usize, type_code: TypeCode) -> Box<dyn TwoWay>
where
    Vec<T>: Typed + Wire<Value = Vec<T>, View = [T]>,
{
    let codec = Codec::new();
    bulk(elements, move |values| {
        let octets = codec.encode_value(&Any::new::<Vec<T>>(values)?)?;
        Ok(codec.decode_value(&octets, &type_code)?)
    })
}

/// An operation whose result is an `any`, from which the typed value is extracted.
fn bulk<T: Dynamic>(
    elements: usize,
    mut there_and_back: impl FnMut(&[T]) -> Result<Any> + Send + 'static,
) -> Box<dyn TwoWay>
where
    Vec<T>: Typed + Wire<Value = Vec<T>, View = [T]>,
{
    in_parts(
        sequence::<T>(elements),
        |values: &mut Vec<T>, number| set_first(values, number),
        move |values: &mut Vec<T>| {
            let any = there_and_back(values)?;
            any.get::<Vec<T>>().ok_or_else(|| Error::new("the any is of another type"))
        },
        |values: &Vec<T>, reply: &Vec<T>| values == reply,
    )
}

/// Composes a value leaf by leaf, converts it to an `any`, and decomposes it leaf by leaf.
fn leaves<T: Dynamic>(elements: usize, type_code: TypeCode) -> Box<dyn TwoWay> {
    let there_and_back = move |values: &[T]| {
        let mut made = DynAny::new(&type_code)?;
        made.as_sequence()?.set_length(values.len())?;
        for value in values {
            value.put(&mut made)?;
            made.next_component()?;
        }
        let mut taken = DynAny::of(made.to_any()?)?;
        let mut result = Vec::with_capacity(taken.component_count()?);
        for _ in 0..result.capacity() {
            result.push(T::take(&mut taken)?);
            taken.next_component()?;
        }
        Ok(result)
    };
    in_parts(
        sequence::<T>(elements),
        |values: &mut Vec<T>, number| set_first(values, number),
        move |values: &mut Vec<T>| {
            there_and_back(values).map_err(|error: DynAnyError| error.into())
        },
        |values: &Vec<T>, reply: &Vec<T>| values == reply,
    )
}
