//! The table of a type.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::item::{Item, Shape};
use crate::label::Discriminator;

/// A type of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label(pub(crate) u32);

/// The tables of types that lead to each other, made by an [`Assembler`](crate::Assembler).
///
/// A program works on any octets: what they promise is checked against what is there, nesting
/// has [`MAX_DEPTH`](zorb_cdr::MAX_DEPTH), and every step takes an octet at least.
#[derive(Debug)]
pub struct Program {
    pub(crate) code: Box<[Step]>,
    /// Where the code of each label begins.
    pub(crate) entries: Box<[u32]>,
    pub(crate) runs: Box<[Run]>,
    pub(crate) items: Box<[Item]>,
    pub(crate) cases: Box<[(i64, Label)]>,
    pub(crate) ids: Box<[Box<str>]>,
}

/// What a value's octets depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// The strictest alignment inside it: octets that begin equally far from a multiple of it mean
    /// the same value.
    pub alignment: u8,
    /// Whether text is in it, so that code sets matter.
    pub has_text: bool,
}

/// One step of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Members of fixed size: an index of `runs`.
    Run(u32),
    String(u32),
    WString(u32),
    WChar,
    Sequence {
        bound: u32,
        element: Label,
    },
    Array {
        length: u32,
        element: Label,
    },
    Union(UnionStep),
    Call(Label),
    /// The id that may stand before an exception's members.
    ExceptionId(u32),
    Reference,
    Any,
    TypeCode,
    Foreign(u32),
    /// A type that has no values.
    Refuse(&'static str),
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct UnionStep {
    pub(crate) discriminator: Discriminator,
    /// Where its cases are, sorted by label.
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) default: Option<Label>,
}

/// Members of fixed size one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// The strictest alignment of its members.
    pub(crate) alignment: u8,
    /// Whether something is checked of its members, `char`s apart.
    pub(crate) checked: bool,
    /// Whether the other byte order changes it.
    pub(crate) turns: bool,
    pub(crate) has_text: bool,
    /// Octets of it for each distance that it may begin at from a multiple of 8, padding before
    /// it included.
    pub(crate) lengths: [u32; 8],
}

impl Program {
    pub(crate) fn members(&self, index: u32) -> Option<(&Run, &[Item])> {
        let run = self.runs.get(index as usize)?;
        let items = self.items.get(run.first as usize..)?.get(..run.count as usize)?;
        Some((run, items))
    }

    pub(crate) fn entry(&self, label: Label) -> usize {
        self.entries.get(label.0 as usize).map_or(usize::MAX, |&entry| entry as usize)
    }

    pub(crate) fn step(&self, at: usize) -> Step {
        self.code.get(at).copied().unwrap_or(Step::Refuse("type"))
    }

    /// The run that is all of a type.
    pub(crate) fn whole_run(&self, label: Label) -> Option<(&Run, &[Item])> {
        let entry = self.entry(label);
        match (self.step(entry), self.step(entry + 1)) {
            (Step::Run(index), Step::End) => self.members(index),
            _ => None,
        }
    }

    /// What the octets of a type's values depend on.
    pub fn traits(&self, label: Label) -> Traits {
        // Types that lead to others may hold anything.
        let entry = self.entry(label);
        let element = match (self.step(entry), self.step(entry + 1)) {
            (Step::Sequence { element, .. } | Step::Array { element, .. }, Step::End) => element,
            _ => label,
        };
        let counted = u8::from(element != label) * 4;
        match self.whole_run(element) {
            Some((run, _)) => {
                Traits { alignment: run.alignment.max(counted), has_text: run.has_text }
            }
            None => Traits { alignment: 8, has_text: true },
        }
    }

    /// Octets that the program itself takes.
    pub fn size(&self) -> usize {
        size_of_val(&*self.code)
            + size_of_val(&*self.entries)
            + size_of_val(&*self.runs)
            + size_of_val(&*self.items)
            + size_of_val(&*self.cases)
            + self.ids.iter().map(|id| size_of_val(id) + id.len()).sum::<usize>()
    }
}

/// No value is as long, and no sum of a few such lengths is too long for a number.
const LONGEST: usize = 0xffff_fff0;

impl Run {
    pub(crate) fn of(first: u32, items: &[Item]) -> Self {
        let mut lengths = [0; 8];
        for (class, length) in lengths.iter_mut().enumerate() {
            let mut end = class;
            for item in items {
                end = end.next_multiple_of(item.shape.alignment());
                end = end.saturating_add(item.shape.size().saturating_mul(item.count as usize));
                // What is longer than any stream is not there.
                end = end.min(LONGEST);
            }
            *length = (end - class) as u32;
        }
        let checks = |shape: Shape| !matches!(shape, Shape::Number(_) | Shape::Char);
        let alignment = items.iter().map(|item| item.shape.alignment()).max().unwrap_or(1);
        Self {
            first,
            count: items.len() as u32,
            alignment: alignment as u8,
            checked: items.iter().any(|item| checks(item.shape)),
            turns: items.iter().any(|item| item.shape.turns()),
            has_text: items.iter().any(|item| item.shape == Shape::Char),
            lengths,
        }
    }

    /// Octets of the run where it begins at this offset.
    pub(crate) fn length_at(&self, offset: usize) -> usize {
        self.lengths.get(offset % 8).map_or(LONGEST, |&length| length as usize)
    }

    /// Whether values one after the other all look alike from this offset on.
    pub(crate) fn is_steady_at(&self, offset: usize) -> bool {
        self.length_at(offset).is_multiple_of(usize::from(self.alignment))
    }
}

/// A vector as a program keeps it.
pub(crate) fn fixed<T>(vector: Vec<T>) -> Box<[T]> {
    vector.into_boxed_slice()
}
