//! The tables of the algorithms.

use std::collections::HashMap;
use std::sync::Arc;

use zorb::Interface as _;
use zorb::codegen::Operations;

use super::measure::{REQUESTS, Request, measure};
use super::search::{Layer, Search};
use crate::driver::{Done, Find};
use crate::error::{Error, Result};
use crate::peer::zorb::server::Everything as BenchServant;
use crate::stubs::bench::Suite as BenchSuite;

/// The table of an algorithm, and the requests to look up.
pub(super) struct Tables {
    requests: Vec<Request>,
    kind: Kind,
}

enum Kind {
    Linear { objects: Vec<Box<[u8]>>, operations: Vec<&'static str> },
    Binary { operations: Vec<&'static str> },
    Hash { objects: HashMap<Box<[u8]>, usize>, operations: HashMap<&'static str, usize> },
    Zorb { orb: Active, operations: Perfect },
    Delayered { table: Vec<(u32, u32)> },
}

/// An ORB with objects, and their keys.
struct Active {
    orb: zorb::Orb,
    servants: Vec<Arc<BenchServant>>,
    keys: Vec<Box<[u8]>>,
}

impl Tables {
    pub(super) fn new(search: Search, objects: usize, operations: usize) -> Result<Self> {
        let names = names(operations);
        let active = match search {
            Search::Zorb => Some(Active::new(objects)?),
            _ => None,
        };
        let keys = match &active {
            Some(active) => active.keys.clone(),
            None => (0..objects).map(key).collect(),
        };
        let object = |index: usize| match &active {
            Some(active) => active.servants.get(index).map_or(0, |it| Arc::as_ptr(it).addr()),
            None => index,
        };
        let requests = (0..REQUESTS)
            .filter_map(|number| {
                // The order of requests differs from that of the tables: the factors are coprime to
                // their number.
                let slot = number * 7 % REQUESTS;
                let index = (2 * slot + 1) * objects / (2 * REQUESTS);
                let other = (number * 5 + 3) % REQUESTS;
                let position = (2 * other + 1) * operations / (2 * REQUESTS);
                Some(Request {
                    key: keys.get(index)?.clone(),
                    operation: names.get(position)?,
                    agreed: u32::try_from(index * operations + position).ok()?,
                    object: object(index),
                    position,
                })
            })
            .collect();
        let numbered = |names: Vec<&'static str>| names.into_iter().zip(0..).collect();
        let kind = match (search, active) {
            (Search::Linear, _) => Kind::Linear { objects: keys, operations: names },
            (Search::Binary, _) => Kind::Binary { operations: names },
            (Search::Hash, _) => {
                let objects = keys.into_iter().zip(0..).collect();
                Kind::Hash { objects, operations: numbered(names) }
            }
            (Search::Delayered, _) => {
                let row = |object: u32| (0..operations as u32).map(move |it| (object, it));
                Kind::Delayered { table: (0..objects as u32).flat_map(row).collect() }
            }
            (Search::Zorb, Some(orb)) => Kind::Zorb { orb, operations: Perfect::new(&names)? },
            (Search::Zorb, None) => return Err(Error::new("there is no ORB")),
        };
        Ok(Self { requests, kind })
    }

    /// Executes a command.
    pub(super) fn search(&self, find: &Find) -> Result<Done> {
        let requests = &self.requests;
        match &self.kind {
            Kind::Linear { objects, operations } => layered(
                find,
                requests,
                |key| objects.iter().position(|known| **known == *key),
                |name| operations.iter().position(|known| *known == name),
            ),
            Kind::Binary { operations } if find.layer == Layer::Operation => {
                layered(find, requests, |_| None, |name| operations.binary_search(&name).ok())
            }
            Kind::Hash { objects, operations } => layered(
                find,
                requests,
                |key| objects.get(key).copied(),
                |name| operations.get(name).copied(),
            ),
            Kind::Zorb { orb: Active { orb, .. }, operations } => {
                operations.search(find, requests, orb.servant_finder())
            }
            Kind::Delayered { table } if find.layer == Layer::Request => {
                measure(find, requests, |request| {
                    let (object, operation) = *table.get(request.agreed as usize)?;
                    Some((object as usize, operation as usize))
                })
            }
            Kind::Binary { .. } | Kind::Delayered { .. } => {
                Err(Error::new(format!("this algorithm does not support the layer {}", find.layer)))
            }
        }
    }
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
fn names(count: usize) -> Vec<&'static str> {
    // Leaked: each process creates few of them, and the names of an interface are static, too.
    (0..count).map(|number| &*format!("operation_{number:04}").leak()).collect()
}

impl Active {
    fn new(objects: usize) -> Result<Self> {
        let orb = zorb::Orb::builder().listen("iiop://127.0.0.1:0").build()?;
        let poa = orb.root_poa();
        let (mut servants, mut keys) = (Vec::new(), Vec::new());
        for _ in 0..objects {
            let servant = Arc::new(BenchServant::default());
            let suite: BenchSuite = poa.activate_shared(&servant)?;
            let profile = suite.as_object().ior().profiles.first();
            let profile = profile.ok_or_else(|| Error::new("a reference without a profile"))?;
            let key = zorb::giop::iiop_object_key(&profile.data);
            keys.push(key.map_err(|error| Error::new(error.to_string()))?.into());
            servants.push(servant);
        }
        Ok(Self { orb, servants, keys })
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        // It has served no request, so there is nothing to wait for.
        let _ = self.orb.shutdown(false);
    }
}

/// Creates the table of skeletons for a number of names that is known at run time.
macro_rules! perfect {
    ($($variant:ident $count:literal,)*) => {
        enum Perfect {
            $($variant(Box<Operations<$count>>),)*
        }

        impl Perfect {
            fn new(names: &[&'static str]) -> Result<Self> {
                Ok(match names.len() {
                    $($count => {
                        let names: &[&'static str; $count] = names
                            .try_into()
                            .map_err(|_| Error::new("another number of names"))?;
                        Self::$variant(Box::new(Operations::new(names)))
                    })*
                    other => return Err(Error::new(format!("no table for {other} operations"))),
                })
            }

            fn search(
                &self,
                find: &Find,
                requests: &[Request],
                object: impl FnMut(&[u8]) -> Option<usize>,
            ) -> Result<Done> {
                match self {
                    $(Self::$variant(table) => layered(find, requests, object, |name| {
                        table.find(name.as_bytes())
                    }),)*
                }
            }
        }
    };
}

perfect! {
    One 1,
    Five 5,
    Ten 10,
    Fifty 50,
    Hundred 100,
    FiveHundred 500,
}
