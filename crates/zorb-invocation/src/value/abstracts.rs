//! Abstract interfaces: a reference to an object, or a value.

use std::any::TypeId;
use std::marker::PhantomData;
use std::ops::Deref;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, Context, Wire};
use zorb_interp::{Argument, Operand};
use zorb_types::{SystemException, TcKind, TypeDesc, Typed};

use super::{Value, ValueBase, ValueKind, ValueOperations, WithOperations};
use crate::interface::{Interface, Ref};

/// A value of the abstract interface `I`: a reference to an object, or a value of a valuetype that
/// supports `I`. The IDL type `I` is an `Option<Abstract<I>>`, with `None` for nil.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Abstract<I> {
    /// A reference to an object.
    Object(I),
    /// A value; [`downcast`](Value::downcast) converts it to its type.
    Value(Value<ValueBase>),
}

impl<I> From<I> for Abstract<I>
where
    I: Interface,
{
    fn from(object: I) -> Self {
        Self::Object(object)
    }
}

impl<I: Interface> Abstract<I> {
    /// The value, if it is one and of this type.
    pub fn value<K: ValueKind + ?Sized>(&self) -> Option<Value<K>> {
        match self {
            Self::Object(_) => None,
            Self::Value(value) => value.downcast(),
        }
    }

    /// The operations of either: those of an object make calls, those of a value run locally.
    ///
    /// # Errors
    /// For a value, as [`Value::operations_of`].
    pub fn operations(&self) -> Result<AbstractOperations<I>, SystemException>
    where
        I: WithOperations,
    {
        Ok(AbstractOperations(match self {
            Self::Object(object) => Either::Object(object.clone()),
            Self::Value(value) => Either::Value(value.operations_of()?),
        }))
    }

    /// The reference to the object, if it is one.
    pub const fn object(&self) -> Option<&I> {
        match self {
            Self::Object(object) => Some(object),
            Self::Value(_) => None,
        }
    }
}

/// The operations of a value of the abstract interface `I`, by the trait of the interface's
/// servants. Errors of one-way calls to an object are not reported.
#[derive(Debug)]
pub struct AbstractOperations<I>(Either<I>);

#[derive(Debug)]
enum Either<I> {
    Object(I),
    Value(ValueOperations<I>),
}

impl<I: WithOperations> Deref for AbstractOperations<I> {
    type Target = I::Operations;

    fn deref(&self) -> &I::Operations {
        match &self.0 {
            Either::Object(object) => match object.of_object() {
                Some(operations) => operations,
                // Generated code implements them for references to objects of abstract interfaces.
                None => std::process::abort(),
            },
            Either::Value(value) => value,
        }
    }
}

impl<I: Interface> zorb_interp::Tabled for Abstract<I> {}

/// A boolean, then a reference (true) or a value (false); nil is sent as the null value.
impl<I: Interface> Wire for Abstract<I> {
    type Value = Option<Self>;
    type View = Option<Self>;
    type Borrowed<'a> = Option<Self>;
    const MIN_SIZE: usize = 5;

    fn view(value: &Option<Self>) -> &Option<Self> {
        value
    }

    fn write(value: &Option<Self>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        Self::write_option(value.as_ref(), writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Option<Self>> {
        if reader.read_bool()? {
            return Ok(Ref::<I>::read(reader)?.map(Self::Object));
        }
        match <Value<ValueBase>>::read(reader)? {
            None => Ok(None),
            Some(value) if value.node().is_some_and(|node| node.inherits(TypeId::of::<I>())) => {
                Ok(Some(Self::Value(value)))
            }
            Some(_) => Err(reader.error(CdrErrorKind::BadValue, I::NAME)),
        }
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Option<Self>> {
        Self::read(reader)
    }
}

impl<I: Interface> Typed for Abstract<I> {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::named(TcKind::AbstractInterface, I::REPOSITORY_ID, I::NAME) }
    }
}

/// A type that is passed as an `Option`: a valuetype or an abstract interface.
///
/// This trait is sealed: only [`Value`] and [`Abstract`] implement it.
pub trait Handle: Sized + sealed::Sealed {
    /// Writes the value, or null.
    ///
    /// # Errors
    /// The value cannot be encoded.
    fn write_option(value: Option<&Self>, writer: &mut CdrWriter<'_>) -> CdrResult<()>;
}

mod sealed {
    pub trait Sealed {}
}

impl<K: ValueKind + ?Sized> sealed::Sealed for Value<K> {}

impl<I: Interface> sealed::Sealed for Abstract<I> {}

impl<K: ValueKind + ?Sized> Handle for Value<K> {
    fn write_option(value: Option<&Self>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        Self::write_option(value, writer)
    }
}

impl<I: Interface> Handle for Abstract<I> {
    fn write_option(value: Option<&Self>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        match value {
            Some(Self::Object(object)) => {
                writer.write_bool(true);
                Ref::<I>::write_option(Some(object), writer)
            }
            Some(Self::Value(value)) => {
                writer.write_bool(false);
                Value::write_option(Some(value), writer)
            }
            None => {
                writer.write_bool(false);
                <Value<ValueBase>>::write_option(None, writer)
            }
        }
    }
}

/// A [`Handle`] as an argument: `Option<&H>` instead of `Option<H>`.
#[derive(Clone, Copy, Debug)]
pub struct HandleArgument<H>(PhantomData<fn() -> H>);

impl<H: Handle> HandleArgument<H> {
    /// Writes it, or null.
    ///
    /// # Errors
    /// It has no encoding.
    pub fn write(value: Option<&H>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        H::write_option(value, writer)
    }

    /// Whether it is null: of anything else, the receiver gets a copy.
    pub fn passes_as_is(value: Option<&H>, _: &Context) -> bool {
        value.is_none()
    }
}

impl<H: Handle + 'static> HandleArgument<H> {
    /// An operand of an interpretive stub.
    #[must_use]
    pub fn operand<'v>(value: &'v Option<&'v H>) -> Operand<'v> {
        Operand::argument::<Self>(value)
    }
}

impl<H: Handle + 'static> Argument for HandleArgument<H> {
    type View<'v> = Option<&'v H>;

    fn write(value: Option<&H>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        Self::write(value, writer)
    }
}
