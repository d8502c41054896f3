//! Values read in place. The first octet chooses the type (bits 5 to 7), the byte order (bit 0), the code set (bit 1) and
//! the offset from the alignment base (bits 2 to 4); from the second one on, a tail or a part with an alignment base of its
//! own begins so many octets before the end.

use core::fmt::Debug;

use zorb_cdr::{
    Bounded, ByteOrder, CdrError, CdrReader, CdrResult, CdrWriter, CharSet, Octets, SequenceView,
    Tail, TextCoding, Viewed, Views, Wire,
};

use super::{AllocationBound, Target};
use crate::view_idl::fuzz_views::{Leaf, Plain, Tree};

/// Octets read as a value and in place: both have the same results, and fail alike.
pub const TARGET: Target = Target {
    name: "views",
    run,
    allocation: AllocationBound { per_octet: 256, constant: 16 << 10 },
    words: &[
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"\x01\0\0\0",
        b"\0\0\0\x01",
        b"\x02\0\0\0a\0",
        b"\0\0\0\x02a\0",
        b"\x02\0\0\0\xe9\0",
    ],
};

fn run(octets: &[u8]) {
    let Some((&[choice, split], octets)) = octets.split_first_chunk() else { return };
    let input = Input { choice, split, octets };
    match choice >> 5 {
        0 => same::<Tree>(&input),
        1 => same_elements::<Tree>(&input),
        2 => same_elements::<Leaf>(&input),
        3 => same_elements::<Plain>(&input),
        4 => same_elements::<String>(&input),
        5 => same_elements::<Vec<Octets>>(&input),
        6 => same_elements::<Bounded<Vec<Plain>, 3>>(&input),
        _ => same::<Bounded<Vec<Leaf>, 3>>(&input),
    }
}

/// Octets, and how they are read.
#[derive(Debug)]
struct Input<'o> {
    choice: u8,
    split: u8,
    octets: &'o [u8],
}

impl Input<'_> {
    fn text(&self) -> TextCoding {
        let char_set = if self.choice & 2 == 0 { CharSet::Utf8 } else { CharSet::Latin1 };
        TextCoding { char_set, ..TextCoding::UNICODE }
    }

    /// What `read` makes of the octets, and where the reader is then.
    fn read<V>(
        &self,
        read: impl Fn(&mut CdrReader<'_>) -> CdrResult<V>,
    ) -> Result<(V, usize), CdrError> {
        let order = if self.choice & 1 == 0 { ByteOrder::Big } else { ByteOrder::Little };
        let distance = usize::from(self.split & 127).min(self.octets.len());
        let at = self.octets.len() - distance;
        let (begin, end) = self.octets.split_at(at);
        let (tail, parts) = (Tail::new(end), [at as u32]);
        let is_in_parts = self.split > 127;
        let whole = if is_in_parts { self.octets } else { begin };
        let origin = usize::from(self.choice >> 2 & 7);
        let mut reader = CdrReader::new(whole, order).with_origin(origin).with_text(self.text());
        match is_in_parts {
            true => reader.set_parts(&parts, 4),
            false if distance > 0 => reader.set_tail(&tail),
            false => {}
        }
        Ok((read(&mut reader)?, reader.offset()))
    }

    /// The octets of a value, so that numbers that are not equal to themselves can be compared.
    fn written<W: Wire>(&self, value: &W::Value) -> CdrResult<Vec<u8>> {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big).with_text(self.text());
        W::write(W::view(value), &mut writer)?;
        Ok(octets)
    }
}

/// Compares the value with what is seen of it in place.
fn same<W: Viewed>(input: &Input<'_>) {
    let read = input.read(|reader| W::read(reader).map(|value| input.written::<W>(&value)));
    let seen = input.read(|reader| {
        let received = <Views<W>>::read_borrowed(reader)?;
        Ok(input.written::<W>(&W::value(received.view())))
    });
    assert_eq!(seen, read, "{input:?}");
}

/// Also compares the elements of a sequence one by one.
fn same_elements<T>(input: &Input<'_>)
where
    T: Viewed,
    for<'a> Vec<T>: Viewed<ReadAs<'a> = SequenceView<'a, T>>,
    for<'a> T::ReadAs<'a>: Debug,
{
    same::<Vec<T>>(input);
    let elements = input.read(|reader| {
        let received = <Views<Vec<T>>>::read_borrowed(reader)?;
        let view = received.view();
        let shown: Vec<String> = view.iter().map(|element| format!("{element:?}")).collect();
        assert_eq!((view.len(), view.get(view.len()).is_none()), (shown.len(), true));
        for (index, shown) in shown.iter().enumerate().take(8) {
            assert_eq!(view.get(index).map(|element| format!("{element:?}")).as_ref(), Some(shown));
        }
        Ok(())
    });
    let _ = elements;
}
