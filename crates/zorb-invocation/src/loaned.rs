//! Octet sequences as results, without copies.

use std::fmt;
use std::ops::Deref;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, Context, Octets, Wire};
use zorb_transport::ReceivedBuffer;

use crate::loan::Loan;

/// The octets of a result, owned or borrowed from shared memory: a `[u8]`.
///
/// Operations return it that `Config::loaned` of `zorb-build` names. A servant makes it of a [`Loan`] for
/// the reply, which is sent without a copy if the connection shares memory with the client, or of a
/// `Vec<u8>`, which is copied once. A stub returns octets in shared memory where the servant wrote them;
/// over other connections it copies them to the heap.
///
/// A result in shared memory occupies one of the server's buffers for this connection until it and its
/// [clones](Clone::clone) are dropped. The clone of any other is a copy.
pub struct LoanedOctets(Storage);

enum Storage {
    Heap(Vec<u8>),
    Loan(Loan),
    Received(ReceivedBuffer),
}

impl LoanedOctets {
    /// Whether it is in memory that it shares with the peer of a connection.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        match &self.0 {
            Storage::Heap(_) => false,
            Storage::Loan(loan) => loan.is_shared(),
            Storage::Received(_) => true,
        }
    }

    /// The octets on the heap: copied, unless they are there already.
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Storage::Heap(octets) => octets,
            Storage::Loan(loan) => loan.to_vec(),
            Storage::Received(buffer) => buffer.to_vec(),
        }
    }
}

impl Deref for LoanedOctets {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Storage::Heap(octets) => octets,
            Storage::Loan(loan) => loan,
            Storage::Received(buffer) => buffer,
        }
    }
}

impl AsRef<[u8]> for LoanedOctets {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Vec<u8>> for LoanedOctets {
    fn from(octets: Vec<u8>) -> Self {
        Self(Storage::Heap(octets))
    }
}

impl From<&[u8]> for LoanedOctets {
    fn from(octets: &[u8]) -> Self {
        octets.to_vec().into()
    }
}

impl From<Loan> for LoanedOctets {
    fn from(loan: Loan) -> Self {
        Self(Storage::Loan(loan))
    }
}

impl From<LoanedOctets> for Vec<u8> {
    fn from(loaned: LoanedOctets) -> Self {
        loaned.into_vec()
    }
}

impl Clone for LoanedOctets {
    fn clone(&self) -> Self {
        let received = match &self.0 {
            Storage::Received(buffer) => buffer.part(buffer),
            _ => None,
        };
        match received {
            Some(buffer) => Self(Storage::Received(buffer)),
            None => self[..].into(),
        }
    }
}

impl PartialEq for LoanedOctets {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for LoanedOctets {}

impl fmt::Debug for LoanedOctets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoanedOctets")
            .field("len", &self.len())
            .field("is_shared", &self.is_shared())
            .finish_non_exhaustive()
    }
}

/// The IDL type `sequence<octet>` as a result that is [`LoanedOctets`].
#[derive(Clone, Copy, Debug)]
pub enum LoanedOctetSeq {}

/// The same with a bound.
#[derive(Clone, Copy, Debug)]
pub enum BoundedLoanedOctetSeq<const N: u32> {}

impl zorb_interp::Tabled for LoanedOctetSeq {}
impl<const N: u32> zorb_interp::Tabled for BoundedLoanedOctetSeq<N> {}

impl Wire for LoanedOctetSeq {
    type Value = LoanedOctets;
    type View = [u8];
    type Borrowed<'a> = &'a [u8];
    const MIN_SIZE: usize = Octets::MIN_SIZE;

    #[inline]
    fn view(value: &LoanedOctets) -> &[u8] {
        value
    }

    #[inline]
    fn write(value: &[u8], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        Octets::write(value, writer)
    }

    #[inline]
    fn passes_as_is(value: &[u8], context: &Context) -> bool {
        Octets::passes_as_is(value, context)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<LoanedOctets> {
        let owner = reader.tail_owner::<ReceivedBuffer>();
        let octets = Octets::read_borrowed(reader)?;
        Ok(match owner.and_then(|owner| owner.part(octets)) {
            Some(part) => LoanedOctets(Storage::Received(part)),
            None => octets.into(),
        })
    }

    #[inline]
    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<&'a [u8]> {
        Octets::read_borrowed(reader)
    }
}

impl<const N: u32> Wire for BoundedLoanedOctetSeq<N> {
    type Value = LoanedOctets;
    type View = [u8];
    type Borrowed<'a> = &'a [u8];
    const MIN_SIZE: usize = Octets::MIN_SIZE;

    #[inline]
    fn view(value: &LoanedOctets) -> &[u8] {
        value
    }

    fn write(value: &[u8], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        zorb_cdr::Bounded::<Octets, N>::write(value, writer)
    }

    #[inline]
    fn passes_as_is(value: &[u8], context: &Context) -> bool {
        zorb_cdr::Bounded::<Octets, N>::passes_as_is(value, context)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<LoanedOctets> {
        let loaned = LoanedOctetSeq::read(reader)?;
        if loaned.len() > N as usize {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "sequence<octet>"));
        }
        Ok(loaned)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<&'a [u8]> {
        zorb_cdr::Bounded::<Octets, N>::read_borrowed(reader)
    }
}

#[cfg(test)]
mod tests {
    use zorb_cdr::ByteOrder;

    use super::*;

    fn written(octets: &[u8]) -> Vec<u8> {
        let mut message = Vec::new();
        let mut writer = CdrWriter::new(&mut message, ByteOrder::NATIVE);
        LoanedOctetSeq::write(octets, &mut writer).unwrap();
        message
    }

    #[test]
    fn octets_in_a_message_are_copied() {
        let message = written(b"octets");
        let mut reader = CdrReader::new(&message, ByteOrder::NATIVE);
        let loaned = LoanedOctetSeq::read(&mut reader).unwrap();
        assert_eq!((&loaned[..], loaned.is_shared()), (&b"octets"[..], false));
        assert_eq!((loaned.clone(), loaned.into_vec()), (b"octets"[..].into(), b"octets".to_vec()));
        let mut reader = CdrReader::new(&message, ByteOrder::NATIVE);
        assert_eq!(LoanedOctetSeq::read_borrowed(&mut reader).unwrap(), b"octets");
    }

    #[test]
    fn bounds_are_checked() {
        let message = written(b"octets");
        let reader = || CdrReader::new(&message, ByteOrder::NATIVE);
        assert_eq!(&BoundedLoanedOctetSeq::<6>::read(&mut reader()).unwrap()[..], b"octets");
        assert!(BoundedLoanedOctetSeq::<6>::read_borrowed(&mut reader()).is_ok());
        let beyond = Some(CdrErrorKind::BoundExceeded);
        let error = BoundedLoanedOctetSeq::<5>::read(&mut reader()).err();
        assert_eq!(error.map(|error| error.kind), beyond);
        assert!(BoundedLoanedOctetSeq::<5>::read_borrowed(&mut reader()).is_err());
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE);
        let error = BoundedLoanedOctetSeq::<5>::write(b"octets", &mut writer).err();
        assert_eq!(error.map(|error| error.kind), beyond);
    }
}
