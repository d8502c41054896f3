//! Types without a layout: functions that read and write their values by their [`Wire`] implementation.

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Wire};

use super::release::drop_at;
use super::table::{Codec, Kind, NamedCodec, Table};

/// A type that writes arguments whose type is no IDL type, such as `Option<&T>`.
pub trait Argument {
    /// What is written.
    type View<'v>: Copy;

    /// Writes it.
    ///
    /// # Errors
    /// The value has no encoding.
    fn write(view: Self::View<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()>;
}

/// A type that writes arguments which refer to something or are none, such as `Option<&T>`.
pub trait OptionalArgument {
    /// What they refer to.
    type Target;

    /// Writes it.
    ///
    /// # Errors
    /// The value has no encoding.
    fn write(target: Option<&Self::Target>, writer: &mut CdrWriter<'_>) -> CdrResult<()>;
}

/// A type whose values are read as those of others, except for the name in errors. Types whose values are alike in memory,
/// too, then share their code: the compiler merges functions that are the same.
pub trait Named: Wire {
    /// The name.
    const NAME: &'static str;

    /// Reads a value, as [`Wire::read`], with this name in errors.
    ///
    /// # Errors
    /// As [`Wire::read`].
    fn read_named(name: &'static str, reader: &mut CdrReader<'_>) -> CdrResult<Self::Value>;
}

impl<T> Table<T>
where
    T: Named + for<'a> Wire<Borrowed<'a> = <T as Wire>::Value>,
{
    /// No layout, of a type that differs from others only in its name.
    #[must_use]
    pub const fn named() -> Self {
        Self::of(Kind::Named(const { &NamedCodec::value::<T>() }))
    }
}

impl NamedCodec {
    /// For the values of `T`.
    pub(super) const fn value<T: Named>() -> Self {
        let Codec { write, drop, .. } = Codec::value::<T>();
        Self { name: T::NAME, write, read: read_named::<T>, drop }
    }
}

impl Codec {
    /// For the values of `T`.
    pub(super) const fn value<T: Wire>() -> Self {
        Self {
            write: write_value::<T>,
            read: read_value::<T>,
            drop: if core::mem::needs_drop::<T::Value>() {
                Some(drop_at::<T::Value>)
            } else {
                None
            },
        }
    }

    /// For the borrowed values of `T`, which are never written.
    pub(super) const fn borrowed<T: Wire>() -> Self {
        let needs_drop = core::mem::needs_drop::<T::Borrowed<'static>>();
        Self {
            write: write_nothing,
            read: read_borrowed::<T>,
            drop: if needs_drop { Some(drop_at::<T::Borrowed<'static>>) } else { None },
        }
    }

    /// For references to the views of `T`, which are only written.
    pub(super) const fn view<T: Wire>() -> Self {
        Self { write: write_view::<T>, read: read_nothing, drop: None }
    }

    /// For the views of `A`, which are only written.
    pub(super) const fn argument<A: Argument>() -> Self {
        Self { write: write_argument::<A>, read: read_nothing, drop: None }
    }

    /// For what arguments of `A` refer to, which is only written.
    pub(super) const fn optional<A: OptionalArgument>() -> Self {
        Self { write: write_optional::<A>, read: read_nothing, drop: None }
    }
}

/// # Safety
/// A value of `T` is at `from`.
unsafe fn write_value<T: Wire>(from: *const u8, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    // SAFETY: as the caller guarantees.
    T::write(T::view(unsafe { &*from.cast::<T::Value>() }), writer)
}

/// # Safety
/// A reference to a view of `T` is at `from`.
unsafe fn write_view<T: Wire>(from: *const u8, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    // SAFETY: as the caller guarantees.
    T::write(unsafe { *from.cast::<&T::View>() }, writer)
}

/// # Safety
/// A view of `A` is at `from`.
unsafe fn write_argument<A: Argument>(
    from: *const u8,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    // SAFETY: as the caller guarantees.
    A::write(unsafe { *from.cast::<A::View<'_>>() }, writer)
}

/// # Safety
/// The target of an argument of `A` is at `from`, unless that is null.
unsafe fn write_optional<A: OptionalArgument>(
    from: *const u8,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    // SAFETY: as the caller guarantees.
    A::write(unsafe { from.cast::<A::Target>().as_ref() }, writer)
}

unsafe fn write_nothing(_: *const u8, _: &mut CdrWriter<'_>) -> CdrResult<()> {
    Ok(())
}

/// # Safety
/// `to` is where a value of `T` may be written.
unsafe fn read_value<T: Wire>(to: *mut u8, reader: &mut CdrReader<'_>) -> CdrResult<()> {
    let value = T::read(reader)?;
    // SAFETY: as the caller guarantees.
    unsafe { to.cast::<T::Value>().write(value) };
    Ok(())
}

/// # Safety
/// `to` is where a value of `T` may be written.
unsafe fn read_named<T: Named>(
    to: *mut u8,
    reader: &mut CdrReader<'_>,
    name: &'static str,
) -> CdrResult<()> {
    let value = T::read_named(name, reader)?;
    // SAFETY: as the caller guarantees.
    unsafe { to.cast::<T::Value>().write(value) };
    Ok(())
}

/// # Safety
/// `to` is where a borrowed value of `T` may be written.
unsafe fn read_borrowed<'a, T: Wire>(to: *mut u8, reader: &mut CdrReader<'a>) -> CdrResult<()> {
    let value = T::read_borrowed(reader)?;
    // SAFETY: as the caller guarantees.
    unsafe { to.cast::<T::Borrowed<'a>>().write(value) };
    Ok(())
}

unsafe fn read_nothing(_: *mut u8, reader: &mut CdrReader<'_>) -> CdrResult<()> {
    Err(reader.error(zorb_cdr::CdrErrorKind::Unsupported, "view"))
}
