//! Decoding a TypeCode (CORBA 3.3 part 2, 9.3.5.1).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use zorb_cdr::{CdrError, CdrErrorKind, CdrReader, CdrResult, fallible};

use super::desc::plain;
use super::digits::{fixed, is_fixed};
use super::kind::{INDIRECTION, Parameters};
use super::label::{may_discriminate, read_label};
use super::node::{Arena, Child, Member, Node, Repr};
use super::{TcKind, TypeCode};

const WHAT: &str = "TypeCode";

/// Reads a TypeCode.
pub(super) fn read(reader: &mut CdrReader<'_>) -> CdrResult<TypeCode> {
    let mut decoder = Decoder::default();
    let root = decoder.read(reader, 0)?;
    Ok(TypeCode(match root {
        Child::Static(desc) => Repr::Static(desc),
        Child::Node(index) => {
            reader.allow(decoder.nodes.len().saturating_mul(size_of::<Node>()), WHAT)?;
            let depth = u16::try_from(decoder.deepest).unwrap_or(u16::MAX);
            let arena = Arena { nodes: decoder.nodes, depth, open: false, derived: None };
            Repr::Shared(Arc::new(arena), index)
        }
        Child::Other(type_code) => type_code.0,
    }))
}

/// The state of reading one TypeCode.
///
/// Positions are those of the outermost stream, also inside encapsulations, as the offset of an
/// indirection may lead out of an encapsulation.
#[derive(Default)]
struct Decoder {
    nodes: Vec<Node>,
    /// The types with parameters by the position of their kind, ascending.
    seen: Vec<(usize, Child)>,
    /// The nodes being read, outermost first.
    open: Vec<u32>,
    /// The maximum length of `open` so far.
    deepest: usize,
}

fn bad(reader: &CdrReader<'_>) -> CdrError {
    reader.error(CdrErrorKind::BadTypeCode, WHAT)
}

#[cold]
fn out_of_memory(reader: &CdrReader<'_>) -> CdrError {
    reader.error(CdrErrorKind::OutOfMemory, WHAT)
}

fn push<T>(list: &mut Vec<T>, entry: T, reader: &CdrReader<'_>) -> CdrResult<()> {
    fallible::push(list, entry).map_err(|_| out_of_memory(reader))
}

fn boxed<T>(list: Vec<T>, reader: &CdrReader<'_>) -> CdrResult<Box<[T]>> {
    fallible::boxed(list).map_err(|_| out_of_memory(reader))
}

impl Decoder {
    /// `base` is the position of the reader's offset 0.
    fn read(&mut self, reader: &mut CdrReader<'_>, base: usize) -> CdrResult<Child> {
        // Chunks of a value may split a TypeCode, but not its encapsulations.
        reader.step(4);
        let number = reader.read_u32()?;
        if number == INDIRECTION {
            return self.indirection(reader, base);
        }
        let position = base + reader.offset() - 4;
        let kind = TcKind::from_number(number).ok_or_else(|| bad(reader))?;
        match kind.parameters() {
            Parameters::Empty => Ok(Child::Static(plain(kind))),
            Parameters::Simple => self.simple(kind, position, reader),
            Parameters::Complex => self.complex(kind, position, reader, base),
        }
    }

    fn indirection(&self, reader: &mut CdrReader<'_>, base: usize) -> CdrResult<Child> {
        reader.step(4);
        let offset = reader.read_i32()?;
        let here = base + reader.offset() - 4;
        let target = usize::try_from(offset.unsigned_abs())
            .ok()
            .filter(|_| offset < 0)
            .and_then(|distance| here.checked_sub(distance))
            .ok_or_else(|| bad(reader))?;
        let child = self
            .seen
            .binary_search_by_key(&target, |&(position, _)| position)
            .ok()
            .and_then(|found| self.seen.get(found))
            .map(|(_, child)| child.clone())
            .ok_or_else(|| bad(reader))?;
        // A recursive type needs a type with members, and one whose values can end the recursion: a
        // typedef, array or struct of itself is not a valid type.
        if let Child::Node(index) = child
            && let Some(enclosing) = self.open.iter().position(|&open| open == index)
        {
            let between = self.open.get(enclosing..).unwrap_or_default();
            let any = |test: fn(TcKind) -> bool| {
                between.iter().any(|&open| self.node(open).is_some_and(|node| test(node.kind)))
            };
            if !any(TcKind::is_constructed) || !any(TcKind::ends_recursion) {
                return Err(bad(reader));
            }
        }
        Ok(child)
    }

    fn node(&self, index: u32) -> Option<&Node> {
        self.nodes.get(index as usize)
    }

    /// The kind of a type without typedefs.
    fn resolved_kind(&self, child: &Child) -> Option<TcKind> {
        let mut child = child;
        // Typedefs are never circular, so this terminates.
        loop {
            match child {
                Child::Static(desc) => return Some(desc.kind),
                Child::Other(type_code) => return Some(type_code.view().resolved().kind()),
                &Child::Node(index) => match self.node(index)? {
                    node if node.kind == TcKind::Alias => child = node.content.as_ref()?,
                    node => return Some(node.kind),
                },
            }
        }
    }

    fn simple(
        &mut self,
        kind: TcKind,
        position: usize,
        reader: &mut CdrReader<'_>,
    ) -> CdrResult<Child> {
        let number = if kind == TcKind::Fixed {
            reader.step(2);
            let digits = reader.read_u16()?;
            reader.step(2);
            let scale = reader.read_i16()?;
            if !is_fixed(digits, scale) {
                return Err(bad(reader));
            }
            fixed(digits, scale)
        } else {
            reader.step(4);
            i64::from(reader.read_u32()?)
        };
        let child = if kind != TcKind::Fixed && number == 0 {
            Child::Static(plain(kind))
        } else {
            Child::Node(self.push(kind, number, reader)?)
        };
        push(&mut self.seen, (position, child.clone()), reader)?;
        Ok(child)
    }

    fn push(&mut self, kind: TcKind, number: i64, reader: &CdrReader<'_>) -> CdrResult<u32> {
        let index = u32::try_from(self.nodes.len()).map_err(|_| bad(reader))?;
        push(&mut self.nodes, Node { number, ..Node::new(kind) }, reader)?;
        Ok(index)
    }

    fn complex(
        &mut self,
        kind: TcKind,
        position: usize,
        reader: &mut CdrReader<'_>,
        base: usize,
    ) -> CdrResult<Child> {
        reader.descend(WHAT)?;
        reader.step(4);
        reader.align(4);
        let inner_base = base + reader.offset() + 4;
        let mut inner = reader.read_encapsulation()?;
        let index = self.push(kind, 0, reader)?;
        push(&mut self.seen, (position, Child::Node(index)), reader)?;
        push(&mut self.open, index, reader)?;
        self.deepest = self.deepest.max(self.open.len());
        let node = self.parameters(kind, &mut inner, inner_base)?;
        reader.leave_encapsulation(inner);
        self.open.pop();
        if let Some(entry) = self.nodes.get_mut(index as usize) {
            *entry = node;
        }
        reader.ascend();
        Ok(Child::Node(index))
    }

    fn parameters(
        &mut self,
        kind: TcKind,
        reader: &mut CdrReader<'_>,
        base: usize,
    ) -> CdrResult<Node> {
        let mut node = Node::new(kind);
        if kind.has_id() {
            node.id = text(reader)?;
            node.name = text(reader)?;
        }
        match kind {
            TcKind::Struct | TcKind::Except => {
                node.members = self.fields(reader, base)?;
            }
            TcKind::Union => self.union(&mut node, reader, base)?,
            TcKind::Enum => node.members = enumerators(reader)?,
            TcKind::Sequence | TcKind::Array => {
                node.content = Some(self.member_type(reader, base)?);
                node.number = reader.read_u32()?.into();
                if kind == TcKind::Array && node.number == 0 {
                    return Err(bad(reader));
                }
            }
            TcKind::Alias | TcKind::ValueBox => {
                node.content = Some(self.member_type(reader, base)?);
            }
            TcKind::Value | TcKind::Event => {
                node.number = reader.read_i16()?.into();
                let concrete_base = self.read(reader, base)?;
                if !matches!(
                    self.resolved_kind(&concrete_base),
                    Some(TcKind::Null | TcKind::Value | TcKind::Event)
                ) {
                    return Err(bad(reader));
                }
                node.content = Some(concrete_base);
                node.members = self.state(reader, base)?;
            }
            _ => {}
        }
        Ok(node)
    }

    /// The type of a member or element.
    ///
    /// Its values have at least one octet, so that the octets of a stream limit the number of values. A
    /// struct without members, which IDL does not have, is refused.
    fn member_type(&mut self, reader: &mut CdrReader<'_>, base: usize) -> CdrResult<Child> {
        let child = self.read(reader, base)?;
        let allowed = match child {
            Child::Static(desc) => !matches!(desc.kind, TcKind::Null | TcKind::Void),
            Child::Other(_) => true,
            Child::Node(index) => self.node(index).is_some_and(|node| {
                let is_whole = !self.open.contains(&index);
                node.kind != TcKind::Except
                    && !(node.kind == TcKind::Struct && node.members.is_empty() && is_whole)
            }),
        };
        if allowed { Ok(child) } else { Err(bad(reader)) }
    }

    fn fields(&mut self, reader: &mut CdrReader<'_>, base: usize) -> CdrResult<Box<[Member]>> {
        // Grows with the members read: counts of nested types multiply.
        let count = reader.read_count(9, WHAT)?;
        let mut members = Vec::new();
        for _ in 0..count {
            let name = text(reader)?;
            let child = Some(self.member_type(reader, base)?);
            push(&mut members, Member { name, child, label: 0 }, reader)?;
        }
        boxed(members, reader)
    }

    fn state(&mut self, reader: &mut CdrReader<'_>, base: usize) -> CdrResult<Box<[Member]>> {
        let count = reader.read_count(11, WHAT)?;
        let mut members = Vec::new();
        for _ in 0..count {
            let name = text(reader)?;
            let child = Some(self.member_type(reader, base)?);
            let label = reader.read_i16()?.into();
            push(&mut members, Member { name, child, label }, reader)?;
        }
        boxed(members, reader)
    }

    fn union(&mut self, node: &mut Node, reader: &mut CdrReader<'_>, base: usize) -> CdrResult<()> {
        let discriminator = self.read(reader, base)?;
        let kind = self
            .resolved_kind(&discriminator)
            .filter(|&kind| may_discriminate(kind))
            .ok_or_else(|| bad(reader))?;
        let default_index = reader.read_i32()?;
        let count = reader.read_count(10, WHAT)?;
        if usize::try_from(default_index).is_ok_and(|index| index >= count) {
            return Err(bad(reader));
        }
        let mut members = Vec::new();
        for _ in 0..count {
            let label = read_label(kind, reader)?;
            let name = text(reader)?;
            let child = Some(self.member_type(reader, base)?);
            push(&mut members, Member { name, child, label }, reader)?;
        }
        node.content = Some(discriminator);
        let set = node.set_cases(default_index, members);
        set.map_err(|_| out_of_memory(reader))
    }
}

fn text(reader: &mut CdrReader<'_>) -> CdrResult<Box<str>> {
    let text = reader.read_latin1_owned(WHAT)?;
    fallible::boxed_text(text).map_err(|_| out_of_memory(reader))
}

fn enumerators(reader: &mut CdrReader<'_>) -> CdrResult<Box<[Member]>> {
    let count = reader.read_count(5, WHAT)?;
    let mut members = Vec::new();
    for _ in 0..count {
        let name = text(reader)?;
        push(&mut members, Member { name, child: None, label: 0 }, reader)?;
    }
    boxed(members, reader)
}
