//! Lists: the arguments or the results of an operation, as tuples.

use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit, offset_of};

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

use super::clause::{Errors, Raised};
use super::read::read_members;
use super::release::release_members;
use super::steps::Steps;
use super::table::{Member, Tabled};
use super::write::write_members;

/// The types of the arguments or results of an operation: a tuple of up to 16 IDL types.
pub trait List: sealed::Sealed {
    /// The values: none as `()`, one by itself, several as a tuple.
    type Values;
    /// The values, [borrowed](zorb_cdr::Wire::Borrowed) from the octets as a servant gets them, as a tuple.
    type Borrowed<'a>;
    #[doc(hidden)]
    const VALUES: Members;
    #[doc(hidden)]
    const BORROWED: Members;
}

mod sealed {
    pub trait Sealed {}
}

/// The members of a tuple.
#[derive(Clone, Copy, Debug)]
pub struct Members(pub(super) &'static [Member]);

macro_rules! lists {
    ($([$($type:ident $index:tt),*] $values:ty, ($($offset:expr),*);)*) => {$(
        impl<$($type: Tabled),*> sealed::Sealed for ($($type,)*) {}

        impl<$($type: Tabled),*> List for ($($type,)*) {
            type Values = $values;
            type Borrowed<'a> = ($($type::Borrowed<'a>,)*);
            const VALUES: Members = Members(const { &[$(Member::new::<$type>($offset)),*] });
            const BORROWED: Members = Members(const {
                &[$(Member::borrowed::<$type>(offset_of!(Self::Borrowed<'static>, $index))),*]
            });
        }
    )*};
    // Of several values.
    (@ $($type:ident $index:tt),*) => {
        lists! {
            [$($type $index),*] ($($type::Value,)*), ($(offset_of!(Self::Values, $index)),*);
        }
    };
}

lists! {
    [] (), ();
    [A 0] A::Value, (0);
}
lists!(@ A 0, B 1);
lists!(@ A 0, B 1, C 2);
lists!(@ A 0, B 1, C 2, D 3);
lists!(@ A 0, B 1, C 2, D 3, E 4);
lists!(@ A 0, B 1, C 2, D 3, E 4, F 5);
lists!(@ A 0, B 1, C 2, D 3, E 4, F 5, G 6);
lists!(@ A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
lists!(@ A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
lists!(@ A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
lists!(@ A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
lists!(@ A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
lists!(@ A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12);
lists!(@ A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13);
lists!(@ A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14);
lists!(@ A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15);

/// Where the arguments of an operation are read to. They are dropped with it.
pub struct Space<'a, L: List> {
    values: MaybeUninit<L::Borrowed<'a>>,
    is_filled: bool,
    /// Reads only from octets that live as long.
    octets: PhantomData<fn(&'a ()) -> &'a ()>,
}

impl<L: List> core::fmt::Debug for Space<'_, L> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Space").field("is_filled", &self.is_filled).finish_non_exhaustive()
    }
}

impl<'a, L: List> Space<'a, L> {
    /// An empty space.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        Self { values: MaybeUninit::uninit(), is_filled: false, octets: PhantomData }
    }

    /// Reads the arguments of an operation, which are the rest of a message, once.
    ///
    /// # Errors
    /// The octets do not encode them, or [others](CdrReader::expect_end) follow them.
    #[inline]
    pub fn read(&mut self, reader: &mut CdrReader<'a>) -> CdrResult<&L::Borrowed<'a>> {
        if !self.is_filled {
            // SAFETY: these are the members of the tuple, which borrows from the reader's octets.
            unsafe { read_all(L::BORROWED, self.values.as_mut_ptr().cast(), reader) }?;
            self.is_filled = true;
        }
        // SAFETY: reading has succeeded.
        Ok(unsafe { self.values.assume_init_ref() })
    }
}

impl<L: List> Default for Space<'_, L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: List> Drop for Space<'_, L> {
    #[inline]
    fn drop(&mut self) {
        if self.is_filled {
            // SAFETY: the arguments have been read, and are not used again.
            unsafe { release_members(L::BORROWED.0, self.values.as_mut_ptr().cast()) };
        }
    }
}

/// # Safety
/// As [`read_members`].
pub(super) unsafe fn read_all(
    members: Members,
    to: *mut u8,
    reader: &mut CdrReader<'_>,
) -> CdrResult<()> {
    // SAFETY: as the caller guarantees.
    unsafe { read_members(members.0, to, reader, Steps::NONE) }?;
    reader.expect_end("arguments").inspect_err(|_| {
        // SAFETY: the members have been read, and are not used again.
        unsafe { release_members(members.0, to) };
    })
}

/// The results of an operation, to be written. They are dropped with it.
pub struct Values<L: List>(ManuallyDrop<L::Values>);

impl<L: List> core::fmt::Debug for Values<L> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Values").finish_non_exhaustive()
    }
}

impl<L: List> Values<L> {
    /// The results.
    #[inline]
    #[must_use]
    pub const fn new(values: L::Values) -> Self {
        Self(ManuallyDrop::new(values))
    }

    /// What writes them.
    #[inline]
    #[must_use]
    pub const fn source(&self) -> Source<'_> {
        let at = core::ptr::from_ref(&self.0).cast();
        Source { members: L::VALUES, at, values: PhantomData }
    }
}

impl<L: List> Drop for Values<L> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the values have these members, and are not used again.
        unsafe { release_members(L::VALUES.0, core::ptr::from_mut(&mut self.0).cast()) };
    }
}

/// What writes the values of a list.
#[derive(Clone, Copy, Debug)]
pub struct Source<'v> {
    pub(super) members: Members,
    pub(super) at: *const u8,
    pub(super) values: PhantomData<&'v ()>,
}

impl Source<'_> {
    /// Writes the values.
    ///
    /// # Errors
    /// One of them has no encoding.
    pub fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        // SAFETY: these are the members of the values.
        unsafe { write_members(self.members.0, self.at, writer, Steps::NONE) }
    }
}

/// What the engine needs of the types of a call: those of its results, and its error.
#[derive(Debug)]
struct Signature {
    results: Members,
    errors: &'static Errors,
}

/// Where a call leaves its results or its error. The error that no `raises` clause contains is an `S`.
#[derive(Debug)]
pub struct Expected<'v, S> {
    signature: &'static Signature,
    to: *mut u8,
    /// Invariant: nothing else is [`Received`] with this lifetime.
    place: PhantomData<fn(&'v mut ()) -> &'v mut ()>,
    other: PhantomData<fn(S) -> S>,
}

impl<'v, S> Expected<'v, S> {
    /// What reads them.
    #[must_use]
    pub const fn results(self) -> Results<'v, S> {
        Results { expected: self, read: Cell::new(Read::Nothing) }
    }
}

/// Reads the results of a call, or its error. They are dropped with it, unless it ends.
#[derive(Debug)]
pub struct Results<'v, S> {
    expected: Expected<'v, S>,
    read: Cell<Read>,
}

/// What has been read.
#[derive(Clone, Copy, Debug, Default)]
enum Read {
    #[default]
    Nothing,
    Results,
    Error,
}

impl<'v, S> Results<'v, S> {
    /// Reads the results. It may be called again, to read them in another way.
    ///
    /// # Errors
    /// The octets do not encode them; there are then no results.
    pub fn read(&self, reader: &mut CdrReader<'_>) -> CdrResult<()> {
        self.clear();
        let Expected { signature, to, .. } = self.expected;
        // SAFETY: these are the members of the values.
        unsafe { read_members(signature.results.0, to, reader, Steps::NONE) }?;
        self.read.set(Read::Results);
        Ok(())
    }

    /// Reads the members of the exception with this repository id; `false` if the operation does not raise it.
    ///
    /// # Errors
    /// The octets do not encode it; there are then no results.
    pub fn read_exception(&self, id: &str, reader: &mut CdrReader<'_>) -> CdrResult<bool> {
        self.clear();
        let Expected { signature, to, .. } = self.expected;
        // SAFETY: this is where the error of the call goes.
        let is_listed = unsafe { signature.errors.read(id, to, reader) }?;
        if is_listed {
            self.read.set(Read::Error);
        }
        Ok(is_listed)
    }

    /// What a call that has `ended` leaves. The error is `missing` if nothing has been read.
    pub fn end(self, ended: Result<(), S>, missing: S) -> Received<'v> {
        let Expected { signature, to, .. } = self.expected;
        let other = match (ended, self.read.get()) {
            (Ok(()), Read::Results) => {
                self.read.set(Read::Nothing);
                return Received { is_error: false, place: PhantomData };
            }
            (Ok(()), Read::Error) => {
                self.read.set(Read::Nothing);
                return Received { is_error: true, place: PhantomData };
            }
            (Ok(()), Read::Nothing) => missing,
            (Err(error), _) => error,
        };
        self.clear();
        // SAFETY: this is where the error of the call goes, and nothing is there.
        unsafe { signature.errors.put_other(to, other) };
        Received { is_error: true, place: PhantomData }
    }

    /// Drops what has been read, if anything.
    fn clear(&self) {
        let Expected { signature, to, .. } = self.expected;
        match self.read.take() {
            Read::Nothing => {}
            // SAFETY: the members have been read, and are not used again.
            Read::Results => unsafe { release_members(signature.results.0, to) },
            // SAFETY: the error has been read, and is not used again.
            Read::Error => unsafe { signature.errors.release::<S>(to) },
        }
    }
}

impl<S> Drop for Results<'_, S> {
    fn drop(&mut self) {
        self.clear();
    }
}

/// That the results or the error of a call are where they are expected.
#[derive(Debug)]
pub struct Received<'v> {
    is_error: bool,
    place: PhantomData<fn(&'v mut ()) -> &'v mut ()>,
}

/// The memory of results or an error.
#[repr(C)]
union Either<V, E> {
    values: ManuallyDrop<V>,
    error: ManuallyDrop<E>,
}

/// The results of the list `L` that `call` receives, or its error.
///
/// # Errors
/// That of `call`.
#[inline]
pub fn receive<L: List, E: Raised>(
    call: impl for<'v> FnOnce(Expected<'v, E::Other>) -> Received<'v>,
) -> Result<L::Values, E> {
    let mut space = MaybeUninit::<Either<L::Values, E>>::uninit();
    let to: *mut u8 = space.as_mut_ptr().cast();
    let signature = const { &Signature { results: L::VALUES, errors: &E::CLAUSE.errors } };
    let received = call(Expected { signature, to, place: PhantomData, other: PhantomData });
    match received.is_error {
        // SAFETY: the results have been read to this place, and are not used again.
        false => Ok(unsafe { to.cast::<L::Values>().read() }),
        // SAFETY: an error has been left there, and is not used again.
        true => Err(unsafe { to.cast::<E>().read() }),
    }
}
