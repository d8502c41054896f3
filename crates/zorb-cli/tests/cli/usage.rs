//! Common behavior of all commands.

use crate::program::{command, run};

#[test]
fn help_has_examples_for_every_command() {
    let helps: [&[&str]; 18] = [
        &["demo"],
        &["idl"],
        &["idl", "check"],
        &["idl", "compile"],
        &["ior"],
        &["ping"],
        &["call"],
        &["ifr"],
        &["sched"],
        &["sched", "analyze"],
        &["sched", "serve"],
        &["store"],
        &["store", "info"],
        &["store", "check"],
        &["store", "dump"],
        &["store", "restore"],
        &["config"],
        &["bench"],
    ];
    for words in helps {
        let help = run(&[words, &["--help"]].concat());
        assert_eq!(help.status, Some(0), "{words:?}");
        let example = format!("  zorb {}", words.join(" "));
        assert!(help.stdout.contains(&example), "{words:?}: {}", help.stdout);
    }
}

#[test]
fn usage_errors_have_their_own_status() {
    let wrong: [&[&str]; 8] = [
        &[],
        &["nonsense"],
        &["idl"],
        &["ior"],
        &["ping", "-i", "soon", "corbaloc::h/k"],
        &["demo", "--calls-seconds", "0"],
        &["config", "-ORBNonsense", "1"],
        &["config", "-ORBMaxForwards"],
    ];
    for arguments in wrong {
        let run = run(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(!run.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_version_is_the_packages() {
    assert_eq!(run(&["--version"]).stdout, concat!("zorb ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn colors_are_for_terminals() {
    let forced = command(&["config"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(forced.stdout.contains(&0x1b), "there are colours at all");
    assert!(!run(&["config"]).stdout.contains('\x1b'));
}
