//! When services are ready.

use std::sync::Arc;
use std::time::Duration;

use zorb::{Health, Orb};
use zorb_service::{HEALTH_KEY, Host};
use zorb_store::simulation::SimulatedDisk;
use zorb_store::{Batch, Durability, Store};

use crate::support::builder;

#[test]
fn a_store_on_a_full_disk_is_not_ready() {
    let disk = SimulatedDisk::new();
    disk.pause_when_full(Duration::MAX);
    let store: Arc<dyn Store> = Arc::new(disk.open(Durability::Immediate).unwrap());
    let orb = builder().build().unwrap();
    let host = Host::new(orb.clone()).unwrap().with_store(Arc::clone(&store));
    host.start().unwrap();
    let client = Orb::builder().without_environment().build().unwrap();
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    let health: Health = client.resolve(&format!("corbaloc::{address}/{HEALTH_KEY}")).unwrap();
    assert_eq!(health.ready().unwrap(), (true, String::new()));
    disk.limit(Some(1_000_000));
    store.commit(Batch::new().put("test.one", [1], vec![1; 2_000_000])).unwrap_err();
    let (is_ready, why_not) = health.ready().unwrap();
    assert!(!is_ready && why_not.contains("cannot write to the store"), "{why_not}");
    assert!(health.live().unwrap().0);
    client.shutdown(true).unwrap();
    orb.shutdown(true).unwrap();
}
