//! The commands and recipes of the book for services, as an operator runs them: with the standard's port and the usual
//! folders, each on a host of its own.
//!
//! The tests need Linux's namespaces, `systemd-analyze`, and the program `zorb`, which tests of the whole workspace build.
//! Without these they are ignored, with the reason; `REQUIRE_TOOLS=1` makes that a failure.
#![allow(clippy::unwrap_used, clippy::panic)]

mod host;
mod recipe;

use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};

use recipe::Page;

const NAMING: Page = Page(include_str!("../../../../docs/src/naming.md"));
const IMR: Page = Page(include_str!("../../../../docs/src/imr.md"));

fn main() -> ExitCode {
    let host = host::missing();
    let tests: [(&str, fn()); 3] = [
        ("one_command_serves_everything", one_command_serves_everything),
        ("a_container_keeps_its_servers", a_container_keeps_its_servers),
        ("the_unit_of_the_repository_serves", the_unit_of_the_repository_serves),
    ];
    let on_hosts = tests.map(|(name, test)| trial(name, host.clone(), test));
    let verifying = trial("systemd_accepts_the_unit", missing_verifier(), systemd_accepts_the_unit);
    let trials = on_hosts.into_iter().chain([verifying]).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A test, unless something that it needs is missing.
fn trial(name: &str, missing: Option<String>, test: fn()) -> Trial {
    let required = std::env::var_os("REQUIRE_TOOLS").is_some_and(|value| value != "0");
    match missing {
        None => Trial::test(name, move || {
            test();
            Ok(())
        }),
        Some(reason) if required => Trial::test(name, || Err(reason.into())),
        Some(reason) => {
            Trial::test(format!("{name} ({reason})"), || Ok(())).with_ignored_flag(true)
        }
    }
}

fn one_command_serves_everything() {
    let serve = NAMING.command("zorb serve --all --store");
    let probe = NAMING.span("zorb ping --ready");
    let said = host::run(&format!(
        "serve {serve}
        {probe} > /run/answered
        for name in NameService InterfaceRepository ImplRepoService ScheduleService; do
          zorb ping -c 1 \"corbaloc::localhost:2809/$name\" > /run/answered
        done
        zorb names ls
        zorb names bind plant/pump corbaloc::localhost:1/pump --parents
        zorb imr add Bank -- /bin/false
        stop
        serve {serve}
        zorb names ls plant
        zorb imr list
        stop"
    ));
    assert_eq!(said[..3], ["ImplRepoService", "InterfaceRepository", "ScheduleService"]);
    assert_eq!((said[3].as_str(), said.len()), ("pump", 5), "{said:?}");
    assert!(said[4].starts_with("Bank  stopped"), "{said:?}");
}

fn a_container_keeps_its_servers() {
    let serve = IMR.entry_point();
    let probe = IMR.span("zorb ping --ready");
    let said = host::run(&format!(
        "serve {serve}
        {probe} > /run/answered
        zorb imr add Bank -- /bin/false
        stop
        serve {serve}
        zorb imr list
        zorb ior /run/references
        stop"
    ));
    assert!(said[0].starts_with("Bank  stopped"), "{said:?}");
    let address = format!("{}:2809", host::ADDRESS);
    assert!(said.iter().any(|line| line.contains(&address)), "published elsewhere: {said:?}");
}

fn the_unit_of_the_repository_serves() {
    let serve = IMR.unit_value("ExecStart").replace("/usr/bin/zorb", "zorb");
    let (state, logs) = (IMR.unit_value("StateDirectory"), IMR.unit_value("LogsDirectory"));
    let said = host::run(&format!(
        "mkdir /var/lib/{state} /var/log/{logs}
        serve {serve}
        zorb imr add Bank -- /bin/sh -c 'echo started; exit 1'
        zorb imr start Bank || true
        stop
        ls /var/lib/{state}
        cat /var/log/{logs}/*"
    ));
    assert!(said.iter().any(|line| line == "store.redb"), "{said:?}");
    assert!(said.iter().any(|line| line == "started"), "{said:?}");
}

/// Why units cannot be verified here.
fn missing_verifier() -> Option<String> {
    match Command::new("systemd-analyze").arg("--version").output() {
        Ok(_) => None,
        Err(error) => Some(format!("no systemd-analyze: {error}")),
    }
}

/// Whatever it does not understand is a warning.
fn systemd_accepts_the_unit() {
    let verified = |unit: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("zorb.service");
        // The program must exist.
        std::fs::write(&file, unit.replace("/usr/bin/zorb", "/bin/true")).unwrap();
        let output = Command::new("systemd-analyze").arg("verify").arg(&file).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let unit = IMR.block("ini");
    assert_eq!(verified(&unit), (true, String::new()));
    let (_, said) = verified(&unit.replace("KillMode", "KillModes"));
    assert!(said.contains("KillModes"), "the control: {said}");
}
