//! Upcalls: the arguments of an operation are read, its servant is called, and its results are written, by code that does
//! not depend on its types.

use core::marker::PhantomData;
use core::mem::{MaybeUninit, offset_of};

use zorb_cdr::{CdrReader, CdrResult};

use super::list::{List, Members, Source, read_all};
use super::release::release_members;

/// What an upcall needs of its operation. `E` is the answer of an upcall without results.
#[derive(Debug)]
struct Operation<E> {
    arguments: Members,
    results: Members,
    /// The offset of the arguments in the place.
    arguments_at: usize,
    /// The offset of the results in the place.
    results_at: usize,
    /// Calls the servant: with the place, and the request.
    method: unsafe fn(*mut u8, *mut u8) -> Result<(), E>,
}

/// The memory of an upcall.
struct Place<F, A, R> {
    method: F,
    arguments: MaybeUninit<A>,
    results: MaybeUninit<R>,
}

/// An upcall whose arguments have not been read. `C` is the request, and `E` the answer if there are no results.
#[derive(Debug)]
pub struct Upcall<'u, 'a, C, E: 'static> {
    operation: &'static Operation<E>,
    place: *mut u8,
    memory: PhantomData<&'u mut ()>,
    request: PhantomData<fn(&mut C)>,
    /// Reads only from octets that live as long.
    octets: PhantomData<fn(&'a ()) -> &'a ()>,
}

impl<'u, 'a, C, E> Upcall<'u, 'a, C, E> {
    /// Reads the arguments, which are the rest of a message.
    ///
    /// # Errors
    /// The octets do not encode them, or [others](CdrReader::expect_end) follow them.
    pub fn read(self, reader: &mut CdrReader<'a>) -> CdrResult<ReadyUpcall<'u, 'a, C, E>> {
        // SAFETY: these are the members of the arguments, which borrow from the reader's octets.
        unsafe { read_all(self.operation.arguments, self.arguments(), reader) }?;
        Ok(ReadyUpcall(self))
    }

    fn arguments(&self) -> *mut u8 {
        self.place.wrapping_add(self.operation.arguments_at)
    }
}

/// An upcall whose arguments have been read. They are dropped with it.
#[derive(Debug)]
pub struct ReadyUpcall<'u, 'a, C, E: 'static>(Upcall<'u, 'a, C, E>);

impl<'u, C, E> ReadyUpcall<'u, '_, C, E> {
    /// Calls the servant.
    ///
    /// # Errors
    /// The answer of an upcall without results.
    pub fn call(self, request: &mut C) -> Result<Returned<'u>, E> {
        let Upcall { operation, place, .. } = self.0;
        // SAFETY: the method is that of the place and the request, and the arguments have been read.
        unsafe { (operation.method)(place, core::ptr::from_mut(request).cast()) }?;
        let at = place.wrapping_add(operation.results_at);
        Ok(Returned { members: operation.results, at, values: PhantomData })
    }
}

impl<C, E> Drop for ReadyUpcall<'_, '_, C, E> {
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

/// Makes an upcall of an operation with arguments `A` and results `R`: `make` reads the arguments and calls, and `method`
/// calls the servant.
#[inline(always)] // one function less for each operation
pub fn upcall<'a, A, R, C, E, F, T>(make: impl FnOnce(Upcall<'_, 'a, C, E>) -> T, method: F) -> T
where
    A: List,
    R: List,
    E: 'static,
    F: Fn(&mut C, &A::Borrowed<'a>) -> Result<R::Values, E>,
{
    let (arguments, results) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut place = Place::<F, A::Borrowed<'a>, R::Values> { method, arguments, results };
    make(Upcall {
        operation: const {
            &Operation {
                arguments: A::BORROWED,
                results: R::VALUES,
                arguments_at: offset_of!(Place<F, A::Borrowed<'static>, R::Values>, arguments),
                results_at: offset_of!(Place<F, A::Borrowed<'static>, R::Values>, results),
                method: call::<A, R, C, E, F>,
            }
        },
        place: core::ptr::from_mut(&mut place).cast(),
        memory: PhantomData,
        request: PhantomData,
        octets: PhantomData,
    })
}

/// # Safety
/// `place` is the place of the method `F`, whose arguments are there, and whose results are not; `request` is a `C`.
unsafe fn call<'a, A, R, C, E, F>(place: *mut u8, request: *mut u8) -> Result<(), E>
where
    A: List,
    R: List,
    E: 'static,
    F: Fn(&mut C, &A::Borrowed<'a>) -> Result<R::Values, E>,
{
    // SAFETY: as the caller guarantees; nothing else uses the place.
    let place = unsafe { &mut *place.cast::<Place<F, A::Borrowed<'a>, R::Values>>() };
    // SAFETY: as the caller guarantees.
    let request = unsafe { &mut *request.cast::<C>() };
    // SAFETY: as the caller guarantees.
    let arguments = unsafe { place.arguments.assume_init_ref() };
    place.results.write((place.method)(request, arguments)?);
    Ok(())
}
