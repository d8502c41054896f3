//! Types without a layout: functions that read and write their values by their [`Wire`] implementation.

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Wire};

use super::release::drop_at;
use super::table::Codec;

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
