//! Compiling types to a program.

use alloc::boxed::Box;
use alloc::vec::Vec;

use zorb_cdr::fallible;

use crate::item::{Item, ItemKind, Number};
use crate::label::Discriminator;
use crate::program::{Label, Program, Run, Step, UnionStep};

/// Compiles types to a [`Program`].
///
/// A type is a [`label`](Self::label). [`begin`](Self::begin) starts its definition, once; its members
/// follow in order. Types refer to each other by label, also to types that are defined later. A label
/// without a definition is a type without values.
#[derive(Debug, Default)]
pub struct Assembler {
    code: Vec<Step>,
    entries: Vec<u32>,
    runs: Vec<Run>,
    items: Vec<Item>,
    cases: Vec<(i64, Label)>,
    ids: Vec<Box<str>>,
    /// Whether there was no memory for a part of the program.
    lacks_memory: bool,
    /// Index of the first item of the open run, which is not a step yet.
    open_run: usize,
}

/// The entry of labels without a definition: beyond all code.
const UNDEFINED: u32 = u32::MAX;

impl Assembler {
    /// An assembler without types.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new type.
    pub fn label(&mut self) -> Label {
        let label = Label(self.entries.len() as u32);
        push(&mut self.entries, UNDEFINED, &mut self.lacks_memory);
        label
    }

    /// Begins the definition of a type, and ends the one before.
    pub fn begin(&mut self, label: Label) {
        self.end();
        let start = self.code.len() as u32;
        if let Some(entry) = self.entries.get_mut(label.0 as usize) {
            *entry = start;
        }
    }

    /// A number, or an array of `count` of them.
    pub fn number(&mut self, number: Number, count: u32) {
        self.item(ItemKind::Number(number), count);
    }

    /// A `boolean`, or an array of them.
    pub fn boolean(&mut self, count: u32) {
        self.item(ItemKind::Boolean, count);
    }

    /// A `char`, or an array of them.
    pub fn char(&mut self, count: u32) {
        self.item(ItemKind::Char, count);
    }

    /// An `enum` with this number of values, or an array of `count` of them.
    pub fn enumeration(&mut self, values: u32, count: u32) {
        self.item(ItemKind::Enumeration(values), count);
    }

    /// A `fixed` of up to 31 digits, or an array of them.
    pub fn packed(&mut self, digits: u8, count: u32) {
        self.item(ItemKind::Packed(digits), count);
    }

    /// A `string` of at most `bound` octets, `u32::MAX` for no bound.
    pub fn string(&mut self, bound: u32) {
        self.step(Step::String(bound));
    }

    /// A `wstring` of at most `bound` code units, `u32::MAX` for no bound.
    pub fn wstring(&mut self, bound: u32) {
        self.step(Step::WString(bound));
    }

    /// A `wchar`.
    pub fn wchar(&mut self) {
        self.step(Step::WChar);
    }

    /// A sequence of at most `bound` elements, `u32::MAX` for no bound.
    pub fn sequence(&mut self, bound: u32, element: Label) {
        self.step(Step::Sequence { bound, element });
    }

    /// An array.
    pub fn array(&mut self, length: u32, element: Label) {
        self.step(Step::Array { length, element });
    }

    /// A union: its labels with the types of their members, and the type of the default case. Of equal
    /// labels, the first one counts.
    pub fn union(
        &mut self,
        discriminator: Discriminator,
        cases: impl IntoIterator<Item = (i64, Label)>,
        default: Option<Label>,
    ) {
        let mut sorted = Vec::new();
        for (number, (label, value)) in (0_u32..).zip(cases) {
            push(&mut sorted, (label, number, value), &mut self.lacks_memory);
        }
        // A stable sort would need memory.
        sorted.sort_unstable_by_key(|&(label, number, _)| (label, number));
        let (first, count) = (self.cases.len() as u32, sorted.len() as u32);
        for (label, _, value) in sorted {
            push(&mut self.cases, (label, value), &mut self.lacks_memory);
        }
        self.step(Step::Union(UnionStep { discriminator, first, count, default }));
    }

    /// A value of another type.
    pub fn call(&mut self, label: Label) {
        self.step(Step::Call(label));
    }

    /// The repository id before the members of an exception, which some ORBs omit.
    pub fn exception_id(&mut self, id: &str) {
        let index = self.id(id);
        self.step(Step::ExceptionId(index));
    }

    fn id(&mut self, id: &str) -> u32 {
        let index = self.ids.len() as u32;
        match fallible::copy_text(id) {
            Ok(id) => push(&mut self.ids, id.into_boxed_str(), &mut self.lacks_memory),
            Err(_) => self.lacks_memory = true,
        }
        index
    }

    /// An object reference.
    pub fn reference(&mut self) {
        self.step(Step::Reference);
    }

    /// An `any`.
    pub fn any(&mut self) {
        self.step(Step::Any);
    }

    /// A TypeCode.
    pub fn type_code(&mut self) {
        self.step(Step::TypeCode);
    }

    /// A value that the [`Host`](crate::Host) handles: a valuetype or an abstract interface. `index` tells
    /// the host the type.
    pub fn foreign(&mut self, index: u32) {
        self.step(Step::Foreign(index));
    }

    /// A type without values; `what` names it in errors.
    pub fn refuse(&mut self, what: &'static str) {
        self.step(Step::Refuse(what));
    }

    /// The program for all types; `None` without memory for it.
    pub fn finish(mut self) -> Option<Program> {
        self.end();
        if self.lacks_memory {
            return None;
        }
        Some(Program {
            code: fallible::boxed(self.code).ok()?,
            entries: fallible::boxed(self.entries).ok()?,
            runs: fallible::boxed(self.runs).ok()?,
            items: fallible::boxed(self.items).ok()?,
            cases: fallible::boxed(self.cases).ok()?,
            ids: fallible::boxed(self.ids).ok()?,
        })
    }

    fn item(&mut self, kind: ItemKind, count: u32) {
        if count > 0 {
            push(&mut self.items, Item { kind, count }, &mut self.lacks_memory);
        }
    }

    fn step(&mut self, step: Step) {
        self.close_run();
        push(&mut self.code, step, &mut self.lacks_memory);
    }

    fn end(&mut self) {
        if !self.entries.is_empty() {
            self.step(Step::End);
        }
    }

    fn close_run(&mut self) {
        let items = self.items.get(self.open_run..).unwrap_or_default();
        if !items.is_empty() {
            let run = Run::of(self.open_run as u32, items);
            push(&mut self.code, Step::Run(self.runs.len() as u32), &mut self.lacks_memory);
            push(&mut self.runs, run, &mut self.lacks_memory);
            self.open_run = self.items.len();
        }
    }
}

/// Appends an entry to a table if there is memory for it.
fn push<T>(table: &mut Vec<T>, entry: T, lacks_memory: &mut bool) {
    if fallible::push(table, entry).is_err() {
        *lacks_memory = true;
    }
}
