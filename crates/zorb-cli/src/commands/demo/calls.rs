//! The calls of the demo, and the checks of their replies.

use std::time::{Duration, Instant};

use zorb::{Interface, ObjectRef, Raises};
use zorb_bench::demo::sensors::LatestError;
use zorb_bench::demo::{
    self, Echo, Herald, Listener, Lobby, NoSuchSensor, Reading, SENSORS, Sensors,
};

use super::exchange::{Exchange, Sizes};
use super::relay::Relay;
use crate::failure::Failure;

/// The length of the octet sequence.
const OCTETS: usize = 4096;
/// The length of the sequence of structs.
const READINGS: u32 = 64;

/// A call of an operation.
pub(super) struct Call {
    /// The name in the table.
    pub(super) name: &'static str,
    make: Box<dyn Fn(u32) -> Result<Duration, Failure>>,
}

impl Call {
    /// Makes the call with arguments that depend on `number`, and checks the reply; returns the
    /// duration of the call without the check.
    pub(super) fn make(&self, number: u32) -> Result<Duration, Failure> {
        (self.make)(number)
    }
}

/// The objects called, and the callback object.
pub(super) struct Objects {
    echo: Echo,
    sensors: Sensors,
    herald: Herald,
    listener: Listener,
}

impl Objects {
    /// Resolves the server's objects, and activates the client's.
    pub(super) fn resolve(orb: &zorb::Orb, lobby: &str) -> Result<Self, Failure> {
        let lobby: Lobby = orb.resolve(lobby)?;
        let listener = demo::listen(&orb.root_poa());
        Ok(Self {
            echo: present(lobby.the_echo())?,
            sensors: present(lobby.the_sensors())?,
            herald: present(lobby.the_herald())?,
            listener: listener.map_err(zorb::Error::from)?,
        })
    }

    /// The same objects, reached through relays.
    fn through(&self, orb: &zorb::Orb, server: &Relay, client: &Relay) -> Result<Self, Failure> {
        Ok(Self {
            echo: redirected(orb, server, &self.echo)?,
            sensors: redirected(orb, server, &self.sensors)?,
            herald: redirected(orb, server, &self.herald)?,
            listener: redirected(orb, client, &self.listener)?,
        })
    }
}

fn present<T>(reference: zorb::Result<Option<T>>) -> Result<T, Failure> {
    let reference = reference.map_err(zorb::Error::from)?;
    reference.ok_or_else(|| Failure::new("the lobby returned a nil reference"))
}

fn redirected<T: Interface>(orb: &zorb::Orb, relay: &Relay, object: &T) -> Result<T, Failure> {
    let object: ObjectRef = relay.redirect(orb, object.as_object())?;
    Ok(T::from_object(object))
}

/// The calls to make, in the order of the table.
pub(super) fn calls(objects: &Objects) -> Vec<Call> {
    let Objects { echo, sensors, herald, listener } = objects;
    let call = |name, make| Call { name, make };
    vec![
        call("void", void(echo.clone())),
        call("long", long(echo.clone())),
        call("string", string(echo.clone())),
        call("octets_4k", octets(echo.clone())),
        call("structs", structs(sensors.clone())),
        call("exception", exception(sensors.clone())),
        call("callback", callback(herald.clone(), listener.clone())),
    ]
}

/// Determines the size of each call on the wire by making it through a relay.
pub(super) fn sizes(orb: &zorb::Orb, objects: &Objects) -> Result<Vec<Sizes>, Failure> {
    let server = Relay::before(objects.echo.as_object())?;
    let client = Relay::before(objects.listener.as_object())?;
    let calls = calls(&objects.through(orb, &server, &client)?);
    let mut sizes = Vec::new();
    for call in &calls {
        // The first request of a connection also negotiates the code sets.
        call.make(0)?;
        let _ = (server.take(), client.take());
        call.make(1)?;
        let callback = client.take();
        let callback = (callback != Exchange::default()).then_some(callback);
        sizes.push(Sizes { call: server.take(), callback });
    }
    Ok(sizes)
}

type Make = Box<dyn Fn(u32) -> Result<Duration, Failure>>;

fn void(echo: Echo) -> Make {
    Box::new(move |_| Ok(timed(|| echo.nothing())?.1))
}

fn long(echo: Echo) -> Make {
    Box::new(move |number| {
        let (a, b) = (number.cast_signed(), 0x0102_0304);
        let (sum, time) = timed(|| echo.add(a, b))?;
        checked(time, sum == a.wrapping_add(b))
    })
}

fn string(echo: Echo) -> Make {
    Box::new(move |number| {
        let name = format!("caller {number:08}");
        let (greeting, time) = timed(|| echo.greet(&name))?;
        let rest = greeting.strip_prefix("Hello ").and_then(|rest| rest.strip_suffix('!'));
        checked(time, rest == Some(&name))
    })
}

fn octets(echo: Echo) -> Make {
    let data: Vec<u8> = (0..=u8::MAX).cycle().take(OCTETS).collect();
    let expected: Vec<u8> = data.iter().map(|octet| !octet).collect();
    Box::new(move |_| {
        let (inverted, time) = timed(|| echo.invert(&data))?;
        checked(time, inverted == expected)
    })
}

fn structs(sensors: Sensors) -> Make {
    let reading = |sensor: u32| Reading {
        sensor,
        taken_at: i64::from(sensor) << 33,
        value: f64::from(sensor) / 4.0,
    };
    let readings: Vec<Reading> = (0..READINGS).map(reading).collect();
    Box::new(move |number| {
        let offset = f64::from(number);
        let (calibrated, time) = timed(|| sensors.calibrate(&readings, offset))?;
        let mut pairs = readings.iter().zip(&calibrated);
        let right = pairs.all(|(before, after)| {
            let Reading { sensor, taken_at, value } = *after;
            (sensor, taken_at) == (before.sensor, before.taken_at) && value == before.value + offset
        });
        checked(time, right && calibrated.len() == readings.len())
    })
}

fn exception(sensors: Sensors) -> Make {
    Box::new(move |number| {
        let wrong = SENSORS + number % 1024;
        let start = Instant::now();
        let outcome = sensors.latest(wrong);
        let time = start.elapsed();
        match outcome {
            Err(LatestError::NoSuchSensor(NoSuchSensor { sensor })) => {
                checked(time, sensor == wrong)
            }
            Err(LatestError::System(exception)) => Err(zorb::Error::from(exception).into()),
            Ok(_) => checked(time, false),
        }
    })
}

fn callback(herald: Herald, listener: Listener) -> Make {
    Box::new(move |number| {
        let value = number.cast_signed();
        let (answer, time) = timed(|| herald.tell(Some(&listener), value))?;
        checked(time, answer == value.wrapping_add(1))
    })
}

fn timed<T, E: Raises>(call: impl FnOnce() -> Result<T, E>) -> Result<(T, Duration), Failure> {
    let start = Instant::now();
    let outcome = call();
    let time = start.elapsed();
    match outcome {
        Ok(reply) => Ok((reply, time)),
        Err(raised) => Err(zorb::Error::from(raised).into()),
    }
}

fn checked(time: Duration, right: bool) -> Result<Duration, Failure> {
    if right { Ok(time) } else { Err(Failure::new("the reply is wrong")) }
}

#[cfg(test)]
mod tests;
