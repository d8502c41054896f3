//! The tables of the algorithms.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use zorb::Interface as _;
use zorb::codegen::Operations;

use super::measure::{REQUESTS, Request, measure};
use super::search::{Layer, Search};
use crate::driver::{Done, Find};
use crate::error::{Error, Result};
use crate::peer::zorb::server::Everything as BenchServant;
use crate::stubs::bench::Suite as BenchSuite;

/// Maximum number of operations.
const MAX_OPERATIONS: usize = 500;

/// Creates the tables of an algorithm, and times lookups.
pub(super) fn find(search: Search, find: &Find) -> Result<Done> {
    if !search.has(find.layer) {
        let layer = find.layer;
        return Err(Error::new(format!("this algorithm does not support the layer {layer}")));
    }
    let names = names().get(..find.operations);
    let names = names.ok_or_else(|| no_table(find.operations))?;
    if search == Search::Zorb {
        return find_with_orb(find, names);
    }
    let keys: Vec<Box<[u8]>> = (0..find.objects).map(key).collect();
    let requests = requests(&keys, names, |index| index);
    match search {
        Search::Linear => layered(
            find,
            &requests,
            |key| keys.iter().position(|known| **known == *key),
            |name| names.iter().position(|known| *known == name),
        ),
        Search::Hash => {
            let objects: HashMap<&[u8], usize> = keys.iter().map(|key| &**key).zip(0..).collect();
            let operations: HashMap<&str, usize> = names.iter().copied().zip(0..).collect();
            let object = |key: &[u8]| objects.get(key).copied();
            layered(find, &requests, object, |name| operations.get(name).copied())
        }
        Search::Delayered => {
            let row = |object: u32| (0..find.operations as u32).map(move |it| (object, it));
            let table: Vec<(u32, u32)> = (0..find.objects as u32).flat_map(row).collect();
            measure(find, &requests, |request| {
                let (object, operation) = *table.get(request.agreed as usize)?;
                Some((object as usize, operation as usize))
            })
        }
        Search::Binary | Search::Zorb => {
            layered(find, &requests, |_| None, |name| names.binary_search(&name).ok())
        }
    }
}

/// Requests that are spread evenly over all objects and operations. `object` is the expected result for
/// the object at an index.
fn requests(
    keys: &[Box<[u8]>],
    names: &[&'static str],
    object: impl Fn(usize) -> usize,
) -> Vec<Request> {
    let request = |number: usize| {
        // The order of requests differs from that of the tables: the factors are coprime to their
        // number.
        let spread = |factor: usize, shift: usize, count: usize| {
            let slot = (number * factor + shift) % REQUESTS;
            (2 * slot + 1) * count / (2 * REQUESTS)
        };
        let (index, position) = (spread(7, 0, keys.len()), spread(5, 3, names.len()));
        Some(Request {
            key: keys.get(index)?.clone(),
            operation: names.get(position)?,
            agreed: u32::try_from(index * names.len() + position).ok()?,
            object: object(index),
            position,
        })
    };
    (0..REQUESTS).filter_map(request).collect()
}

/// Looks up the object, the operation, or one after the other.
fn layered(
    find: &Find,
    requests: &[Request],
    mut object: impl FnMut(&[u8]) -> Option<usize>,
    operation: impl Fn(&str) -> Option<usize>,
) -> Result<Done> {
    match find.layer {
        Layer::Object => measure(find, requests, |request| Some((object(&request.key)?, 0))),
        Layer::Operation => {
            measure(find, requests, |request| Some((0, operation(request.operation)?)))
        }
        Layer::Request => measure(find, requests, |request| {
            Some((object(&request.key)?, operation(request.operation)?))
        }),
    }
}

/// An object key with the size and layout of Zorb's.
fn key(index: usize) -> Box<[u8]> {
    let mut key = *b"Z\x01\0\0\0\0stmp\0\0\0\0\0\0\0\0";
    if let Some(slot) = key.get_mut(10..14) {
        slot.copy_from_slice(&(index as u32).to_be_bytes());
    }
    key.into()
}

/// Sorted names of operations, all of the same length.
fn names() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    // Leaked once: the names of an interface are static, too.
    let name = |number| &*format!("operation_{number:04}").leak();
    NAMES.get_or_init(|| (0..MAX_OPERATIONS).map(name).collect())
}

/// Looks up objects with the code of the ORB, and operations with the tables of skeletons, whose size
/// is known when they are compiled.
fn find_with_orb(find: &Find, names: &[&'static str]) -> Result<Done> {
    let orb = zorb::Orb::builder().listen("iiop://127.0.0.1:0").build()?;
    let poa = orb.root_poa();
    let (mut servants, mut keys) = (Vec::new(), Vec::new());
    for _ in 0..find.objects {
        let servant = Arc::new(BenchServant::default());
        let suite: BenchSuite = poa.activate_shared(&servant)?;
        let profile = suite.as_object().ior().profiles.first();
        let profile = profile.ok_or_else(|| Error::new("a reference without a profile"))?;
        let key = zorb::giop::iiop_object_key(&profile.data);
        keys.push(key.map_err(|error| Error::new(error.to_string()))?.into());
        servants.push(servant);
    }
    let address = |index: usize| servants.get(index).map_or(0, |it| Arc::as_ptr(it).addr());
    let requests = requests(&keys, names, address);
    let object = orb.servant_finder();
    let done = match names.len() {
        1 => perfect::<1>(find, &requests, object, names),
        5 => perfect::<5>(find, &requests, object, names),
        10 => perfect::<10>(find, &requests, object, names),
        50 => perfect::<50>(find, &requests, object, names),
        100 => perfect::<100>(find, &requests, object, names),
        500 => perfect::<500>(find, &requests, object, names),
        other => Err(no_table(other)),
    };
    // It has served no request, so there is nothing to wait for.
    orb.shutdown(false)?;
    done
}

fn perfect<const COUNT: usize>(
    find: &Find,
    requests: &[Request],
    object: impl FnMut(&[u8]) -> Option<usize>,
    names: &[&'static str],
) -> Result<Done> {
    let names = names.first_chunk::<COUNT>().ok_or_else(|| no_table(names.len()))?;
    let table = Box::new(Operations::new(names));
    layered(find, requests, object, |name| table.find(name.as_bytes()))
}

fn no_table(operations: usize) -> Error {
    Error::new(format!("no table for {operations} operations"))
}
