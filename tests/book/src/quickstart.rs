//! A first service: a clock.

use std::time::{SystemTime, UNIX_EPOCH};

use zorb::Orb;

zorb::include_idl!("clock");
use clock::{Teller, TellerServant, UnknownZone, teller};

/// Returns this machine's time.
#[derive(Debug)]
pub struct MyTeller;

impl TellerServant for MyTeller {
    fn seconds_since_midnight(
        &self,
        zone: &str,
    ) -> zorb::Result<u32, teller::SecondsSinceMidnightError> {
        let Some(offset) = offset(zone) else {
            return Err(UnknownZone { zone: zone.to_owned() }.into());
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let local = now.as_secs() as i64 + offset;
        Ok(local.rem_euclid(24 * 60 * 60) as u32)
    }
}

/// Seconds by which `zone` is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone == "UTC" {
        return Some(0);
    }
    let (sign, offset) = match zone.strip_prefix('-') {
        Some(offset) => (-1, offset),
        None => (1, zone.strip_prefix('+')?),
    };
    let (hours, minutes) = offset.split_once(':')?;
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    Some(sign * (i64::from(hours) * 3600 + i64::from(minutes) * 60))
}

/// The server's `main`.
pub fn serve() -> Result<(), zorb::Error> {
    let orb = Orb::builder().listen("iiop://127.0.0.1:2810").build()?;
    let teller: Teller = orb.root_poa().activate(MyTeller)?;
    orb.publish("clock", &teller)?;
    orb.run_until_signal()
}

/// The client's `main`.
pub fn ask() -> Result<(), zorb::Error> {
    let orb = Orb::new()?;
    let teller: Teller = orb.resolve("corbaloc::127.0.0.1:2810/clock")?;
    for zone in ["UTC", "+02:00", "Atlantis"] {
        match teller.seconds_since_midnight(zone) {
            Ok(seconds) => println!("{zone}: {:02}:{:02}", seconds / 3600, seconds / 60 % 60),
            Err(teller::SecondsSinceMidnightError::UnknownZone(unknown)) => {
                println!("unknown zone {:?}", unknown.zone);
            }
            Err(other) => return Err(other.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_knows_zones() {
        assert_eq!(offset("UTC"), Some(0));
        assert_eq!(offset("+02:00"), Some(7200));
        assert_eq!(offset("-03:30"), Some(-12600));
        assert_eq!(offset("-00:30"), Some(-1800));
        assert_eq!(offset("+00:30"), Some(1800));
        assert_eq!(offset("Atlantis"), None);
    }

    #[test]
    fn the_clock_answers_another_orb() {
        let server = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let server = server.build().unwrap();
        let teller: Teller = server.root_poa().activate(MyTeller).unwrap();
        server.publish("clock", &teller).unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        let address = server.endpoints()[0].trim_start_matches("iiop://").to_owned();
        let teller: Teller = client.resolve(&format!("corbaloc::{address}/clock")).unwrap();
        let (utc, moved) = (
            teller.seconds_since_midnight("UTC").unwrap(),
            teller.seconds_since_midnight("+02:00").unwrap(),
        );
        assert!(utc < 86_400 && moved < 86_400);
        let error = teller.seconds_since_midnight("Atlantis").unwrap_err();
        assert_eq!(error, UnknownZone { zone: "Atlantis".to_owned() }.into());
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}
