//! The server of the demo, in the second process.

use std::io::Read;
use std::process::exit;

use zorb_bench::demo;

use super::raw;
use super::server_process::{LOBBY, RAW};
use crate::failure::{FAILED, OK, Outcome};
use crate::screen;

/// Serves until standard input is closed, at the latest when the parent process ends.
pub(crate) fn serve(arguments: &[String]) -> Outcome {
    let raw_address = raw::serve()?;
    let orb = crate::orb::builder()
        .arguments(&mut arguments.to_vec())
        .force(|orb| orb.listen("iiop://127.0.0.1:0"))
        .build()?;
    let lobby = demo::serve(&orb.root_poa()).map_err(zorb::Error::from)?;
    let ior = zorb::Interface::as_object(&lobby).to_ior_string();
    screen::print(&format!("{LOBBY} {ior}\n{RAW} {raw_address}\n"))?;
    // The parent writes nothing: this read waits for the end.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    let ended = orb.shutdown(true);
    // The threads of the raw server are still blocked in reads.
    exit(i32::from(if ended.is_ok() { OK } else { FAILED }))
}
