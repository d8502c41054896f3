//! What the ORB asks about requests for objects of servers.

use zorb::poa::{ForwardTo, Forwarder};

use super::servers::Servers;

impl Forwarder for Servers {
    fn find(&self, object_key: &[u8], was_held: bool) -> ForwardTo {
        Self::find(self, object_key, was_held)
    }

    fn knows(&self, object_key: &[u8]) -> bool {
        Self::knows(self, object_key)
    }

    fn release(&self) {
        self.end();
    }
}
