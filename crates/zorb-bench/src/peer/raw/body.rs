//! Bodies of messages: elements in their memory layout.

use crate::operation::{Duty, Element, Operation};
use crate::stubs::bench::{BinStruct, CubeStruct, PaddedStruct};
use crate::values::{Cubed, Image, Value};

/// Calls `$call::<T>` for the type of an element.
macro_rules! by_value {
    ($element:expr, $call:ident($($argument:expr),*), $none:expr) => {
        match $element {
            Element::None | Element::Cube => $none,
            Element::Short => $call::<i16>($($argument),*),
            Element::Char => $call::<char>($($argument),*),
            Element::Long => $call::<i32>($($argument),*),
            Element::Octet => $call::<u8>($($argument),*),
            Element::Double => $call::<f64>($($argument),*),
            Element::Struct => $call::<BinStruct>($($argument),*),
            Element::Padded => $call::<PaddedStruct>($($argument),*),
        }
    };
}

/// Like `by_value`, for elements that are cubed.
macro_rules! by_cubed {
    ($element:expr, $call:ident($($argument:expr),*), $none:expr) => {
        match $element {
            Element::Short => $call::<i16>($($argument),*),
            Element::Long => $call::<i32>($($argument),*),
            Element::Octet => $call::<u8>($($argument),*),
            Element::Cube => $call::<CubeStruct>($($argument),*),
            _ => $none,
        }
    };
}

/// Fills a body with the values of call 0.
pub(super) fn fill(operation: Operation, body: &mut [u8]) {
    match operation.duty() {
        Duty::Cube => by_cubed!(operation.element(), fill_cubed(body), ()),
        Duty::Echo | Duty::Sink | Duty::Local => {
            by_value!(operation.element(), fill_values(body), ());
        }
    }
    set_first(operation, body, 0);
}

/// Changes a body to that of call `number`.
pub(super) fn set_first(operation: Operation, body: &mut [u8], number: u32) {
    match operation.duty() {
        Duty::Cube => by_cubed!(operation.element(), first_cubed(body, number), ()),
        Duty::Echo | Duty::Sink | Duty::Local => {
            by_value!(operation.element(), first_value(body, number), ());
        }
    }
}

/// Replaces the numbers of a body by their cubes.
pub(super) fn cube(element: Element, body: &mut [u8]) {
    by_cubed!(element, cube_all(body), ());
}

/// What a tally counts for a body, and the number of its elements.
pub(super) fn tally(element: Element, body: &[u8]) -> (u64, u64) {
    by_value!(element, tally_of(body), (0, 0))
}

fn fill_values<T: Value + Image>(body: &mut [u8]) {
    for (bytes, index) in body.chunks_exact_mut(T::SIZE).zip(0..) {
        T::at(index).put(bytes);
    }
}

fn fill_cubed<T: Cubed + Image>(body: &mut [u8]) {
    for (bytes, index) in body.chunks_exact_mut(T::SIZE).zip(0..) {
        T::small_at(index).put(bytes);
    }
}

fn first_value<T: Value + Image>(body: &mut [u8], number: u32) {
    T::first(number).put(body);
}

fn first_cubed<T: Cubed + Image>(body: &mut [u8], number: u32) {
    T::small_at(number).put(body);
}

fn cube_all<T: Cubed + Image>(body: &mut [u8]) {
    for bytes in body.chunks_exact_mut(T::SIZE) {
        T::take(bytes).cubed().put(bytes);
    }
}

fn tally_of<T: Value + Image>(body: &[u8]) -> (u64, u64) {
    let elements = body.len() / T::SIZE;
    let number = |bytes: Option<&[u8]>| bytes.map_or(0, |bytes| T::take(bytes).number());
    let first = number(body.get(..T::SIZE));
    let last = number(body.rchunks_exact(T::SIZE).next());
    (first + last, elements as u64)
}
