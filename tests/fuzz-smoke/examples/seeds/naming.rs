//! Seeds of the target `naming`.

use std::ops::ControlFlow;
use std::sync::Arc;

use zorb::Orb;
use zorb_cdr::{CdrResult, CdrWriter, Wire};
use zorb_fuzz_smoke::targets::naming::{KEY, TABLES};
use zorb_giop::{GiopVersion, Ior};
use zorb_naming::cos_naming::Name;
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_store::{MemoryStore, Store};

use crate::calls::request;
use crate::seed;

pub(crate) fn write() {
    messages();
    stored();
}

fn name(text: &str) -> Name {
    zorb_naming::name(text).expect("a name")
}

fn messages() {
    let ask = |seed_name: &str, operation, body: &dyn Fn(&mut CdrWriter<'_>) -> CdrResult<()>| {
        let message = request(GiopVersion::V1_2, KEY, operation, body);
        seed("naming", seed_name, [&[0][..], &message].concat());
    };
    let nil = Ior { type_id: String::new(), profiles: Vec::new() };
    let with_object = |writer: &mut CdrWriter<'_>, text| {
        Name::write(&name(text), writer)?;
        Ior::write(&nil, writer)
    };
    let text = |text: &str| {
        let text = text.to_owned();
        move |writer: &mut CdrWriter<'_>| String::write(&text, writer)
    };
    // In an order in which all succeed.
    ask("call-a-rebind", "rebind", &|writer| with_object(writer, "a.b"));
    ask("call-b-resolve", "resolve", &|writer| Name::write(&name("a.b"), writer));
    ask("call-c-resolve-str", "resolve_str", &text("a.b"));
    ask("call-d-list", "list", &|writer| u32::write(&0, writer));
    ask("call-e-rebind-for", "rebind_for", &|writer| {
        with_object(writer, "leased")?;
        u32::write(&9, writer)
    });
    ask("call-f-unbind", "unbind", &|writer| Name::write(&name("a.b"), writer));
    ask("call-new-context", "new_context", &|_| Ok(()));
    ask("call-orphans", "orphans", &|writer| u32::write(&9, writer));
    ask("call-to-name", "to_name", &text(r"a\.b/c.d/.e"));
    ask("call-to-string", "to_string", &|writer| Name::write(&name(r"a\/b/c.d"), writer));
    ask("call-to-url", "to_url", &|writer| {
        String::write(":host:2809", writer)?;
        String::write("a/b.c", writer)
    });
    ask("refused-bind", "bind", &|writer| with_object(writer, "a/b/c"));
    ask("refused-bind-context", "bind_context", &|writer| with_object(writer, "a"));
    ask("refused-destroy", "destroy", &|_| Ok(()));
    ask("refused-resolve", "resolve", &|writer| u32::write(&0, writer));
    let find = request(GiopVersion::V1_2, b"NameService", "_is_a", |_| Ok(()));
    seed("naming", "forward", [&[0][..], &find].concat());
    ask("new-context", "bind_new_context", &|writer| Name::write(&name("ctx"), writer));
}

/// Rows of a naming service, the same each time.
fn stored() {
    let orb = Orb::builder().without_environment().build().expect("an ORB");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let options = NamingOptions::default();
    let served = NamingService::serve_stored(&orb, &options, Arc::clone(&store));
    let root = served.expect("a naming service").root().expect("a context");
    let object = orb.string_to_object("corbaloc::1.2@127.0.0.1:1/x").expect("a reference");
    root.bind(&name("object.kind"), object.as_ref()).expect("a binding");
    root.bind(&name("nil"), None).expect("a binding");
    let foreign = object.map(|object| object.unchecked_narrow());
    root.bind_context(&name("foreign"), foreign.as_ref()).expect("a binding");
    root.bind_context(&name("own"), Some(&root.clone().into())).expect("a binding");
    let row = |name: &str, table: &str, key: &[u8], value: &[u8]| {
        let choice = (1..).zip(TABLES).find(|(_, of)| *of == table).map_or(0, |(choice, _)| choice);
        let length = u8::try_from(key.len()).expect("a short key");
        seed("naming", name, [&[choice, length], key, value].concat());
    };
    let mut number = 0;
    let mut write = |key: &[u8], value: &[u8]| {
        number += 1;
        row(&format!("row-binding-{number}"), "naming.bindings", key, value);
        ControlFlow::Continue(())
    };
    store.scan("naming.bindings", &mut write).expect("a store in memory");
    row("row-context", "naming.contexts", &9_u64.to_be_bytes(), b"");
    row("row-lease", "naming.leases", b"\0\0\0\0\0\0\0\0leased\0", &[1; 8]);
    orb.shutdown(true).expect("an end");
}
