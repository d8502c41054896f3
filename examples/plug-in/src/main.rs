//! A server that listens on all protocols, and a client that calls it over each of them.

use plug_in::plug_in;
use zorb::{Interface, Orb};

zorb::include_idl!("weather");
use weather::{Station, StationServant};

struct Thermometer;

impl StationServant for Thermometer {
    fn temperature(&self, place: &str) -> zorb::Result<f64> {
        Ok(if place == "Longyearbyen" { -8.5 } else { 21.0 })
    }
}

fn main() -> Result<(), zorb::Error> {
    let server = plug_in(Orb::builder())
        .listen("iiop://127.0.0.1:0")
        .listen("hail://127.0.0.1:0")
        .listen("brief+hail://127.0.0.1:0")
        .listen("brief+iiop://127.0.0.1:0")
        .build()?;
    let station: Station = server.root_poa().activate(Thermometer)?;
    let reference = station.as_object().ior().clone();
    for (profile, url) in reference.profiles.iter().zip(server.endpoints()) {
        let mut one_way = reference.clone();
        one_way.profiles = vec![profile.clone()];
        let text = one_way.to_stringified()?;
        let client = plug_in(Orb::builder()).build()?;
        let station: Station = client.resolve(&text)?;
        let scheme = url.split("://").next().unwrap_or_default();
        println!("{scheme}: {} degrees", station.temperature("Longyearbyen")?);
    }
    server.shutdown(true)
}
