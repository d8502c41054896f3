//! Initial references to local objects.
#![allow(clippy::unwrap_used)]

use zorb::dynamic::{CodecFactory, DynAnyFactory, Encoding, EncodingFormat};

#[test]
fn the_factories_of_dynamic_values_are_initial_references() {
    let orb = zorb::Orb::builder().without_environment().build().unwrap();
    let names = orb.initial_names();
    assert!(["CodecFactory", "DynAnyFactory"].iter().all(|name| names.contains(&(*name).into())));
    let codecs: CodecFactory = orb.initial_local("CodecFactory").unwrap();
    let cdr = Encoding { format: EncodingFormat::CDR_ENCAPS, major_version: 1, minor_version: 2 };
    let codec = codecs.create_codec(cdr).unwrap();
    let any = zorb::Any::new::<i32>(&7).unwrap();
    assert_eq!(codec.decode(&codec.encode(&any).unwrap()).unwrap(), any);
    for unknown in
        [Encoding { minor_version: 3, ..cdr }, Encoding { format: EncodingFormat(7), ..cdr }]
    {
        assert_eq!(codecs.create_codec(unknown).unwrap_err().0, unknown);
    }
    let values: DynAnyFactory = orb.initial_local("DynAnyFactory").unwrap();
    assert_eq!(values.create_dyn_any(any.clone()).unwrap().get::<i32>().unwrap(), 7);
    let zero = values.create_dyn_any_from_type_code(any.type_code()).unwrap();
    assert_eq!(zero.to_any().unwrap().get::<i32>(), Some(0));
    orb.initial_local::<DynAnyFactory>("CodecFactory").unwrap_err();
}
