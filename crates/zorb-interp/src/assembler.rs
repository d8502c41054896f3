//! Making a program.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::item::{Item, Number, Shape};
use crate::label::Discriminator;
use crate::program::{Label, Program, Run, Step, UnionStep, fixed};

/// Is told types, one after the other, and makes a [`Program`] of them.
///
/// A type is a [`label`](Self::label) that is [begun](Self::begin) once and then told its members
/// in order. Others are referred to by their labels, before or after they were begun. A label
/// that never is has no values.
#[derive(Debug, Default)]
pub struct Assembler {
    code: Vec<Step>,
    entries: Vec<u32>,
    runs: Vec<Run>,
    items: Vec<Item>,
    cases: Vec<(i64, Label)>,
    ids: Vec<Box<str>>,
    /// Where the items of the run begin that is not a step yet.
    open_run: usize,
}

/// The entry of labels that were never begun: beyond all code.
const NOWHERE: u32 = u32::MAX;

impl Assembler {
    /// An assembler that has been told nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new type.
    pub fn label(&mut self) -> Label {
        let label = Label(self.entries.len() as u32);
        self.entries.push(NOWHERE);
        label
    }

    /// Ends the type before, if there was one; what follows is told of this one.
    pub fn begin(&mut self, label: Label) {
        self.end();
        let entry = self.code.len() as u32;
        if let Some(place) = self.entries.get_mut(label.0 as usize) {
            *place = entry;
        }
    }

    /// A number, or an array of `count` of them.
    pub fn number(&mut self, number: Number, count: u32) {
        self.item(Shape::Number(number), count);
    }

    /// A `boolean`, or an array of them.
    pub fn boolean(&mut self, count: u32) {
        self.item(Shape::Boolean, count);
    }

    /// A `char`, or an array of them.
    pub fn char(&mut self, count: u32) {
        self.item(Shape::Char, count);
    }

    /// An `enum` of so many values, or an array of `count` of it.
    pub fn enumeration(&mut self, values: u32, count: u32) {
        self.item(Shape::Enumeration(values), count);
    }

    /// A `fixed` of up to 31 digits, or an array of them.
    pub fn packed(&mut self, digits: u8, count: u32) {
        self.item(Shape::Packed(digits), count);
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

    /// A union: its labels with their members' types, the first of two of one label counts, and
    /// the type of the default case.
    pub fn union(
        &mut self,
        discriminator: Discriminator,
        cases: impl IntoIterator<Item = (i64, Label)>,
        default: Option<Label>,
    ) {
        let first = self.cases.len();
        self.cases.extend(cases);
        let added = self.cases.get_mut(first..).unwrap_or_default();
        added.sort_by_key(|&(label, _)| label);
        let count = added.len() as u32;
        let first = first as u32;
        self.step(Step::Union(UnionStep { discriminator, first, count, default }));
    }

    /// A value of another type.
    pub fn call(&mut self, label: Label) {
        self.step(Step::Call(label));
    }

    /// The repository id that stands before an exception's members, or does not.
    pub fn exception_id(&mut self, id: &str) {
        let index = self.id(id);
        self.step(Step::ExceptionId(index));
    }

    fn id(&mut self, id: &str) -> u32 {
        self.ids.push(Box::from(id));
        self.ids.len() as u32 - 1
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

    /// A value that the [`Host`](crate::Host) moves, of a type that this number tells it: a valuetype,
    /// an abstract interface.
    pub fn foreign(&mut self, index: u32) {
        self.step(Step::Foreign(index));
    }

    /// A type that has no values here; `what` says which.
    pub fn refuse(&mut self, what: &'static str) {
        self.step(Step::Refuse(what));
    }

    /// The program of all types told.
    pub fn finish(mut self) -> Program {
        self.end();
        Program {
            code: fixed(self.code),
            entries: fixed(self.entries),
            runs: fixed(self.runs),
            items: fixed(self.items),
            cases: fixed(self.cases),
            ids: fixed(self.ids),
        }
    }

    fn item(&mut self, shape: Shape, count: u32) {
        if count > 0 {
            self.items.push(Item { shape, count });
        }
    }

    fn step(&mut self, step: Step) {
        self.close_run();
        self.code.push(step);
    }

    fn end(&mut self) {
        if !self.entries.is_empty() {
            self.step(Step::End);
        }
    }

    fn close_run(&mut self) {
        let items = self.items.get(self.open_run..).unwrap_or_default();
        if !items.is_empty() {
            self.code.push(Step::Run(self.runs.len() as u32));
            self.runs.push(Run::of(self.open_run as u32, items));
            self.open_run = self.items.len();
        }
    }
}
