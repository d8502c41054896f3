//! Zorb's server.

use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::Duration;

use zorb::SequenceView;
use zorb::poa::PoaError;

use super::tallies::Tallies;
use super::{dsi, floods};
use crate::error::{Error, Result};
use crate::peer::arguments::{Engine, PeerArguments};
use crate::peer::process::{CLOSE_TIMEOUT, UNSUPPORTED};
use crate::stubs::bench::{
    BinStruct, BinStructs, CubeStruct, CubeStructs, CubitServant, Doubles, EchoServant, Longs,
    Octets, PaddedStruct, Shorts, SinkServant, Suite, SuiteServant, Sums, SumsServant, Tally,
};
use crate::transport::bare_transport;
use crate::values::Cubed;

/// No other thread takes over from a long upcall, so that calls of a flood are served in order on a
/// busy machine, too.
const STALL_TAKEOVER: Duration = Duration::from_secs(3600);

/// Serves until standard input closes.
pub(in crate::peer) fn serve(arguments: &PeerArguments) -> Result<u8> {
    let scheme = arguments.transport.as_str();
    let url = match (bare_transport(scheme), &arguments.path) {
        ("iiop", _) => format!("{scheme}://127.0.0.1:0"),
        (_, Some(path)) => format!("{scheme}://{}", path.display()),
        (_, None) => return Err(Error::new("this transport needs --path")),
    };
    let orb = super::options::orb(arguments).force(|orb| {
        orb.max_connections(arguments.connections).stall_takeover(STALL_TAKEOVER).listen(url)
    });
    let orb = orb.build();
    let orb = match orb {
        // Only TCP is always available.
        Err(error) if arguments.transport != "iiop" => {
            eprintln!("{error}");
            return Ok(UNSUPPORTED);
        }
        orb => orb?,
    };
    let suite = activate(arguments, &orb)?;
    let ior = zorb::Interface::as_object(&suite).to_ior_string();
    crate::peer::process::serve_until_the_end(&ior)?;
    // Closing thousands of connections takes time; some of the peers have already ended.
    let (sender, ended) = channel();
    Builder::new().name("shutdown".to_owned()).spawn(move || sender.send(orb.shutdown(true)))?;
    if let Ok(outcome) = ended.recv_timeout(CLOSE_TIMEOUT) {
        outcome?;
    }
    Ok(0)
}

/// Activates the object.
pub(super) fn activate(arguments: &PeerArguments, orb: &zorb::Orb) -> Result<Suite> {
    let poa = &orb.root_poa();
    Ok(match arguments.engine {
        Engine::Compiled => {
            let sums: Result<Sums, PoaError> = poa.activate(Everything::default());
            sums?.into()
        }
        Engine::Interpretive => floods::interpretive::activate(poa)?.unchecked_narrow(),
        Engine::View => floods::viewed::activate(poa)?.unchecked_narrow(),
        Engine::Dsi => dsi::activate(poa)?.unchecked_narrow(),
    })
}

/// Serves `Bench::Sums`.
#[derive(Debug, Default)]
pub(crate) struct Everything(Tallies);

fn cubes<T: Cubed>(numbers: &[T]) -> Vec<T> {
    numbers.iter().map(|number| number.cubed()).collect()
}

impl EchoServant for Everything {
    fn ping(&self) -> zorb::Result<()> {
        Ok(())
    }

    fn echo_string(&self, data: &str) -> zorb::Result<String> {
        Ok(data.to_owned())
    }

    fn echo_octets(&self, data: &[u8]) -> zorb::Result<Octets> {
        Ok(data.to_vec())
    }

    fn echo_longs(&self, data: &[i32]) -> zorb::Result<Longs> {
        Ok(data.to_vec())
    }

    fn echo_doubles(&self, data: &[f64]) -> zorb::Result<Doubles> {
        Ok(data.to_vec())
    }

    fn echo_structs(&self, data: &[BinStruct]) -> zorb::Result<BinStructs> {
        Ok(data.to_vec())
    }
}

impl CubitServant for Everything {
    fn cube_void(&self) -> zorb::Result<()> {
        Ok(())
    }

    fn cube_octet(&self, number: u8) -> zorb::Result<u8> {
        Ok(number.cubed())
    }

    fn cube_long(&self, number: i32) -> zorb::Result<i32> {
        Ok(number.cubed())
    }

    fn cube_struct(&self, numbers: &CubeStruct) -> zorb::Result<CubeStruct> {
        Ok(numbers.cubed())
    }

    fn cube_octets(&self, numbers: &[u8]) -> zorb::Result<Octets> {
        Ok(cubes(numbers))
    }

    fn cube_shorts(&self, numbers: &[i16]) -> zorb::Result<Shorts> {
        Ok(cubes(numbers))
    }

    fn cube_longs(&self, numbers: &[i32]) -> zorb::Result<Longs> {
        Ok(cubes(numbers))
    }

    fn cube_structs(&self, numbers: &[CubeStruct]) -> zorb::Result<CubeStructs> {
        Ok(cubes(numbers))
    }
}

impl SinkServant for Everything {
    fn send_shorts(&self, data: &[i16]) {
        self.0.count(data);
    }

    fn send_chars(&self, data: &[char]) {
        self.0.count(data);
    }

    fn send_longs(&self, data: &[i32]) {
        self.0.count(data);
    }

    fn send_octets(&self, data: &[u8]) {
        self.0.count(data);
    }

    fn send_doubles(&self, data: &[f64]) {
        self.0.count(data);
    }

    fn send_structs(&self, data: &[BinStruct]) {
        self.0.count(data);
    }

    fn send_padded(&self, data: &[PaddedStruct]) {
        self.0.count(data);
    }

    fn sync(&self) -> zorb::Result<Tally> {
        let crate::peer::client::Tally { calls, elements, sum, cpu_ns } = self.0.take();
        Ok(Tally { calls, elements, sum, cpu_ns })
    }
}

impl SuiteServant for Everything {}

impl SumsServant for Everything {
    fn sum_structs(&self, data: &[BinStruct]) -> zorb::Result<i64> {
        Ok(data.iter().map(|value| i64::from(value.l)).sum())
    }

    fn view_structs(&self, data: SequenceView<'_, BinStruct>) -> zorb::Result<i64> {
        Ok(data.iter().map(|value| i64::from(value.l())).sum())
    }
}
