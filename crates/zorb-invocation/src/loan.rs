//! Buffers that applications fill and messages are sent from where they lie.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::hint::spin_loop;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use zorb_base::interceptor::{ServerRequestInfo, ServerRequestInterceptor};
use zorb_base::policy::{BufferStrategy, Policies};
use zorb_base::upcall_thread::served_connection;
use zorb_transport::{SendBuffer, Stream};
use zorb_types::SystemException;

use crate::client::{ClientCore, connection_of, policy_of_thread_and_orb};
use crate::object::ObjectRef;

thread_local! {
    /// What the object or adapter says whose upcall this thread is in.
    static OF_OBJECT: Cell<Option<BufferStrategy>> = const { Cell::new(None) };
}

/// The interceptor of requests to objects whose policies have a buffer strategy.
pub fn interceptor(policies: &Policies) -> Option<Arc<dyn ServerRequestInterceptor>> {
    let strategy = policies.value::<BufferStrategy>()?;
    Some(Arc::new(BufferInterceptor(*strategy)))
}

/// Sets the buffer strategy of the objects' replies.
#[derive(Debug)]
struct BufferInterceptor(BufferStrategy);

/// Restores the strategy of the thread when dropped, also after a panic.
struct Restore(Option<BufferStrategy>);

impl Drop for Restore {
    fn drop(&mut self) {
        OF_OBJECT.set(self.0);
    }
}

impl ServerRequestInterceptor for BufferInterceptor {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let _restore = Restore(OF_OBJECT.replace(Some(self.0)));
        info.proceed()
    }

    fn intercepts_collocated_calls(&self) -> bool {
        false
    }
}

/// Octets to be filled and passed as an argument, or returned as a result: a `&mut [u8]` that messages
/// are sent from where it lies.
///
/// [`ObjectRef::loan`] gives one for arguments. Passed as the last `sequence<octet>` of a call to the
/// same object, by the same thread, it goes over without being copied where the connection shares
/// memory with the server; anywhere else it is an argument like any other. It can be sent again, with
/// other calls too. [`for_reply`](Self::for_reply) gives one to servants.
///
/// What is in it at first means nothing: zeros, or what was last sent from there.
///
/// Changing it after it was sent waits a moment for the servant to be done with it, which after a
/// two-way call it mostly is. If the servant takes longer, as it may with a one-way call, the octets
/// move to another buffer, by a copy, and its view stays as it was sent.
pub struct Loan {
    octets: Octets,
    stream: Option<Arc<dyn Stream>>,
}

enum Octets {
    Shared(SendBuffer),
    Own(Vec<u8>),
}

/// How often a thread looks whether the servant is done before it takes another buffer: about as long
/// as the copying of a few thousand octets.
const LOOKS: u32 = 512;

impl Loan {
    fn of(stream: Option<&Arc<dyn Stream>>, len: usize) -> Self {
        let shared = stream.and_then(|stream| Some((stream.loan(len)?, Arc::clone(stream))));
        match shared {
            Some((buffer, stream)) => Self { octets: Octets::Shared(buffer), stream: Some(stream) },
            None => Self { octets: Octets::Own(vec![0; len]), stream: None },
        }
    }

    /// Draws a buffer of `len` octets for the reply to the request that the calling thread is serving:
    /// from its connection's memory if the client sees that too and one is free, from the heap
    /// otherwise. A servant fills it, and returns it as a [`LoanedOctets`](crate::loaned::LoanedOctets).
    ///
    /// Whether the connection's are to be drawn says [`BufferStrategy`], the first of these that says
    /// something: the object's policy or its adapter's ([`PoaPolicies`](zorb_poa::PoaPolicies)), the
    /// thread's (`PolicyCurrent`), what was said of the connection
    /// ([`Caller::set_buffer_strategy`](zorb_base::caller::Caller::set_buffer_strategy)), the ORB's
    /// (`PolicyManager`).
    ///
    /// ```text
    /// fn shoot(&self) -> zorb::Result<LoanedOctets> {
    ///     let mut picture = Loan::for_reply(640 * 480);
    ///     self.sensor.read_into(&mut picture);
    ///     Ok(picture.into())
    /// }
    /// ```
    #[must_use]
    pub fn for_reply(len: usize) -> Self {
        let Some(connection) = served_connection() else { return Self::of(None, len) };
        let strategy = OF_OBJECT.get().or_else(|| {
            let context: &dyn Any = connection.context();
            let client = context.downcast_ref::<Arc<ClientCore>>();
            let (of_thread, of_orb) =
                client.map(policy_of_thread_and_orb::<BufferStrategy>).unwrap_or_default();
            of_thread.or(connection.buffer_strategy()).or(of_orb)
        });
        match strategy.unwrap_or_default() {
            BufferStrategy::ZeroCopy => Self::of(Some(connection.stream()), len),
            BufferStrategy::SingleCopy => Self::of(None, len),
        }
    }

    /// The same for one reply of which `strategy` is known, whatever policies say.
    #[must_use]
    pub fn for_reply_by(strategy: BufferStrategy, len: usize) -> Self {
        let connection = match strategy {
            BufferStrategy::ZeroCopy => served_connection(),
            BufferStrategy::SingleCopy => None,
        };
        Self::of(connection.as_ref().map(|connection| connection.stream()), len)
    }

    /// Whether it lies in memory that the other side sees, so that sending it copies nothing.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.octets, Octets::Shared(_))
    }

    /// Moves the octets to a place that the other side does not read.
    #[cold]
    fn move_away(&mut self) {
        let mut elsewhere = Self::of(self.stream.as_ref(), self.len());
        match &mut elsewhere.octets {
            Octets::Own(octets) => octets.copy_from_slice(self),
            // It has room for as many, and was sent to nobody yet.
            Octets::Shared(buffer) => _ = buffer.fill(self),
        }
        *self = elsewhere;
    }
}

impl ObjectRef {
    /// Draws a buffer of `len` octets for arguments of calls to this object, from its connection's
    /// memory if the server sees that too and one is free (see [`BufferStrategy`]), from the heap
    /// otherwise. It connects if it has to.
    ///
    /// ```text
    /// let mut picture = camera_store.loan(640 * 480)?;
    /// sensor.read_into(&mut picture);
    /// camera_store.put("front", &picture)?;
    /// ```
    ///
    /// # Errors
    /// Those of connecting: `TRANSIENT`, `TIMEOUT`, `NO_PERMISSION`.
    pub fn loan(&self, len: usize) -> Result<Loan, SystemException> {
        if self.client_policy::<BufferStrategy>() == Some(BufferStrategy::SingleCopy) {
            return Ok(Loan::of(None, len));
        }
        Ok(Loan::of(connection_of(self)?.as_ref(), len))
    }
}

impl Deref for Loan {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.octets {
            Octets::Shared(buffer) => buffer,
            Octets::Own(octets) => octets,
        }
    }
}

impl DerefMut for Loan {
    fn deref_mut(&mut self) -> &mut [u8] {
        if let Octets::Shared(buffer) = &self.octets {
            let free = (0..LOOKS).any(|_| {
                let free = !buffer.is_out();
                if !free {
                    spin_loop();
                }
                free
            });
            if !free {
                self.move_away();
            }
        }
        match &mut self.octets {
            // One that is not out stays so: only this loan could send it.
            Octets::Shared(buffer) => buffer.octets_mut().unwrap_or_default(),
            Octets::Own(octets) => octets,
        }
    }
}

impl AsRef<[u8]> for Loan {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Loan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loan")
            .field("len", &self.len())
            .field("is_shared", &self.is_shared())
            .finish_non_exhaustive()
    }
}
