//! `zorb imr`, with `zorb serve imr`.

use crate::program::run;
use crate::serve::Served;

/// Runs `zorb imr` with a repository.
fn imr(repository: &str, arguments: &[&str]) -> crate::program::Finished {
    run(&[&["imr", "--repository", repository], arguments].concat())
}

#[test]
fn servers_are_added_listed_and_removed() {
    let served = Served::start(&["imr"], 1);
    assert!(served.status.contains("imr (0 servers, 0 running)"), "{}", served.status);
    let repository = &*served.references[0];
    let add = ["add", "Bank", "--mode", "manual", "--instances", "2", "--choice", "by-key"];
    let command = ["--env", "A=b c", "--with", "Accounts", "--", "/bin/false", "a b"];
    let added = imr(repository, &[&add[..], &command].concat());
    assert_eq!(added.status, Some(0), "{}", added.stderr);
    let listed = imr(repository, &["list", "--json"]).json();
    let bank = &listed[1];
    assert_eq!((&bank["name"], &bank["mode"]), (&"Bank".into(), &"manual".into()));
    assert_eq!((&bank["state"], &bank["command"]), (&"stopped".into(), &"/bin/false 'a b'".into()));
    assert_eq!((&bank["instances"], &bank["choice"]), (&2.into(), &"by-key".into()));
    assert_eq!(listed[0]["linked_to"], "Bank");
    let text = imr(repository, &["list"]).stdout;
    assert!(text.contains("Bank  stopped  manual  2 x by-key  /bin/false 'a b'\n"), "{text}");
    assert!(text.contains("Accounts  stopped  manual  with Bank\n"), "{text}");
    let started = imr(repository, &["start", "Bank"]);
    assert_eq!(started.status, Some(1));
    assert!(
        started.stderr.contains("Bank does not start: it has ended before"),
        "{}",
        started.stderr
    );
    assert_eq!(imr(repository, &["autostart"]).status, Some(0));
    assert_eq!(imr(repository, &["stop", "Bank"]).status, Some(0));
    assert_eq!(imr(repository, &["rm", "Bank"]).status, Some(0));
    let missing = imr(repository, &["stop", "Bank"]);
    assert!(missing.stderr.contains("there is no server `Bank`"), "{}", missing.stderr);
    served.end();
}

#[test]
fn commands_and_variables_are_checked() {
    let repository = "corbaloc::127.0.0.1:1/ImplRepoService";
    assert_eq!(imr(repository, &["add", "Bank"]).status, Some(2));
    assert_eq!(imr(repository, &["add", "", "--", "x"]).status, Some(2));
    assert_eq!(imr(repository, &["add", "Bank", "--env", "A", "--", "x"]).status, Some(2));
    assert_eq!(imr(repository, &["list", "-W", "1"]).status, Some(1));
}
