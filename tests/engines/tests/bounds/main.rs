//! Marshalling never exceeds the octets, elements and steps that `zorb idl wcet` lists, and extreme values reach them.
#![forbid(unsafe_code)]
#![allow(clippy::expect_used, clippy::panic)]

extern crate zorb_core as zorb;

mod bodies;
mod counted;
mod values;

use std::collections::BTreeMap;

use zorb_cdr::{ByteOrder, CdrReader, CdrWriter, TextCoding, WideForm};
use zorb_engines_tests::sample::Seed;
use zorb_idl_rust::MarshalBounds;

use bodies::{Body, compiled_bodies, interpretive_bodies};
use values::{Pick, Values};

/// Random values of each body.
const SAMPLES: u64 = 60;

/// What marshalling took at least and at most.
#[derive(Debug)]
struct Measured {
    least_octets: u64,
    most_octets: u64,
    elements: u64,
    steps: u64,
}

/// The bounds by operation and body: `request`, `reply` or the exception.
fn bounds() -> BTreeMap<(String, String), MarshalBounds> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/idl/bounded.idl");
    let compilation = zorb_idl::compile(&zorb_idl::Options::new(), &[file]);
    assert!(!compilation.has_errors(), "{}", compilation.render());
    let mut all = BTreeMap::new();
    for operation in zorb_idl_rust::marshal_bounds(&compilation) {
        let mut put = |body: &str, bounds: Result<MarshalBounds, _>| {
            all.insert((operation.operation.clone(), body.to_owned()), bounds.expect("bounded"));
        };
        put("request", operation.request.clone());
        operation.reply.clone().into_iter().for_each(|bounds| put("reply", bounds));
        operation.exceptions.iter().for_each(|(name, bounds)| put(name, bounds.clone()));
    }
    all
}

fn texts() -> [TextCoding; 2] {
    [TextCoding::UNICODE, TextCoding { wide_form: WideForm::Units, ..TextCoding::UNICODE }]
}

/// Marshals values that begin at an offset by both engines. Returns the octets, elements and steps.
fn marshal(
    (compiled, interpretive): (&Body, &Body),
    values: &mut Values,
    text: TextCoding,
    offset: usize,
) -> [u64; 3] {
    let begin = || vec![0; offset];
    let mut octets = begin();
    let mut writer = CdrWriter::resume(&mut octets, ByteOrder::NATIVE).with_text(text);
    let mut elements = 0;
    if let Some(id) = compiled.id {
        writer.write_str(id, u32::MAX).expect("an id");
        elements += 1;
    }
    for part in &compiled.parts {
        elements += values.write(&(part.type_code)(), &mut writer).expect("a value");
    }
    let steps = [compiled, interpretive].map(|body| {
        let mut again = begin();
        let mut writer = CdrWriter::resume(&mut again, ByteOrder::NATIVE).with_text(text);
        let mut reader = CdrReader::new(&octets[offset..], ByteOrder::NATIVE)
            .with_origin(offset)
            .with_text(text);
        let mut steps = 0;
        if let Some(id) = body.id {
            assert_eq!(reader.read_str(u32::MAX).as_deref(), Ok(id));
            writer.write_str(id, u32::MAX).expect("an id");
            steps += 1;
        }
        for part in &body.parts {
            steps += (part.marshal)(&mut reader, &mut writer).expect("a value");
        }
        assert_eq!(reader.remaining(), 0, "{body:?}");
        assert_eq!(again.len(), octets.len(), "{body:?}");
        steps
    });
    [(octets.len() - offset) as u64, elements, steps[1]]
}

#[test]
fn marshalling_is_within_its_bounds_and_reaches_them() {
    let mut bounds = bounds();
    for (compiled, interpretive) in compiled_bodies().iter().zip(&interpretive_bodies()) {
        let name = (compiled.operation.to_owned(), compiled.part.to_owned());
        let bound = bounds.remove(&name).expect("the body of an operation");
        let mut found = Measured { least_octets: u64::MAX, most_octets: 0, elements: 0, steps: 0 };
        let extremes = (0..3).flat_map(|case| [Pick::Least(case), Pick::Most(case)]);
        let random = (0..SAMPLES).map(|number| Pick::Random(Seed::new(number)));
        for pick in extremes.chain(random) {
            for (text, offset) in texts().into_iter().flat_map(|it| (0..8).map(move |at| (it, at)))
            {
                let mut values = Values::new(pick.clone());
                let [octets, elements, steps] =
                    marshal((compiled, interpretive), &mut values, text, offset);
                assert!((bound.least_octets..=bound.most_octets).contains(&octets), "{name:?}");
                assert!(elements <= bound.elements, "{name:?}: {elements}");
                assert!(Some(steps) <= bound.steps, "{name:?}: {steps}");
                found.least_octets = found.least_octets.min(octets);
                found.most_octets = found.most_octets.max(octets);
                found.elements = found.elements.max(elements);
                found.steps = found.steps.max(steps);
            }
        }
        let expected = [bound.least_octets, bound.most_octets, bound.elements];
        assert_eq!([found.least_octets, found.most_octets, found.elements], expected, "{name:?}");
        assert_eq!(Some(found.steps), bound.steps, "{name:?}");
    }
    // What is left has no arguments and results.
    for (name, bound) in bounds {
        assert_eq!((bound.most_octets, bound.elements, bound.steps), (0, 0, Some(0)), "{name:?}");
    }
}

/// Bodies whose elements compiled code reads and writes one by one.
const ONE_BY_ONE: [[&str; 2]; 7] = [
    ["words", "Bounded::Failed"],
    ["words", "Bounded::Closed"],
    ["others", "request"],
    ["others", "reply"],
    ["lists", "reply"],
    ["quick", "request"],
    ["quick", "reply"],
];

#[test]
#[cfg_attr(not(debug_assertions), ignore = "optimized code has no calls to count")]
fn compiled_code_has_an_operation_for_each_element_at_most() {
    if counted::is_counted() {
        return counted::work();
    }
    let bounds = bounds();
    let counted = counted::count("compiled_code_has_an_operation_for_each_element_at_most");
    for (Body { operation, part, .. }, calls) in counted.into_iter().flatten() {
        let most = bounds[&(operation.to_owned(), part.to_owned())].elements;
        assert!(calls.reads <= most, "{operation}, {part}: {calls:?} of {most}");
        assert!(calls.writes <= most, "{operation}, {part}: {calls:?} of {most}");
        if ONE_BY_ONE.contains(&[operation, part]) {
            assert_eq!([calls.reads, calls.writes], [most, most], "{operation}, {part}");
        } else {
            assert!(calls.reads > 0 && calls.writes > 0, "{operation}, {part}: {calls:?}");
        }
    }
}
