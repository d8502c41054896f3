//! The errors of operations: enums of the exceptions in a `raises` clause, whose layout their representation defines.

use core::marker::PhantomData;
use core::mem::offset_of;

use zorb_cdr::{CdrReader, CdrResult, Wire};

use super::read::read;
use super::release::release;
use super::steps::Steps;
use super::table::{Member, Tabled};

/// The error of an operation, read and written by the layout of its exceptions. [`raised!`](crate::raised) defines such
/// enums.
pub trait Raised: Sized {
    /// The error that no `raises` clause contains: the ORB's system exceptions.
    type Other;
    /// Its layout.
    const CLAUSE: Clause<Self>;
}

/// The layout of the error `E` of operations.
pub struct Clause<E> {
    pub(super) errors: Errors,
    /// Invariant: a layout describes no other type.
    marker: PhantomData<fn(*mut E) -> *mut E>,
}

impl<E> core::fmt::Debug for Clause<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Clause").field(&self.errors).finish()
    }
}

impl<E: Raised> Clause<E> {
    /// The layout of an enum.
    ///
    /// # Safety
    /// `E` is a `repr(u32)` enum with a variant for each of the exceptions in turn, and one for [`Raised::Other`] behind
    /// them. Each has the exception as its only field. Generated code calls it by [`raised!`](crate::raised).
    #[must_use]
    pub const unsafe fn listed(listed: &'static [Exception]) -> Self {
        let other_at = Variant::<E::Other>::offset();
        Self { errors: Errors { listed, other_at, is_enum: true }, marker: PhantomData }
    }
}

impl<E: Raised<Other = E>> Clause<E> {
    /// No exceptions are listed.
    #[must_use]
    pub const fn none() -> Self {
        Self { errors: Errors { listed: &[], other_at: 0, is_enum: false }, marker: PhantomData }
    }
}

/// A variant of a `repr(u32)` enum.
#[repr(C)]
struct Variant<T> {
    number: u32,
    field: T,
}

impl<T> Variant<T> {
    const fn offset() -> u32 {
        assert!(size_of::<Self>() <= u32::MAX as usize);
        offset_of!(Self, field) as u32
    }
}

/// An exception of a `raises` clause: its repository id, its type, and its offset in the error.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    id: &'static str,
    member: Member,
}

impl Exception {
    /// The exception `T`.
    #[must_use]
    pub const fn new<T: Tabled + Wire<Value = T>>(id: &'static str) -> Self {
        Self { id, member: Member::new::<T>(Variant::<T>::offset() as usize) }
    }

    /// Its repository id.
    pub(super) const fn id(&self) -> &'static str {
        self.id
    }

    /// Its type, and its offset in the error.
    pub(super) const fn member(&self) -> &Member {
        &self.member
    }
}

/// The layout of an error whose type is erased.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    listed: &'static [Exception],
    /// The offset of the other error.
    other_at: u32,
    /// Whether the error is an enum, which begins with the number of its variant; else it is the other error itself.
    is_enum: bool,
}

impl Errors {
    /// Reads the members of the exception with this id to `to`; `false` if it is not listed. If it fails, there is no error.
    ///
    /// # Safety
    /// An error with this layout may be written to `to`.
    pub(super) unsafe fn read(
        &self,
        id: &str,
        to: *mut u8,
        reader: &mut CdrReader<'_>,
    ) -> CdrResult<bool> {
        let mut listed = self.listed.iter().zip(0_u32..);
        let Some((exception, number)) = listed.find(|(exception, _)| exception.id == id) else {
            return Ok(false);
        };
        // SAFETY: the exception is inside the error.
        let at = unsafe { to.add(exception.member.offset as usize) };
        // SAFETY: the exception may be written there.
        unsafe { read(&exception.member.kind, at, reader, Steps::NONE) }?;
        // SAFETY: a listed exception is a variant of an enum with such numbers.
        unsafe { to.cast::<u32>().write(number) };
        Ok(true)
    }

    /// Writes an error of the other kind to `to`.
    ///
    /// # Safety
    /// An error with this layout may be written to `to`, and its other error is an `S`.
    pub(super) unsafe fn put_other<S>(&self, to: *mut u8, other: S) {
        if self.is_enum {
            // SAFETY: as the caller guarantees; it is the variant behind those of the list.
            unsafe { to.cast::<u32>().write(self.listed.len() as u32) };
        }
        // SAFETY: as the caller guarantees.
        let at = unsafe { to.add(self.other_at as usize) };
        // SAFETY: as the caller guarantees.
        unsafe { at.cast::<S>().write(other) };
    }

    /// The exception at `at`; `None` if it is the other error.
    ///
    /// # Safety
    /// An error with this layout is there.
    pub(super) unsafe fn exception(&self, at: *const u8) -> Option<&'static Exception> {
        if !self.is_enum {
            return None;
        }
        // SAFETY: an enum with this representation begins with the number of its variant.
        let number = unsafe { *at.cast::<u32>() };
        self.listed.get(number as usize)
    }

    /// Takes the other error at `at`.
    ///
    /// # Safety
    /// An error with this layout is there, which is not a listed exception and is not used again. Its other error is an `S`.
    pub(super) unsafe fn take_other<S>(&self, at: *const u8) -> S {
        // SAFETY: as the caller guarantees.
        let at = unsafe { at.add(self.other_at as usize) };
        // SAFETY: as the caller guarantees.
        unsafe { at.cast::<S>().read() }
    }

    /// Drops the error at `at`.
    ///
    /// # Safety
    /// An error with this layout is there, and is not used again. Its other error is an `S`.
    pub(super) unsafe fn release<S>(&self, at: *mut u8) {
        // SAFETY: as the caller guarantees.
        match unsafe { self.exception(at) } {
            Some(exception) => {
                // SAFETY: the exception is inside the error.
                let at = unsafe { at.add(exception.member.offset as usize) };
                // SAFETY: the exception is there, and is not used again.
                unsafe { release(&exception.member.kind, at) };
            }
            // SAFETY: as the caller guarantees.
            None => drop(unsafe { self.take_other::<S>(at) }),
        }
    }
}
