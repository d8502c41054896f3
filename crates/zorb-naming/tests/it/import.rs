//! Data files of omniNames.

use zorb_naming::import::OmniNames;
use zorb_naming::name;

use crate::support::{World, shown};

const FILE: &[u8] = include_bytes!("../data/omninames.dat");

#[test]
fn the_names_of_omninames_move_here() {
    let world = World::new();
    let root = world.root.clone().into();
    let names = OmniNames::parse(FILE).unwrap();
    let imported = names.bind_in(&world.client, &root).unwrap();
    assert_eq!((imported.contexts, imported.bindings, imported.existing), (2, 6, 0));
    assert_eq!(imported.unreachable, 0);
    assert_eq!(shown(&world.root.list(10).unwrap().0).len(), 3);
    let object = world.root.resolve(&name("a.ctx/x.obj").unwrap()).unwrap();
    assert!(object.is_some());
    // A name that leads back to its own context.
    let again = world.root.resolve(&name("a.ctx/up/up/x.obj").unwrap()).unwrap();
    assert_eq!(again, object);
    assert!(world.root.resolve(&name("a%b.k k").unwrap()).unwrap().is_some());

    let again = names.bind_in(&world.client, &root).unwrap();
    assert_eq!((again.contexts, again.bindings, again.existing), (0, 0, 6));
    assert_eq!(world.service.statistics().bindings, 6);
    world.end();
}
