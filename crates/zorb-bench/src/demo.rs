//! The objects of `zorb demo`. They are here, not in the program, because a release build optimizes this crate fully.

use zorb::poa::{Poa, PoaError};

use crate::stubs::demo::sensors::LatestError;
pub use crate::stubs::demo::{
    Echo, EchoServant, Herald, HeraldServant, Listener, ListenerServant, Lobby, LobbyServant,
    NoSuchSensor, Reading, Sensors, SensorsServant, sensors,
};

/// The number of sensors.
pub const SENSORS: u32 = 8;

/// Activates the server's objects, and returns the lobby, which has references to the others.
///
/// # Errors
/// The adapter refuses an object.
pub fn serve(poa: &Poa) -> Result<Lobby, PoaError> {
    poa.activate(Entrance {
        echo: poa.activate(Answers)?,
        sensors: poa.activate(Answers)?,
        herald: poa.activate(Answers)?,
    })
}

/// Activates the client's object, which the server calls back.
///
/// # Errors
/// The adapter refuses it.
pub fn listen(poa: &Poa) -> Result<Listener, PoaError> {
    poa.activate(Called)
}

struct Called;

impl ListenerServant for Called {
    fn heard(&self, value: i32) -> zorb::Result<i32> {
        Ok(value.wrapping_add(1))
    }
}

struct Entrance {
    echo: Echo,
    sensors: Sensors,
    herald: Herald,
}

impl LobbyServant for Entrance {
    fn the_echo(&self) -> zorb::Result<Option<Echo>> {
        Ok(Some(self.echo.clone()))
    }

    fn the_sensors(&self) -> zorb::Result<Option<Sensors>> {
        Ok(Some(self.sensors.clone()))
    }

    fn the_herald(&self) -> zorb::Result<Option<Herald>> {
        Ok(Some(self.herald.clone()))
    }
}

/// Serves all interfaces but `Lobby`.
#[derive(Debug)]
pub struct Answers;

impl EchoServant for Answers {
    fn nothing(&self) -> zorb::Result<()> {
        Ok(())
    }

    fn add(&self, a: i32, b: i32) -> zorb::Result<i32> {
        Ok(a.wrapping_add(b))
    }

    fn greet(&self, name: &str) -> zorb::Result<String> {
        Ok(format!("Hello {name}!"))
    }

    fn invert(&self, data: &[u8]) -> zorb::Result<Vec<u8>> {
        Ok(data.iter().map(|octet| !octet).collect())
    }
}

impl SensorsServant for Answers {
    fn calibrate(&self, readings: &[Reading], offset: f64) -> zorb::Result<Vec<Reading>> {
        let calibrated = |reading: &Reading| Reading { value: reading.value + offset, ..*reading };
        Ok(readings.iter().map(calibrated).collect())
    }

    fn latest(&self, sensor: u32) -> zorb::Result<f64, LatestError> {
        if sensor < SENSORS { Ok(f64::from(sensor)) } else { Err(NoSuchSensor { sensor }.into()) }
    }
}

impl HeraldServant for Answers {
    fn tell(&self, listener: Option<&Listener>, value: i32) -> zorb::Result<i32> {
        match listener {
            Some(listener) => listener.heard(value),
            None => Err(zorb::SystemException::inv_objref(
                zorb::MinorCode(0),
                zorb::CompletionStatus::No,
            )),
        }
    }
}
