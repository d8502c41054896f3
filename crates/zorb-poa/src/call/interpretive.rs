//! Upcalls by layout tables.

use zorb_base::raises::Raises;
use zorb_interp::{List, Upcall, upcall};
use zorb_os::probe;

use super::ServerCall;
use crate::reply::Served;

impl<'a> ServerCall<'a> {
    /// Makes the upcall of an operation with arguments `A` and results `R`, which are decoded and written by their layout
    /// tables. The arguments borrow from the request where their types allow it.
    ///
    /// # Errors
    /// As [`argument`](Self::argument), [`end_of_arguments`](Self::end_of_arguments) and [`reply`](Self::reply).
    #[inline(always)] // one function less for each operation
    pub fn interpret<A: List, R: List, E: Raises>(
        &mut self,
        method: impl Fn(&A::Borrowed<'a>) -> Result<R::Values, E>,
    ) -> Served {
        upcall::<A, R, Self, Served, _, Served>(
            |upcall| self.make(upcall),
            move |call, arguments| method(arguments).map_err(|raised| call.raise(raised)),
        )
    }

    /// The part of an upcall that is the same for all operations.
    #[inline(never)]
    fn make(&mut self, upcall: Upcall<'_, 'a, Self, Served>) -> Served {
        let ready = upcall.read(&mut self.arguments).map_err(|error| self.undecodable(error))?;
        probe!(Demarshal);
        match ready.call(self) {
            Ok(returned) if returned.is_empty() => self.done(),
            Ok(returned) => {
                probe!(Upcall);
                self.write_source(&returned.source())
            }
            Err(served) => served,
        }
    }

    /// The answer of an upcall that has raised an exception.
    #[cold]
    #[inline(never)] // one for all operations that raise the same
    fn raise<E: Raises>(&mut self, raised: E) -> Served {
        probe!(Upcall);
        self.answer_raised(raised.user())
    }
}
