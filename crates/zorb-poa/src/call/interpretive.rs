//! Upcalls by layout tables.

use zorb_interp::{Ended, List, Raised, Upcall, upcall};
use zorb_os::probe;
use zorb_types::SystemException;

use super::ServerCall;
use crate::reply::Served;

impl<'a> ServerCall<'a> {
    /// Makes the upcall of an operation with arguments `A` and results `R`, which are decoded and written by their layout
    /// tables, as is an exception. The arguments borrow from the request where their types allow it.
    ///
    /// # Errors
    /// As [`argument`](Self::argument), [`end_of_arguments`](Self::end_of_arguments) and [`reply`](Self::reply).
    #[inline(always)] // one function less for each operation
    pub fn interpret<A: List, R: List, E: Raised<Other = SystemException>>(
        &mut self,
        method: impl Fn(&A::Borrowed<'a>) -> Result<R::Values, E>,
    ) -> Served {
        upcall::<A, R, E, _, Served>(|upcall| self.make(upcall), method)
    }

    /// The part of an upcall that is the same for all operations.
    #[inline(never)]
    fn make(&mut self, upcall: Upcall<'_, 'a, SystemException>) -> Served {
        let ready = upcall.read(&mut self.arguments).map_err(|error| self.undecodable(error))?;
        probe!(Demarshal);
        match ready.call() {
            Ended::Returned(returned) if returned.is_empty() => self.done(),
            Ended::Returned(returned) => {
                probe!(Upcall);
                self.write_source(&returned.source())
            }
            Ended::Raised(exception) => {
                probe!(Upcall);
                self.interpret_user_exception(&exception)
            }
            Ended::Other(exception) => {
                probe!(Upcall);
                Err(exception)
            }
        }
    }
}
