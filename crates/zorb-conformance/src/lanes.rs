//! Where the lanes of thread pools listen.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use zorb::OrbBuilder;
use zorb::transport::{Acceptor, Endpoint, ListenOptions};

use crate::subject::Subject;

/// Lanes listen where their ORB listens: at the same interface, or in the same folder with the same mode.
pub fn lanes_listen_where_their_orb_listens(subject: &Subject, _module: &'static str) {
    check_lanes(subject.builder(), subject.url);
}

/// Opens an endpoint at `url` and, as lanes do, a further one beside it.
pub(crate) fn check_lanes(builder: OrbBuilder, url: &str) {
    let orb = builder.build().expect("an ORB");
    let scheme = url.split_once("://").expect("a URL").0;
    let protocol = orb.protocols().by_scheme(scheme).expect("the protocol");
    let options = ListenOptions::default();
    let first = protocol.transport().listen(url, &options).expect("an endpoint");
    let beside = protocol.transport().beside(&*first);
    let second = protocol.transport().listen(&beside, &options).expect("an endpoint beside it");
    assert_ne!(first.endpoint(), second.endpoint(), "each acceptor has its own");
    assert_eq!(locations(&*first), locations(&*second), "beside {}: {beside}", first.endpoint());
    first.close();
    second.close();
}

/// The locations of the bound endpoint and of those in references.
fn locations(acceptor: &dyn Acceptor) -> Vec<(String, Option<u32>)> {
    [acceptor.endpoint()].into_iter().chain(acceptor.published()).map(location).collect()
}

/// An address without the part that the transport chooses: the host, or the folder and mode of a socket's file.
fn location(endpoint: &Endpoint) -> (String, Option<u32>) {
    let address = endpoint.address();
    if let Some(folder) = Path::new(address).parent().filter(|_| address.starts_with('/')) {
        let mode = std::fs::symlink_metadata(address).expect("the socket's file").mode();
        return (folder.display().to_string(), Some(mode));
    }
    (address.rsplit_once(':').map_or("", |(host, _)| host).to_owned(), None)
}
