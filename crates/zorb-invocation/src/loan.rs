//! Buffers that programs fill and that messages send without a copy.

use std::any::Any;
use std::fmt;
use std::hint::spin_loop;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use zorb_base::interceptor::{ServerRequestInfo, ServerRequestInterceptor, UpcallSlot, with_slot};
use zorb_base::policy::{BufferStrategy, Policies};
use zorb_base::upcall_thread::served_connection;
use zorb_transport::{SendBuffer, Stream};
use zorb_types::SystemException;

use crate::client::{ClientCore, next_stream, policy_of_thread_and_orb};
use crate::object::ObjectRef;

/// The interceptor of requests to objects whose policies contain a buffer strategy.
pub fn interceptor(policies: &Policies) -> Option<Arc<dyn ServerRequestInterceptor>> {
    let strategy = policies.value::<BufferStrategy>()?;
    Some(Arc::new(BufferInterceptor(*strategy)))
}

thread_local! {
    /// The buffer strategy of the object of the upcall, or of its adapter.
    static STRATEGY: UpcallSlot<BufferStrategy> = const { UpcallSlot::new() };
}

/// Applies the buffer strategy of objects to their replies.
#[derive(Debug)]
struct BufferInterceptor(BufferStrategy);

impl ServerRequestInterceptor for BufferInterceptor {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        with_slot(&STRATEGY, Some(self.0), || info.proceed())
    }

    fn surrounds_upcalls_only(&self) -> bool {
        true
    }

    fn intercepts_collocated_calls(&self) -> bool {
        false
    }
}

/// A buffer for octets that are passed as an argument or returned as a result: a `&mut [u8]`.
///
/// [`ObjectRef::loan`] returns one for arguments. Pass it as the last `sequence<octet>` of a call to the
/// same object, on the same thread: if the connection shares memory with the server, the octets are not
/// copied. In any other call it is an argument like any other. It can be sent several times, in different
/// calls. [`for_reply`](Self::for_reply) returns one to servants.
///
/// Its first content is unspecified: zeros, or what was last sent from the same memory.
///
/// Writing to it after it was sent waits until the servant has finished with it, which is usually the case
/// after a two-way call. If that takes long, as it may with a one-way call, the octets are copied to another
/// buffer first, and the servant's view does not change.
pub struct Loan {
    octets: Octets,
    stream: Option<Arc<dyn Stream>>,
}

enum Octets {
    Shared(SendBuffer),
    Own(Vec<u8>),
}

/// How often a thread polls whether the servant has finished with a buffer before it uses another one:
/// that takes about as long as copying a few thousand octets.
const POLLS: u32 = 512;

impl Loan {
    /// A buffer of `stream` if it has one, otherwise one from the heap.
    fn new(stream: Option<&Arc<dyn Stream>>, len: usize) -> Self {
        let shared = stream.and_then(|stream| Some((stream.loan(len)?, Arc::clone(stream))));
        match shared {
            Some((buffer, stream)) => Self { octets: Octets::Shared(buffer), stream: Some(stream) },
            None => Self { octets: Octets::Own(vec![0; len]), stream: None },
        }
    }

    /// Allocates a buffer of `len` octets for the reply to the request that the calling thread serves: in
    /// the memory that its connection shares with the client, if it does and a buffer is free, otherwise on
    /// the heap. A servant fills it and returns it as [`LoanedOctets`](crate::loaned::LoanedOctets).
    ///
    /// Shared memory is used unless [`BufferStrategy`] excludes it. The first of these that is set applies: the policy
    /// of the object or its adapter ([`PoaPolicies`](zorb_poa::PoaPolicies)), of the thread (`PolicyCurrent`), of the
    /// connection ([`Caller::set_buffer_strategy`](zorb_base::caller::Caller::set_buffer_strategy)), of the ORB
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
        let Some(connection) = served_connection() else { return Self::new(None, len) };
        let strategy = STRATEGY.with(UpcallSlot::value).or_else(|| {
            let context: &dyn Any = connection.context();
            let client = context.downcast_ref::<Arc<ClientCore>>();
            let (of_thread, of_orb) =
                client.map(policy_of_thread_and_orb::<BufferStrategy>).unwrap_or_default();
            of_thread.or(connection.buffer_strategy()).or(of_orb)
        });
        match strategy.unwrap_or_default() {
            BufferStrategy::ZeroCopy => Self::new(Some(connection.stream()), len),
            BufferStrategy::SingleCopy => Self::new(None, len),
        }
    }

    /// Like [`for_reply`](Self::for_reply), with this strategy instead of the policies'.
    #[must_use]
    pub fn for_reply_by(strategy: BufferStrategy, len: usize) -> Self {
        let connection = match strategy {
            BufferStrategy::ZeroCopy => served_connection(),
            BufferStrategy::SingleCopy => None,
        };
        Self::new(connection.as_ref().map(|connection| connection.stream()), len)
    }

    /// Whether it is in memory that the peer has mapped, so that sending it copies nothing.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.octets, Octets::Shared(_))
    }

    /// Moves the octets to a buffer that the peer does not read.
    #[cold]
    fn move_away(&mut self) {
        let mut other = Self::new(self.stream.as_ref(), self.len());
        match &mut other.octets {
            Octets::Own(octets) => octets.copy_from_slice(self),
            // It is as long, and has not been sent.
            Octets::Shared(buffer) => _ = buffer.fill(self),
        }
        *self = other;
    }
}

impl ObjectRef {
    /// Allocates a buffer of `len` octets for arguments of calls to this object: in the memory that its
    /// connection shares with the server, if it does and a buffer is free (see [`BufferStrategy`]),
    /// otherwise on the heap. Connects if necessary.
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
            return Ok(Loan::new(None, len));
        }
        Ok(Loan::new(next_stream(self)?.as_ref(), len))
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
            let is_free = (0..POLLS).any(|_| {
                let is_free = !buffer.is_in_use();
                if !is_free {
                    spin_loop();
                }
                is_free
            });
            if !is_free {
                self.move_away();
            }
        }
        match &mut self.octets {
            // It stays free, since only this loan could send it.
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
