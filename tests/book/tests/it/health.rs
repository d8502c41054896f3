//! The object for probes.

use std::time::Duration;

use zorb::{Interface, Orb};

mod stubs {
    zorb::include_idl!("health");
}

#[test]
fn the_object_for_probes_has_the_idl_of_the_book() {
    let builder = || Orb::builder().without_environment();
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let published = orb.publish_health("Health", Duration::from_secs(30)).unwrap();
    orb.serve().unwrap();
    let client = builder().build().unwrap();
    let health: stubs::Health = client.resolve(&published.to_ior_string()).unwrap();
    assert_eq!(health.ready().unwrap(), (true, String::new()));
    assert_eq!(health.live().unwrap(), (true, String::new()));
    orb.root_poa().manager().hold_requests().unwrap();
    assert!(!health.ready().unwrap().0);
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}
