//! The server of the demo, in the second process.

use std::io::Read;
use std::process::exit;

use super::idl;
use super::idl::{
    Echo, EchoServant, Herald, HeraldServant, Listener, Lobby, LobbyServant, NoSuchSensor, Reading,
    Sensors, SensorsServant,
};
use super::raw;
use super::server_process::{LOBBY, RAW};
use crate::failure::{FAILED, Failure, OK, Outcome};
use crate::screen;

/// The number of sensors.
pub(super) const SENSORS: u32 = 8;

/// Serves until standard input is closed, at the latest when the parent process ends.
pub(crate) fn serve(arguments: &[String]) -> Outcome {
    let raw_address = raw::serve()?;
    let orb = zorb::Orb::builder()
        .arguments(&mut arguments.to_vec())
        .force(|orb| orb.listen("iiop://127.0.0.1:0"))
        .build()?;
    let poa = orb.root_poa();
    let activation = |error: zorb::poa::PoaError| Failure::new(error.to_string());
    let lobby: Lobby = poa
        .activate(Entrance {
            echo: poa.activate(Answers).map_err(activation)?,
            sensors: poa.activate(Answers).map_err(activation)?,
            herald: poa.activate(Answers).map_err(activation)?,
        })
        .map_err(activation)?;
    let ior = zorb::Interface::as_object(&lobby).to_ior_string();
    screen::print(&format!("{LOBBY} {ior}\n{RAW} {raw_address}\n"))?;
    // The parent writes nothing: this read waits for the end.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    let ended = orb.shutdown(true);
    // The threads of the raw server are still blocked in reads.
    exit(i32::from(if ended.is_ok() { OK } else { FAILED }))
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

pub(super) struct Answers;

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

    fn latest(&self, sensor: u32) -> zorb::Result<f64, idl::sensors::LatestError> {
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
