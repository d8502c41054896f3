//! Zorb's client.

use zorb::{Interface as _, Orb, Pending};
use zorb_os::clock::MonotonicTime;

use super::{dynamic, floods, server};
use crate::error::{Error, Result};
use crate::operation::{Element, Operation};
use crate::peer::arguments::{COLLOCATED, Engine, PeerArguments};
use crate::peer::client::{Client, ConnectionUse, Flooding, Refusal, TwoWay, in_parts};
use crate::stubs::bench::{BinStruct, Suite, Sums};
use crate::values::{Cubed, Value, sequence, set_first};

/// Maximum number of exclusive connections.
const MAX_OPEN: usize = 4096;
/// Maximum number of concurrent calls on a shared connection.
const MAX_CALLS: usize = 1024;

/// Calls a server through its reference.
#[derive(Debug)]
pub(in crate::peer) struct ZorbClient {
    /// Its calls use exclusive connections.
    suite: Suite,
    arguments: PeerArguments,
    /// The object, as an ORB with one connection sees it; `None` if it is collocated.
    shared: Option<Suite>,
    _orbs: Vec<Orb>,
}

/// A new ORB with one connection to the server.
pub(in crate::peer) fn open(arguments: &PeerArguments) -> Result<impl Sized + use<>> {
    let orb = builder(arguments, 1, 1).build()?;
    let suite: Suite = orb.resolve(arguments.address()?)?;
    suite.ping()?;
    Ok((orb, suite))
}

fn builder(arguments: &PeerArguments, most_open: usize, most_calls: usize) -> zorb::OrbBuilder {
    super::options::orb(arguments).force(|orb| {
        orb.max_connections_per_endpoint(most_open).max_calls_per_connection(most_calls)
    })
}

impl ZorbClient {
    pub(in crate::peer) fn connect(arguments: &PeerArguments) -> Result<Self> {
        let own = builder(arguments, MAX_OPEN, 1);
        let (suite, shared, orbs) = match arguments.address()? {
            COLLOCATED => {
                let orb = own.force(|orb| orb.listen("iiop://127.0.0.1:0")).build()?;
                (server::activate(arguments, &orb)?, None, vec![orb])
            }
            ior => {
                let (own, common) = (own.build()?, builder(arguments, 1, MAX_CALLS).build()?);
                (own.resolve(ior)?, Some(common.resolve(ior)?), vec![own, common])
            }
        };
        let client = Self { suite, arguments: arguments.clone(), shared, _orbs: orbs };
        client.suite.ping()?;
        Ok(client)
    }

    /// A reference of a new ORB, which has a connection only if `bound`; `None` if the object is
    /// collocated.
    fn fresh(&self, bound: bool) -> Result<Option<Suite>> {
        if self.shared.is_none() {
            return Ok(None);
        }
        // The reference keeps the ORB alive.
        let orb = builder(&self.arguments, 1, 1).build()?;
        let object = orb.string_to_object(&self.suite.to_ior_string())?;
        let object = object.ok_or_else(|| Error::new("the reference is nil"))?;
        if bound {
            object.validate_connection()?;
        }
        Ok(Some(object.unchecked_narrow()))
    }
}

/// A call whose reply is its argument.
fn echo<T: Value + Sync>(
    suite: Suite,
    elements: usize,
    call: fn(&Suite, &[T]) -> zorb::Result<Vec<T>>,
) -> Box<dyn TwoWay> {
    in_parts(
        sequence::<T>(elements),
        |values: &mut Vec<T>, number| set_first(values, number),
        move |values: &mut Vec<T>| Ok(call(&suite, values)?),
        |values: &Vec<T>, reply: &Vec<T>| values == reply,
    )
}

/// Like `echo`, with a string.
fn echo_string(suite: Suite, elements: usize) -> Box<dyn TwoWay> {
    in_parts(
        sequence::<char>(elements).into_iter().collect::<String>(),
        |text: &mut String, number| {
            // All characters take one octet.
            if !text.is_empty() {
                text.replace_range(..1, char::first(number).encode_utf8(&mut [0; 4]));
            }
        },
        move |text: &mut String| Ok(suite.echo_string(text)?),
        |text: &String, reply: &String| text == reply,
    )
}

/// A call whose reply is the cubes of its argument.
fn cube_many<T: Cubed + Sync>(
    suite: Suite,
    elements: usize,
    call: fn(&Suite, &[T]) -> zorb::Result<Vec<T>>,
) -> Box<dyn TwoWay> {
    let values: Vec<T> = (0..).map(T::small_at).take(elements).collect();
    let cubes: Vec<T> = values.iter().map(|value| value.cubed()).collect();
    in_parts(
        (values, cubes),
        |(values, cubes): &mut (Vec<T>, Vec<T>), number| {
            if let (Some(value), Some(cube)) = (values.first_mut(), cubes.first_mut()) {
                *value = T::small_at(number);
                *cube = value.cubed();
            }
        },
        move |(values, _): &mut (Vec<T>, Vec<T>)| Ok(call(&suite, values)?),
        |(_, cubes): &(Vec<T>, Vec<T>), reply: &Vec<T>| cubes == reply,
    )
}

/// Like `cube_many`, with one number.
fn cube_one<T: Cubed + Sync>(
    suite: Suite,
    call: impl Fn(&Suite, &T) -> zorb::Result<T> + Send + 'static,
) -> Box<dyn TwoWay> {
    in_parts(
        T::small(0),
        |value: &mut T, number| *value = T::small_at(number),
        move |value: &mut T| Ok(call(&suite, value)?),
        |value: &T, reply: &T| value.cubed() == *reply,
    )
}

/// A call whose reply is the sum of its argument.
fn sum(
    suite: &Suite,
    elements: usize,
    call: fn(&Sums, &[BinStruct]) -> zorb::Result<i64>,
) -> Box<dyn TwoWay> {
    let sums: Sums = suite.as_object().clone().unchecked_narrow();
    let values = sequence::<BinStruct>(elements);
    let others: i64 = values.iter().skip(1).map(|value| i64::from(value.l)).sum();
    in_parts(
        values,
        |values: &mut Vec<BinStruct>, number| set_first(values, number),
        move |values: &mut Vec<BinStruct>| Ok(call(&sums, values)?),
        move |values: &Vec<BinStruct>, sum: &i64| {
            let first = values.first().map_or(0, |value| i64::from(value.l));
            *sum == first + others
        },
    )
}

/// A call without argument or result.
fn nothing(suite: Suite, call: fn(&Suite) -> zorb::Result<()>) -> Box<dyn TwoWay> {
    in_parts((), |(), _| (), move |(): &mut ()| Ok(call(&suite)?), |(), ()| true)
}

impl Client for ZorbClient {
    fn two_way(
        &self,
        operation: Operation,
        elements: usize,
        line: ConnectionUse,
    ) -> Result<Box<dyn TwoWay>, Refusal> {
        if self.arguments.engine == Engine::Dsi && !dynamic::has_dynamic_servant(operation) {
            return Err(Refusal::Unsupported(format!("{operation} has only a skeleton")));
        }
        let suite = match line {
            ConnectionUse::Pipelined if self.shared.is_some() => {
                return match operation {
                    Operation::Ping => Ok(Box::new(Pipelined::new(self.suite.clone()))),
                    _ => Err(Refusal::Unsupported(format!("{operation} is not pipelined"))),
                };
            }
            ConnectionUse::Pipelined => None,
            ConnectionUse::Own => Some(self.suite.clone()),
            ConnectionUse::Shared => self.shared.clone(),
            ConnectionUse::Fresh { bound } => self.fresh(bound)?,
        };
        let Some(suite) = suite else {
            return Err(Refusal::Unsupported("there is no such connection".to_owned()));
        };
        Ok(match operation {
            Operation::Ping => nothing(suite, Suite::ping),
            Operation::EchoString => echo_string(suite, elements),
            Operation::EchoOctets => echo(suite, elements, Suite::echo_octets),
            Operation::EchoLongs => echo(suite, elements, Suite::echo_longs),
            Operation::EchoDoubles => echo(suite, elements, Suite::echo_doubles),
            Operation::EchoStructs => echo(suite, elements, Suite::echo_structs),
            Operation::SumStructs => sum(&suite, elements, Sums::sum_structs),
            Operation::ViewStructs => sum(&suite, elements, Sums::view_structs),
            Operation::CubeVoid => nothing(suite, Suite::cube_void),
            Operation::CubeOctet => cube_one(suite, |suite, value| suite.cube_octet(*value)),
            Operation::CubeLong => cube_one(suite, |suite, value| suite.cube_long(*value)),
            Operation::CubeStruct => cube_one(suite, Suite::cube_struct),
            Operation::CubeOctets => cube_many(suite, elements, Suite::cube_octets),
            Operation::CubeShorts => cube_many(suite, elements, Suite::cube_shorts),
            Operation::CubeLongs => cube_many(suite, elements, Suite::cube_longs),
            Operation::CubeStructs => cube_many(suite, elements, Suite::cube_structs),
            other => {
                let work = match other.element() {
                    Element::Octet => dynamic::work::<u8>(&suite, other, elements)?,
                    Element::Long => dynamic::work::<i32>(&suite, other, elements)?,
                    Element::Double => dynamic::work::<f64>(&suite, other, elements)?,
                    Element::Struct => dynamic::work::<BinStruct>(&suite, other, elements)?,
                    _ => None,
                };
                return work.ok_or_else(|| Refusal::Unsupported(format!("{other} has no reply")));
            }
        })
    }

    fn server_cpu_ns(&self) -> Result<Option<u64>> {
        let is_elsewhere = self.shared.is_some();
        // The question is a call, which time probes would record as a measured one.
        let may_ask = is_elsewhere && !zorb_os::probe::ON;
        Ok(if may_ask { Some(self.suite.sync()?.cpu_ns) } else { None })
    }

    fn flood(&self, operation: Operation, elements: usize) -> Result<Box<dyn Flooding>, Refusal> {
        floods::flood(self.arguments.engine, self.suite.as_object(), operation, elements)
    }
}

/// Pending calls without argument or result.
struct Pipelined {
    suite: Suite,
    pending: Vec<Pending<()>>,
}

impl Pipelined {
    const fn new(suite: Suite) -> Self {
        Self { suite, pending: Vec::new() }
    }
}

impl TwoWay for Pipelined {
    fn make(&mut self, _: u32, count: u32) -> Result<u64> {
        let start = MonotonicTime::now();
        let object = self.suite.as_object();
        let send = |_| object.send("ping", |_| Ok(()), |_| Ok(()));
        self.pending.extend((0..count).map(send));
        self.pending.drain(..).try_for_each(Pending::wait)?;
        Ok(MonotonicTime::now().nanos_since(start))
    }
}

#[cfg(test)]
mod tests;
