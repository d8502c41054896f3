//! Checks of the octets of members.

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrWriter, CharSet, Number as _};

use super::members::{Members, each};
use crate::item::{Item, ItemKind};

/// What the validity of octets depends on.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    order: ByteOrder,
    /// Whether a `char` has to be ASCII: in UTF-8 no other character is one octet.
    pub(super) ascii: bool,
}

impl Rules {
    pub(super) fn of(reader: &CdrReader<'_>, writer: Option<&CdrWriter<'_>>) -> Self {
        let utf8 = |char_set| char_set == CharSet::Utf8;
        Self {
            order: reader.order(),
            ascii: utf8(reader.text().char_set)
                || writer.is_some_and(|writer| utf8(writer.text().char_set)),
        }
    }
}

pub(super) fn check_all(
    items: &[Item],
    offset: usize,
    length: usize,
    octets: &[u8],
    rules: Rules,
) -> bool {
    let mut members = Members::new();
    each(items, offset, |position, kind| {
        let is_checked = match kind {
            ItemKind::Number(_) => false,
            ItemKind::Char => rules.ascii,
            _ => true,
        };
        if is_checked {
            members.add(position, kind);
        }
    });
    let Some(members) = members.all() else {
        return octets
            .chunks_exact(length)
            .all(|value| invalid_item(items, offset, value, rules).is_none());
    };
    octets.chunks_exact(length).all(|value| {
        members.iter().all(|&(position, kind)| {
            let octets = value.get(position..position + kind.size()).unwrap_or_default();
            check(kind, octets, rules)
        })
    })
}

/// The first invalid item of a value.
fn invalid_item(items: &[Item], offset: usize, value: &[u8], rules: Rules) -> Option<Item> {
    let mut position = 0;
    for item in items {
        let size = item.kind.size();
        position += (position + offset).wrapping_neg() & (item.kind.alignment() - 1);
        let length = size * item.count as usize;
        if !matches!(item.kind, ItemKind::Number(_)) {
            let octets = value.get(position..position + length).unwrap_or_default();
            if !octets.chunks_exact(size).all(|one| check(item.kind, one, rules)) {
                return Some(*item);
            }
        }
        position += length;
    }
    None
}

#[cold]
pub(super) fn first_error(
    items: &[Item],
    offset: usize,
    length: usize,
    octets: &[u8],
    rules: Rules,
) -> CdrError {
    let values = octets.chunks_exact(length).enumerate();
    let mut found = values.filter_map(|(index, value)| {
        let item = invalid_item(items, offset, value, rules)?;
        Some(error(item.kind, offset + index * length))
    });
    found.next().unwrap_or_else(|| error(ItemKind::Boolean, offset))
}

#[cold]
pub(super) fn error(kind: ItemKind, offset: usize) -> CdrError {
    let error = match kind {
        ItemKind::Boolean => CdrErrorKind::BadBoolean,
        ItemKind::Char => CdrErrorKind::BadText,
        ItemKind::Enumeration(_) => CdrErrorKind::BadEnum,
        ItemKind::Packed(_) => CdrErrorKind::BadFixed,
        ItemKind::Number(_) => CdrErrorKind::Truncated,
    };
    CdrError::new(error, offset, kind.what())
}

pub(super) fn check(kind: ItemKind, octets: &[u8], rules: Rules) -> bool {
    match (kind, octets) {
        (ItemKind::Number(_), _) => true,
        (ItemKind::Boolean, [octet]) => *octet < 2,
        (ItemKind::Char, [octet]) => !rules.ascii || octet.is_ascii(),
        (ItemKind::Enumeration(values), octets) => {
            let Some(octets) = octets.first_chunk::<4>() else { return false };
            let value = u32::from_octets(*octets, rules.order);
            value < values
        }
        (ItemKind::Packed(digits), octets) => is_packed(digits, octets),
        _ => false,
    }
}

/// Whether octets are a packed decimal number: digits, and C or D in the last half-octet. With an even
/// number of digits, the first half-octet is 0.
fn is_packed(digits: u8, octets: &[u8]) -> bool {
    let halves = |octet: u8| (octet >> 4, octet & 0xf);
    let Some((&last, others)) = octets.split_last() else { return false };
    let (last_digit, sign) = halves(last);
    let filler = octets.first().map_or(0, |&first| halves(first).0);
    matches!(sign, 0xc | 0xd)
        && last_digit <= 9
        && (digits % 2 == 1 || filler == 0)
        && others.iter().map(|&octet| halves(octet)).all(|(high, low)| high <= 9 && low <= 9)
}
