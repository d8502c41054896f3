//! Copies of programs that use another port of this machine than the one they name, which anybody may
//! have.
#![allow(unreachable_pub, reason = "tests of several packages have it")]

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Ports with the same number of digits that the system does not assign by itself.
const PORTS: std::ops::Range<u16> = 1024..10_000;

/// Writes a copy of the program `$1` to `$2` that has `$4` where that has `$3`. A process of its own
/// does it: one that is started meanwhile by another thread of this one could have the copy open for a
/// moment, and what is open for writing cannot be run.
const COPY: &str = "LC_ALL=C sed \"s/$3/$4/g\" \"$1\" > \"$2\" && chmod +x \"$2\"";

/// Programs in a folder of their own, which goes with this.
#[derive(Debug)]
pub struct Relocated {
    folder: PathBuf,
    /// The port that they use.
    pub port: u16,
}

impl Relocated {
    /// Copies of `programs`, which name the port `named`, of four digits, at 127.0.0.1.
    ///
    /// # Errors
    /// When one does not name it, or cannot be copied.
    pub fn copies(programs: &[&Path], named: u16) -> io::Result<Self> {
        let own = usize::try_from(std::process::id()).unwrap_or_default();
        let all = PORTS.cycle().skip(own * 16 % PORTS.len()).take(PORTS.len());
        let mut free = all.filter(|&port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok());
        let port = free.next().ok_or(io::ErrorKind::AddrInUse)?;
        let folder = std::env::temp_dir().join(format!("zorb-port-{port}-of-{own}"));
        std::fs::create_dir_all(&folder)?;
        let copies = Self { folder, port };
        for program in programs {
            copies.add(program, named)?;
        }
        Ok(copies)
    }

    /// Where the copy of a program is.
    pub fn of(&self, program: &Path) -> PathBuf {
        self.folder.join(program.file_name().unwrap_or_default())
    }

    fn add(&self, program: &Path, named: u16) -> io::Result<()> {
        let copy = self.of(program);
        let mut command = Command::new("sh");
        command.args(["-c", COPY, "sh"]).arg(program).arg(&copy);
        // The compiler may have cut the address in two.
        command.arg(format!(":{named}")).arg(format!(":{}", self.port));
        let status = command.status()?;
        let (was, is) = (std::fs::read(program)?, std::fs::read(copy)?);
        if status.success() && was.len() == is.len() && (was != is || named == self.port) {
            return Ok(());
        }
        let what =
            format!("{}: no copy at port {} in place of {named}", program.display(), self.port);
        Err(io::Error::new(io::ErrorKind::InvalidData, what))
    }
}

impl Drop for Relocated {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
