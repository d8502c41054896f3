//! The size of omniORB's stubs and skeletons.

use std::io;
use std::path::Path;
use std::process::Command;

use super::object;
use super::parts::OTHERS;
use super::{Octets, expect_success};

/// The naming service's stubs and skeletons are in omniORB's library, and its headers contain them.
const IN_LIBRARY: &str = "CosNaming";

/// Headers that generated code includes, and that need not contain anything: one is for Windows, one for
/// [`IN_LIBRARY`].
const EMPTY: [&str; 2] = ["COS_sysdep.h", "CosNaming.hh"];

/// The octets of the stubs and skeletons of IDL files together, which omniORB's IDL compiler writes to one file for each,
/// at an optimization level; `None` without that compiler, or if they are in omniORB's library.
pub(super) fn sizes(root: &Path, level: &str, files: &[&Path]) -> io::Result<Option<Octets>> {
    let folder = root.join("target/stubsize/omniorb");
    std::fs::create_dir_all(&folder)?;
    EMPTY.iter().try_for_each(|name| std::fs::write(folder.join(name), ""))?;
    if files.iter().any(|file| file.file_stem().is_some_and(|stem| stem == IN_LIBRARY)) {
        return Ok(None);
    }
    let others: Vec<&Path> = Path::new(OTHERS).ancestors().take(2).collect();
    let mut sum = Octets::default();
    for file in files {
        let mut compiler = Command::new("omniidl");
        compiler.arg("-bcxx").arg("-C").arg(&folder);
        for include in file.ancestors().skip(1).take(2).chain(others.iter().copied()) {
            compiler.arg("-I").arg(include);
        }
        match compiler.arg(file).status() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            status => expect_success("omniidl", status?.success())?,
        }
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let object = folder.join(format!("{stem}.o"));
        let mut compiler = Command::new("g++");
        compiler.args(["-std=c++20", &format!("-O{level}"), "-DNDEBUG", "-pthread", "-c"]);
        compiler.arg("-I").arg(&folder);
        compiler.arg(folder.join(format!("{stem}SK.cc"))).arg("-o").arg(&object);
        expect_success("g++", compiler.status()?.success())?;
        let octets = object::sizes(&object)?;
        sum.iter_mut().zip(octets).for_each(|(sum, octets)| *sum += octets);
    }
    Ok(Some(sum))
}
