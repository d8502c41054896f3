//! Reading and writing by both engines.

use std::sync::LazyLock;

use zorb_cdr::{ByteOrder, CdrError, CdrReader, CdrResult, CdrWriter, CharSet, Tail, TextCoding};
use zorb_core::value::ValueRegistry;
use zorb_interp::{Space, Tabled, read_value};

use super::types::{Pair, Registries, TYPES};

/// Reads octets as a type by both engines, and writes what they have read.
///
/// The first octet chooses the type. The second one chooses the byte order (bit 0), the code set of characters (bit 1),
/// the offset from the alignment base (bits 2 to 4) and what is read (bits 5 and 6): a value, a sequence, an array or an
/// argument. The third one splits the octets: below 64 it does not; from 64 on, a tail begins so many octets before the
/// end; from 128 on, a part with an alignment base of its own begins behind about so many octets.
///
/// Returns whether the octets were accepted.
///
/// # Panics
/// The engines differ.
pub fn compare(octets: &[u8]) -> bool {
    let Some((&type_choice, octets)) = octets.split_first() else { return false };
    compare_as(&TYPES[usize::from(type_choice) % TYPES.len()], octets)
}

/// [`compare`] for octets without the first one, and a type that need not be among those of the fixtures.
///
/// # Panics
/// The engines differ.
pub fn compare_as(pair: &Pair, octets: &[u8]) -> bool {
    let Some((&[choice, split], octets)) = octets.split_first_chunk() else { return false };
    (pair.check)(&Input { name: pair.name, choice, split, octets })
}

/// Octets, and how they are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'o> {
    name: &'static str,
    choice: u8,
    split: u8,
    octets: &'o [u8],
}

impl Input<'_> {
    fn order(&self) -> ByteOrder {
        if self.choice & 1 == 0 { ByteOrder::Big } else { ByteOrder::Little }
    }

    fn text(&self) -> TextCoding {
        let char_set = if self.choice & 2 == 0 { CharSet::Utf8 } else { CharSet::Latin1 };
        TextCoding { char_set, ..TextCoding::UNICODE }
    }

    fn offset(&self) -> usize {
        usize::from(self.choice >> 2 & 7)
    }

    /// What is read, and where the reader is then.
    fn read<V>(
        &self,
        registry: &ValueRegistry,
        read: impl Fn(&mut CdrReader<'_>) -> CdrResult<V>,
    ) -> CdrResult<(V, usize)> {
        let origin = self.offset();
        let distance = usize::from(self.split & 63).min(self.octets.len());
        let at = match self.split {
            0..128 => self.octets.len() - distance,
            // The alignment differs by 4, as in fragments of GIOP 1.1.
            128.. => (distance.next_multiple_of(8) + 8 - origin).min(self.octets.len()),
        };
        let (begin, end) = self.octets.split_at(at);
        let tail = Tail::new(end);
        let parts = [at as u32];
        let whole = if (64..128).contains(&self.split) { begin } else { self.octets };
        let mut reader = CdrReader::new(whole, self.order())
            .with_origin(origin)
            .with_text(self.text())
            .with_context(registry);
        match self.split {
            0..64 => {}
            64..128 => reader.set_tail(&tail),
            128.. => reader.set_parts(&parts, 4),
        }
        let value = reader.read_in_parts(|reader| {
            let value = read(reader)?;
            reader.end_attempt("value").map(|()| value)
        });
        // Of an array of numbers that is not complete in several parts, the engines report different places.
        let value = value.map_err(|error| match self.split {
            0..128 => error,
            128.. => CdrError::new(error.kind, 0, ""),
        })?;
        Ok((value, reader.offset()))
    }

    /// The octets of a value in both byte orders.
    fn written(
        &self,
        write: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> [Result<Vec<u8>, CdrError>; 2] {
        [ByteOrder::Big, ByteOrder::Little].map(|order| {
            let mut octets = vec![0; self.offset()];
            write(&mut CdrWriter::resume(&mut octets, order).with_text(self.text()))?;
            Ok(octets)
        })
    }

    /// What becomes of the octets: the error, or where the reader is and what is written again.
    fn outcome<V>(
        &self,
        registry: &ValueRegistry,
        read: impl Fn(&mut CdrReader<'_>) -> CdrResult<V>,
        write: impl Fn(&V, &mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> Outcome {
        let (value, offset) = self.read(registry, read)?;
        Ok((offset, self.written(|writer| write(&value, writer))))
    }
}

type Outcome = CdrResult<(usize, [Result<Vec<u8>, CdrError>; 2])>;

/// Compares the code `C` of a type with its table `I`.
pub(crate) fn check<C: Tabled, I: Tabled>(input: &Input<'_>) -> bool {
    match input.choice >> 5 & 3 {
        0 => check_values::<C, I>(input),
        1 => check_values::<Vec<C>, Vec<I>>(input),
        2 => check_values::<[C; 3], [I; 3]>(input),
        _ => check_arguments::<C, I>(input),
    }
}

static REGISTRIES: LazyLock<Registries> = LazyLock::new(Registries::new);

fn check_values<C: Tabled, I: Tabled>(input: &Input<'_>) -> bool {
    let Ok((_, written)) = same_values::<C, I>(input) else { return false };
    // Values that are written are chunked, and those that were read need not be.
    let octets = &written[usize::from(input.choice & 1)];
    if let Ok(octets) = octets.as_ref().map(|octets| &octets[input.offset()..])
        && octets != input.octets
    {
        let again = same_values::<C, I>(&Input { octets, ..*input });
        assert!(again.is_ok() || input.split != 0, "{}: {input:?}: {again:?}", input.name);
    }
    true
}

/// Reads and writes by both engines.
fn same_values<C: Tabled, I: Tabled>(input: &Input<'_>) -> Outcome {
    let Registries { compiled, interpretive } = &*REGISTRIES;
    let expected =
        input.outcome(compiled, C::read, |value, writer| C::write(C::view(value), writer));
    let by_type = |value: &I::Value, writer: &mut CdrWriter<'_>| I::write(I::view(value), writer);
    assert_eq!(
        input.outcome(interpretive, I::read, by_type),
        expected,
        "{}: {input:?}",
        input.name
    );
    let by_table =
        |value: &I::Value, writer: &mut CdrWriter<'_>| I::operand(&I::view(value)).write(writer);
    assert_eq!(
        input.outcome(interpretive, read_value::<I>, by_table),
        expected,
        "{}: {input:?}",
        input.name
    );
    expected
}

/// The same with arguments as a servant gets them, which are the last octets of a message.
fn check_arguments<C: Tabled, I: Tabled>(input: &Input<'_>) -> bool {
    let Registries { compiled, interpretive } = &*REGISTRIES;
    let read = |reader: &mut CdrReader<'_>| {
        C::read_borrowed(reader)?;
        C::read_borrowed(reader)?;
        reader.expect_end("arguments")
    };
    let expected = input.read(compiled, read);
    let read = |reader: &mut CdrReader<'_>| Space::<(I, I)>::new().read(reader).map(|_| ());
    assert_eq!(input.read(interpretive, read), expected, "{}: {input:?}", input.name);
    expected.is_ok()
}
