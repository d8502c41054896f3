//! Buffers that applications fill and calls send from where they lie.

use std::fmt;
use std::hint::spin_loop;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_transport::{SendBuffer, Stream};
use zorb_types::SystemException;

use crate::client::connection_of;
use crate::object::ObjectRef;
use crate::options::Options;
use crate::policy::{Levels, PolicyType, TypedPolicy};

/// Where the buffers come from that [`ObjectRef::loan`] gives: the shared-buffer strategy of a
/// connection's calls. It is Zorb's own policy, for the ORB, a thread, a reference and a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum BufferStrategy {
    /// From the connection to the object, where it shares memory with the server (the feature
    /// `buffers`): what is written
    /// into them is read by the servant where it was written. Nobody copies it. The default.
    #[default]
    ZeroCopy = 0,
    /// From the heap. A call copies what is in them once, into the connection's memory, and the
    /// servant reads it there: for applications that keep many buffers, or keep them for long, and
    /// would have none left of the connection's few.
    SingleCopy = 1,
}

impl TypedPolicy for BufferStrategy {
    const POLICY_TYPE: PolicyType = PolicyType::BUFFER_STRATEGY;
    const LEVELS: Levels = Levels::CLIENT;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_i16(*self as i16);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        match reader.read_i16()? {
            0 => Ok(Self::ZeroCopy),
            1 => Ok(Self::SingleCopy),
            _ => Err(reader.error(CdrErrorKind::BadEnum, "BufferStrategy")),
        }
    }

    fn default_of(_: &Options) -> Option<Self> {
        Some(Self::default())
    }
}

/// Octets to be filled and passed as an argument: a `&mut [u8]` that calls send from where it lies.
///
/// [`ObjectRef::loan`] gives one. Passed as the last `sequence<octet>` of a call to the same object, by
/// the same thread, it goes over without being copied where the connection shares memory with the
/// server; anywhere else it is an argument like any other. It can be sent again, with other calls too.
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

    /// Whether it lies in memory that the server sees, so that sending it copies nothing.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.octets, Octets::Shared(_))
    }

    /// Moves the octets to a place that the servant does not read.
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
