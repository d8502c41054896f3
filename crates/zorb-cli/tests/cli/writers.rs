//! Who may change what services have: `-ORBServiceWriters`.

use crate::certificates::{Authority, Certified};
use crate::program::{Finished, run};
use crate::serve::Served;

#[test]
fn certificates_decide_who_may_change_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let authority = Authority::new("authority");
    let roots = authority.write(folder).to_str().unwrap().to_owned();
    let options = |certified: &Certified, name: &str| -> Vec<String> {
        let (certificate, key) = certified.write(folder, name);
        let (certificate, key) = (certificate.to_str().unwrap(), key.to_str().unwrap());
        [
            ["-ORBSsliopCertificate", certificate],
            ["-ORBSsliopKey", key],
            ["-ORBSsliopRoots", &roots],
        ]
        .iter()
        .flatten()
        .map(|it| (*it).to_owned())
        .collect()
    };
    let server = options(&authority.server(), "server");
    let mut arguments = vec!["naming", "--listen", "ssliop://127.0.0.1:0"];
    arguments.extend(server.iter().map(String::as_str));
    arguments.extend(["-ORBServiceWriters", "CN=nobody; dns:console.example.com"]);
    let served = Served::start(&arguments, 1);
    let ask = |as_client: &[String], command: &[&str]| -> Finished {
        let mut all = vec!["names", "--naming", &served.references[0]];
        all.extend(command);
        all.extend(as_client.iter().map(String::as_str));
        all.extend(["-ORBClientProtocols", "ssliop"]);
        run(&all)
    };
    let writer = options(&authority.client(), "writer");
    let reader = options(&authority.signs("reader", &["reader.example.com"]), "reader");
    let bind = |name: &'static str| ["bind", name, "corbaloc::127.0.0.1:1/x"];
    let done = ask(&writer, &bind("one"));
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    let refused = ask(&reader, &bind("two"));
    assert_eq!(refused.status, Some(1));
    assert!(refused.stderr.contains("NO_PERMISSION"), "{}", refused.stderr);
    let listed = ask(&reader, &["ls"]);
    assert_eq!(listed.stdout, "one\n", "{}", listed.stderr);
    served.end();
}
