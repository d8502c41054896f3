//! Random types and values, compared with omniORB by seed.
//!
//! Each seed makes an IDL file up. `zorb ifr` and omniidl must find the same types in it; values of these types travel
//! in anys to a server of omniORB, which tells what it read and sends them back.

mod generator;
mod idl;
mod types;
mod values;

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use zorb::dynamic::DynAny;
use zorb::{Interface as _, Orb, TypeCode};
use zorb_ifr::corba;
use zorb_interop_tests::random::Mirror;

use crate::outcome::Outcome;
use crate::pairings::orb;
use crate::peers::{self, OMNIORB};
use crate::process::{LIMIT, Process};
use generator::Generator;
use values::Values;

/// The seeds of a usual run; `RANDOM_SEEDS=0..1000` chooses others.
const SEEDS: Range<u64> = 0..8;
/// Values of each type.
const VALUES: usize = 4;

/// Compares all seeds with a server of omniORB.
pub(crate) fn run(pairing: &str) -> Result<Vec<Outcome>, String> {
    let folder = tempfile::tempdir().map_err(told)?;
    let file = folder.path().join("mirror.ior");
    let mut command = peers::program(OMNIORB, "random");
    command.arg("--ior-file").arg(&file);
    let mut server = Process::start("the mirror of omniorb", &mut command)?;
    server.wait_until(|_| file.exists())?;
    let reference = std::fs::read_to_string(&file).map_err(told)?;
    let orb = orb()?;
    let mirror: Mirror = orb.resolve(reference.trim()).map_err(told)?;
    let mut outcomes = Vec::new();
    for seed in seeds()? {
        let compared = compare(seed, folder.path(), &orb, &mirror).map_err(|failure| {
            format!(
                "{failure}\nto repeat it: RANDOM_SEEDS={seed}..{} cargo test -p zorb-interop-tests -- {pairing}",
                seed + 1
            )
        });
        outcomes.push(Outcome::judged(pairing, &format!("seed_{seed}"), compared));
    }
    let ended = orb.shutdown(true).map_err(told);
    outcomes.push(Outcome::judged(pairing, "client_ends", ended));
    outcomes.push(Outcome::judged(pairing, "server_ends", server.end_well()));
    Ok(outcomes)
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn seeds() -> Result<Range<u64>, String> {
    let Ok(text) = std::env::var("RANDOM_SEEDS") else { return Ok(SEEDS) };
    let ends =
        text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    ends.ok_or_else(|| format!("RANDOM_SEEDS is {text:?}, not of the form 0..8"))
}

fn compare(seed: u64, folder: &Path, orb: &Orb, mirror: &Mirror) -> Result<(), String> {
    let idl = idl::of_seed(seed);
    let file = folder.join(format!("seed{seed}.idl"));
    std::fs::write(&file, &idl.text).map_err(told)?;
    let types = types(&file, &idl.names, orb)?;
    same_types(&file, &idl.names, &types)?;
    let mut random = Generator::new(!seed);
    let mut values = Values { random: &mut random, types: &types };
    for (name, ty) in idl.names.iter().zip(&types) {
        for _ in 0..VALUES {
            same_value(&mut values, ty, mirror).map_err(|failure| format!("{name}: {failure}"))?;
        }
    }
    Ok(())
}

/// The TypeCodes that `zorb ifr` has for the file.
fn types(file: &Path, names: &[String], orb: &Orb) -> Result<Vec<TypeCode>, String> {
    let mut command = peers::zorb();
    command.args(["ifr", "--listen", "iiop://127.0.0.1:0"]).arg("--idl").arg(file);
    let mut process = Process::start("zorb ifr", &mut command)?;
    let mut reference = String::new();
    process.wait_until(|line| {
        reference = line.to_owned();
        line.starts_with("IOR:")
    })?;
    let repository: corba::Repository = orb.resolve(&reference).map_err(told)?;
    names
        .iter()
        .map(|name| {
            let found = repository.lookup(name).map_err(told)?;
            let found = found.ok_or_else(|| format!("the repository has no {name}"))?;
            let found: corba::IdlType = found.as_object().unchecked_narrow();
            found.r#type().map_err(|error| format!("{name}: {error}"))
        })
        .collect()
}

/// omniidl finds the same types.
fn same_types(file: &Path, names: &[String], types: &[TypeCode]) -> Result<(), String> {
    let back_end = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/omniorb/random");
    let mut command = Command::new("omniidl");
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command.arg("-p").arg(back_end).args(["-b", "typecodes"]).arg(file);
    let process = Process::start("omniidl", &mut command)?;
    let (said, status) = process.end_with_errors(LIMIT)?;
    if !status.success() {
        return Err(format!("omniidl ends with {status}: {said}"));
    }
    for (name, ty) in names.iter().zip(types) {
        let expected = types::line(name, ty).map_err(told)?;
        if !said.lines().any(|line| line == expected) {
            let start = format!("{name} ");
            let theirs = said.lines().find(|line| line.starts_with(&start));
            return Err(format!("the types differ:\nZorb    {expected}\nomniORB {theirs:?}"));
        }
    }
    Ok(())
}

/// The peer reads a value of this type as it is, and sends it back.
fn same_value(values: &mut Values<'_>, ty: &TypeCode, mirror: &Mirror) -> Result<(), String> {
    let value = values.of(ty, 0);
    let expected = value.described(ty);
    let any = value.to_any(ty).map_err(|error| format!("{error} in {expected}"))?;
    let described = mirror.describe(&any).map_err(|error| format!("{error} from {expected}"))?;
    if described != expected {
        return Err(format!("the values differ:\nZorb    {expected}\nomniORB {described}"));
    }
    let back = mirror.echo(&any).map_err(|error| format!("{error} from {expected}"))?;
    if !back.type_code().equal(ty) {
        return Err(format!("another type comes back: {}", back.type_code()));
    }
    let same = |other| DynAny::of(any.clone())?.equal(&DynAny::of(other)?);
    match same(back) {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!("another value comes back for {expected}")),
        Err(error) => Err(format!("{error} in what comes back for {expected}")),
    }
}
