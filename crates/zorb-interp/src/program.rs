//! The tables of types.

use alloc::boxed::Box;

use crate::item::{Item, ItemKind};
use crate::label::Discriminator;

/// A type of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label(pub(crate) u32);

/// The tables of types that refer to each other, made by an [`Assembler`](crate::Assembler).
///
/// A program can run over untrusted octets: lengths are checked against the octets left, nesting is
/// limited by [`MAX_DEPTH`](zorb_cdr::MAX_DEPTH), and every step consumes at least one octet.
#[derive(Debug)]
pub struct Program {
    pub(crate) code: Box<[Step]>,
    /// Index in `code` of each label's first step.
    pub(crate) entries: Box<[u32]>,
    pub(crate) runs: Box<[Run]>,
    pub(crate) items: Box<[Item]>,
    pub(crate) cases: Box<[(i64, Label)]>,
    pub(crate) ids: Box<[Box<str>]>,
}

/// What the encoding of a type's values depends on, beside the byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// The largest alignment: the octets of a value are valid at all offsets that are equal modulo it.
    pub alignment: u8,
    /// Whether there is text, which depends on the code sets.
    pub has_text: bool,
}

/// One step of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Members of fixed size: an index in `runs`.
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
    /// The repository id before the members of an exception: an index in `ids`.
    ExceptionId(u32),
    Reference,
    Any,
    TypeCode,
    Foreign(u32),
    /// A type without values.
    Refuse(&'static str),
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct UnionStep {
    pub(crate) discriminator: Discriminator,
    /// Index in `cases` of its first case. Its cases are sorted by label.
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) default: Option<Label>,
}

/// Adjacent members of fixed size.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// The largest alignment of its members.
    pub(crate) alignment: u8,
    /// Whether members other than `char` are checked.
    pub(crate) checked: bool,
    /// Whether its octets depend on the byte order.
    pub(crate) is_swapped: bool,
    pub(crate) has_text: bool,
    /// Its length with the padding before it, by the offset modulo 8 at which that begins.
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

    /// The run of a type that consists of one.
    pub(crate) fn whole_run(&self, label: Label) -> Option<(&Run, &[Item])> {
        let entry = self.entry(label);
        match (self.step(entry), self.step(entry + 1)) {
            (Step::Run(index), Step::End) => self.members(index),
            _ => None,
        }
    }

    /// The traits of the type `label`. They are exact for a run, and for a sequence or array of one;
    /// other types get the strictest traits.
    pub fn traits(&self, label: Label) -> Traits {
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

    /// Memory used by the program, in octets.
    pub fn size(&self) -> usize {
        size_of_val(&*self.code)
            + size_of_val(&*self.entries)
            + size_of_val(&*self.runs)
            + size_of_val(&*self.items)
            + size_of_val(&*self.cases)
            + self.ids.iter().map(|id| size_of_val(id) + id.len()).sum::<usize>()
    }
}

/// The maximum length of a run. No stream is as long, and adding a few octets to it does not overflow.
const MAX_LENGTH: usize = 0xffff_fff0;

impl Run {
    pub(crate) fn of(first: u32, items: &[Item]) -> Self {
        let mut lengths = [0; 8];
        for (class, length) in lengths.iter_mut().enumerate() {
            let mut end = class;
            for item in items {
                end = end.next_multiple_of(item.kind.alignment());
                end = end.saturating_add(item.kind.size().saturating_mul(item.count as usize));
                end = end.min(MAX_LENGTH);
            }
            *length = (end - class) as u32;
        }
        let checks = |shape: ItemKind| !matches!(shape, ItemKind::Number(_) | ItemKind::Char);
        let alignment = items.iter().map(|item| item.kind.alignment()).max().unwrap_or(1);
        Self {
            first,
            count: items.len() as u32,
            alignment: alignment as u8,
            checked: items.iter().any(|item| checks(item.kind)),
            is_swapped: items.iter().any(|item| item.kind.is_swapped()),
            has_text: items.iter().any(|item| item.kind == ItemKind::Char),
            lengths,
        }
    }

    /// The length of a run that begins at this offset, in octets.
    pub(crate) fn length_at(&self, offset: usize) -> usize {
        self.lengths.get(offset % 8).map_or(MAX_LENGTH, |&length| length as usize)
    }

    /// Whether all runs in a row have the same layout from this offset on.
    pub(crate) fn is_uniform_at(&self, offset: usize) -> bool {
        self.length_at(offset).is_multiple_of(usize::from(self.alignment))
    }
}
