//! Upcalls: the arguments of an operation are read, its servant is called, and its results are written, by code that does
//! not depend on its types.

use core::marker::PhantomData;
use core::mem::{MaybeUninit, offset_of};

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

use super::clause::{Errors, Exception, Raised};
use super::list::{List, Members, Source, read_all};
use super::release::{release, release_members};
use super::steps::Steps;
use super::table::as_u32;
use super::write::write;

/// What an upcall needs of its operation.
#[derive(Debug)]
struct Operation {
    arguments: Members,
    results: Members,
    errors: &'static Errors,
    /// The offset of the arguments in the place.
    arguments_at: u32,
    /// Calls the servant, with the place.
    method: unsafe fn(*mut u8) -> Outcome,
}

/// What the servant has left: its results or its error, and where in the place.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    is_error: bool,
    at: *mut u8,
}

/// The memory of an upcall.
struct Place<F, A, T> {
    method: F,
    arguments: MaybeUninit<A>,
    outcome: MaybeUninit<T>,
}

/// An upcall whose arguments have not been read. The error that no `raises` clause contains is an `S`.
#[derive(Debug)]
pub struct Upcall<'u, 'a, S> {
    operation: &'static Operation,
    place: *mut u8,
    memory: PhantomData<&'u mut ()>,
    other: PhantomData<fn(S) -> S>,
    /// Reads only from octets that live as long.
    octets: PhantomData<fn(&'a ()) -> &'a ()>,
}

impl<'u, 'a, S> Upcall<'u, 'a, S> {
    /// Reads the arguments, which are the rest of a message.
    ///
    /// # Errors
    /// The octets do not encode them, or [others](CdrReader::expect_end) follow them.
    pub fn read(self, reader: &mut CdrReader<'a>) -> CdrResult<ReadyUpcall<'u, 'a, S>> {
        // SAFETY: these are the members of the arguments, which borrow from the reader's octets.
        unsafe { read_all(self.operation.arguments, self.arguments(), reader) }?;
        Ok(ReadyUpcall(self))
    }

    fn arguments(&self) -> *mut u8 {
        self.place.wrapping_add(self.operation.arguments_at as usize)
    }
}

/// An upcall whose arguments have been read. They are dropped with it.
#[derive(Debug)]
pub struct ReadyUpcall<'u, 'a, S>(Upcall<'u, 'a, S>);

/// How an upcall has ended.
#[derive(Debug)]
pub enum Ended<'u, S> {
    /// With results.
    Returned(Returned<'u>),
    /// With an exception of its `raises` clause.
    Raised(RaisedException<'u>),
    /// With another error.
    Other(S),
}

impl<'u, S> ReadyUpcall<'u, '_, S> {
    /// Calls the servant.
    #[must_use]
    pub fn call(self) -> Ended<'u, S> {
        let Upcall { operation, place, .. } = self.0;
        // SAFETY: the method is that of the place, and the arguments have been read.
        let Outcome { is_error, at } = unsafe { (operation.method)(place) };
        if !is_error {
            return Ended::Returned(Returned {
                members: operation.results,
                at,
                values: PhantomData,
            });
        }
        // SAFETY: the servant has left an error there.
        match unsafe { operation.errors.exception(at) } {
            Some(exception) => {
                let at = at.wrapping_add(exception.member().offset as usize);
                Ended::Raised(RaisedException { exception, at, values: PhantomData })
            }
            // SAFETY: it is another error, and is not used again.
            None => Ended::Other(unsafe { operation.errors.take_other(at) }),
        }
    }
}

impl<S> Drop for ReadyUpcall<'_, '_, S> {
    fn drop(&mut self) {
        // SAFETY: the arguments have been read, and are not used again.
        unsafe { release_members(self.0.operation.arguments.0, self.0.arguments()) };
    }
}

/// The results of an upcall. They are dropped with it.
#[derive(Debug)]
pub struct Returned<'u> {
    members: Members,
    at: *mut u8,
    values: PhantomData<&'u mut ()>,
}

impl Returned<'_> {
    /// Whether the operation has no results.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.members.0.is_empty()
    }

    /// What writes them.
    #[must_use]
    pub const fn source(&self) -> Source<'_> {
        Source { members: self.members, at: self.at, values: PhantomData }
    }
}

impl Drop for Returned<'_> {
    fn drop(&mut self) {
        // SAFETY: the servant has left the results there, and they are not used again.
        unsafe { release_members(self.members.0, self.at) };
    }
}

/// The exception that a servant has raised. It is dropped with it.
#[derive(Debug)]
pub struct RaisedException<'u> {
    exception: &'static Exception,
    at: *mut u8,
    values: PhantomData<&'u mut ()>,
}

impl RaisedException<'_> {
    /// Its repository id.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        self.exception.id()
    }

    /// Writes its repository id and its members.
    ///
    /// # Errors
    /// A member has no encoding.
    pub fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_latin1(self.exception.id())?;
        // SAFETY: the exception is there.
        unsafe { write(&self.exception.member().kind, self.at, writer, Steps::NONE) }
    }
}

impl Drop for RaisedException<'_> {
    fn drop(&mut self) {
        // SAFETY: the servant has left the exception there, and it is not used again.
        unsafe { release(&self.exception.member().kind, self.at) };
    }
}

/// Makes an upcall of an operation with arguments `A` and results `R`: `make` reads the arguments and calls, and `method`
/// calls the servant.
#[inline(always)] // one function less for each operation
pub fn upcall<'a, A, R, E, F, T>(make: impl FnOnce(Upcall<'_, 'a, E::Other>) -> T, method: F) -> T
where
    A: List,
    R: List,
    E: Raised,
    F: Fn(&A::Borrowed<'a>) -> Result<R::Values, E>,
{
    let (arguments, outcome) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut place =
        Place::<F, A::Borrowed<'a>, Result<R::Values, E>> { method, arguments, outcome };
    make(Upcall {
        operation: const {
            &Operation {
                arguments: A::BORROWED,
                results: R::VALUES,
                errors: &E::CLAUSE.errors,
                arguments_at: as_u32(offset_of!(
                    Place<F, A::Borrowed<'static>, Result<R::Values, E>>,
                    arguments
                )),
                method: call::<A, R, E, F>,
            }
        },
        place: core::ptr::from_mut(&mut place).cast(),
        memory: PhantomData,
        other: PhantomData,
        octets: PhantomData,
    })
}

/// # Safety
/// `place` is the place of the method `F`, whose arguments are there, and whose outcome is not.
unsafe fn call<'a, A, R, E, F>(place: *mut u8) -> Outcome
where
    A: List,
    R: List,
    E: Raised,
    F: Fn(&A::Borrowed<'a>) -> Result<R::Values, E>,
{
    // SAFETY: as the caller guarantees; nothing else uses the place.
    let place = unsafe { &mut *place.cast::<Place<F, A::Borrowed<'a>, Result<R::Values, E>>>() };
    // SAFETY: as the caller guarantees.
    let arguments = unsafe { place.arguments.assume_init_ref() };
    match place.outcome.write((place.method)(arguments)) {
        Ok(values) => Outcome { is_error: false, at: core::ptr::from_mut(values).cast() },
        Err(error) => Outcome { is_error: true, at: core::ptr::from_mut(error).cast() },
    }
}
