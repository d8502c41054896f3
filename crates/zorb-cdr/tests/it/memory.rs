//! The memory of decoded values, which a context charges to a budget.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, ReadContext, TextCoding, WString, Wire};

/// A budget of some octets.
struct Budget {
    left: Arc<AtomicUsize>,
}

/// A part of it.
struct Part(usize, Arc<AtomicUsize>);

impl Drop for Part {
    fn drop(&mut self) {
        self.1.fetch_add(self.0, Ordering::Relaxed);
    }
}

impl Budget {
    fn of(octets: usize) -> Self {
        Self { left: Arc::new(AtomicUsize::new(octets)) }
    }

    fn left(&self) -> usize {
        self.left.load(Ordering::Relaxed)
    }
}

impl ReadContext for Budget {
    fn charge(&self, octets: usize) -> Option<Arc<dyn Any + Send + Sync>> {
        let left = self.left().checked_sub(octets)?;
        self.left.store(left, Ordering::Relaxed);
        Some(Arc::new(Part(octets, Arc::clone(&self.left))))
    }
}

const MIB: usize = 1 << 20;

/// A sequence of as many zeros as fit into `octets`, each of `size` octets.
fn zeros(octets: usize, size: usize) -> Vec<u8> {
    let mut message = vec![0; octets];
    message[..4].copy_from_slice(&u32::try_from((octets - 4) / size).unwrap().to_be_bytes());
    message
}

#[test]
fn decoded_values_are_charged_until_the_reader_is_dropped() {
    let budget = Budget::of(100 * MIB);
    let used = |message: &[u8], read: fn(&mut CdrReader<'_>) -> usize| {
        let mut reader = CdrReader::new(message, ByteOrder::Big).with_context(&budget);
        let count = read(&mut reader);
        (count, 100 * MIB - budget.left())
    };
    // Characters take four octets each, numbers their size, and strings what a `String` does.
    let message = zeros(4 * MIB, 1);
    let (count, chars) = used(&message, |reader| <Vec<char>>::read(reader).unwrap().len());
    assert!(chars > 15 * MIB && chars < 17 * MIB, "{chars}");
    assert_eq!((count, budget.left()), (message.len() - 4, 100 * MIB));
    let (_, shorts) = used(&zeros(4 * MIB, 2), |reader| <Vec<u16>>::read(reader).unwrap().len());
    assert!(shorts > 3 * MIB && shorts < 5 * MIB, "{shorts}");
    let lists = |reader: &mut CdrReader<'_>| <Vec<Vec<u32>>>::read(reader).unwrap().len();
    let (_, lists) = used(&zeros(4 * MIB, 4), lists);
    assert!(lists > 23 * MIB && lists < 25 * MIB, "{lists}");
    // Small messages are not charged, and neither is what is borrowed.
    let small = |reader: &mut CdrReader<'_>| <Vec<char>>::read(reader).unwrap().len();
    assert_eq!(used(&zeros(32 << 10, 1), small).1, 0);
    let borrowed = |reader: &mut CdrReader<'_>| reader.read_octets().unwrap().len();
    assert_eq!(used(&message, borrowed).1, 0);
}

#[test]
fn text_is_charged() {
    let budget = Budget::of(100 * MIB);
    let used = |message: &[u8], read: fn(&mut CdrReader<'_>) -> usize| {
        let mut reader = CdrReader::new(message, ByteOrder::Big).with_context(&budget);
        let count = read(&mut reader);
        (count, 100 * MIB - budget.left())
    };
    let mut text = vec![b'a'; 4 * MIB];
    text[..4].copy_from_slice(&u32::try_from(4 * MIB - 4).unwrap().to_be_bytes());
    text[4 * MIB - 1] = 0;
    let copy = |reader: &mut CdrReader<'_>| String::read(reader).unwrap().len();
    let (_, copy) = used(&text, copy);
    assert!(copy > 3 * MIB && copy < 5 * MIB, "{copy}");
    let id = |reader: &mut CdrReader<'_>| reader.read_latin1_owned("id").unwrap().len();
    let (_, id) = used(&text, id);
    assert!(id > 3 * MIB && id < 5 * MIB, "{id}");
    text[4..4 * MIB - 1].fill(0xe4);
    let latin1 = |reader: &mut CdrReader<'_>| reader.read_latin1("id").unwrap().len();
    let (_, latin1) = used(&text, latin1);
    assert!(latin1 > 7 * MIB && latin1 < 9 * MIB, "{latin1}");
    let mut wide = vec![0x4e; 4 * MIB];
    wide[..4].copy_from_slice(&u32::try_from(4 * MIB - 4).unwrap().to_be_bytes());
    let wstring = |reader: &mut CdrReader<'_>| {
        reader.set_text(TextCoding::UNICODE);
        WString::read(reader).unwrap().len()
    };
    let (_, wstring) = used(&wide, wstring);
    assert!(wstring > 5 * MIB && wstring < 7 * MIB, "{wstring}");
}

#[test]
fn many_small_sequences_are_charged_as_a_large_one() {
    let budget = Budget::of(100 * MIB);
    let inner = zeros(1000, 1);
    let mut message = 4000_u32.to_be_bytes().to_vec();
    message.extend(inner.repeat(4000));
    let mut reader = CdrReader::new(&message, ByteOrder::Big).with_context(&budget);
    assert_eq!(<Vec<Vec<char>>>::read(&mut reader).unwrap().len(), 4000);
    assert!(budget.left() < 86 * MIB, "{}", budget.left());
}

#[test]
fn values_for_which_the_budget_has_no_memory_are_refused() {
    let budget = Budget::of(10 * MIB);
    let message = zeros(4 * MIB, 1);
    let mut reader = CdrReader::new(&message, ByteOrder::Big).with_context(&budget);
    let error = <Vec<char>>::read(&mut reader).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::OutOfMemory);
    let message = zeros(4 * MIB, 4);
    let mut reader = CdrReader::new(&message, ByteOrder::Big).with_context(&budget);
    let error = <Vec<Vec<u32>>>::read(&mut reader).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::OutOfMemory);
    drop(reader);
    assert_eq!(budget.left(), 10 * MIB);
}

#[test]
fn what_an_encapsulation_holds_is_charged_to_the_message() {
    let budget = Budget::of(100 * MIB);
    // Two encapsulations of a text each, which is less than what a message has for nothing.
    let mut text = vec![0; 4];
    text.extend_from_slice(&(200_u32 << 10).to_be_bytes());
    text.resize(8 + (200 << 10), b'a');
    *text.last_mut().unwrap() = 0;
    let mut message = u32::try_from(text.len()).unwrap().to_be_bytes().to_vec();
    message.extend_from_slice(&text);
    let message = message.repeat(2);
    let mut reader = CdrReader::new(&message, ByteOrder::Big).with_context(&budget);
    for charged in [0, MIB] {
        let mut inner = reader.read_encapsulation().unwrap();
        assert_eq!(inner.read_latin1_owned("text").unwrap().len(), (200 << 10) - 1);
        reader.leave_encapsulation(inner);
        assert_eq!(100 * MIB - budget.left(), charged);
    }
    drop(reader);
    assert_eq!(budget.left(), 100 * MIB);
}
