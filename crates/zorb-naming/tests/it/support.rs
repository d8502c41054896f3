//! A server and a client.

use std::sync::Arc;

use zorb::{Interface as _, ObjectRef, Orb};
use zorb_naming::cos_naming::{BindingList, BindingType, NamingContextExt};
use zorb_naming::name_to_string;
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_store::Store;

/// A naming service and a client's reference to its root context.
pub(crate) struct World {
    pub(crate) server: Orb,
    pub(crate) client: Orb,
    pub(crate) service: NamingService,
    pub(crate) root: NamingContextExt,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(&NamingOptions::default())
    }

    pub(crate) fn with(options: &NamingOptions) -> Self {
        let server =
            Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
        let service = NamingService::serve(&server, options).unwrap();
        Self::of(server, service)
    }

    /// A server with these options.
    pub(crate) fn limited(options: &[(&str, &str)]) -> Self {
        let builder = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let builder = options.iter().fold(builder, |it, (name, value)| it.option(name, *value));
        let server = builder.build().unwrap();
        let service = NamingService::serve(&server, &NamingOptions::default()).unwrap();
        Self::of(server, service)
    }

    pub(crate) fn stored(store: &Arc<dyn Store>) -> Self {
        let server =
            Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
        let options = NamingOptions::default();
        let service = NamingService::serve_stored(&server, &options, Arc::clone(store)).unwrap();
        Self::of(server, service)
    }

    fn of(server: Orb, service: NamingService) -> Self {
        let text = service.publish(&server).unwrap().to_ior_string();
        server.serve().unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        let root = client.resolve(&text).unwrap();
        Self { server, client, service, root }
    }

    /// A reference to an object of nobody.
    pub(crate) fn object(&self, key: &str) -> ObjectRef {
        let url = format!("corbaloc::127.0.0.1:1/{key}");
        self.client.string_to_object(&url).unwrap().unwrap()
    }

    /// The port that the server listens on.
    pub(crate) fn address(&self) -> String {
        let endpoint = self.server.endpoints().remove(0);
        endpoint.trim_start_matches("iiop://").to_owned()
    }

    pub(crate) fn end(self) {
        self.client.shutdown(true).unwrap();
        self.server.shutdown(true).unwrap();
    }
}

/// The names and types of bindings.
pub(crate) fn shown(bindings: &BindingList) -> Vec<(String, BindingType)> {
    bindings.iter().map(|it| (name_to_string(&it.binding_name), it.binding_type)).collect()
}
