//! Admits connections that may carry requests in both directions.

use std::sync::Arc;

use zorb_base::accepting::Admission;
use zorb_base::orb_core::OrbCore;
use zorb_transport::{Acceptor, Bidirection, ServeStream, Stream};

use crate::lane::admission::LaneAdmission;

/// Admits the clients of one listener, and the requests of servers over the connections that this ORB has opened.
pub(crate) struct BidirectionalAdmission {
    admission: Arc<LaneAdmission>,
    bidirection: Arc<Bidirection>,
    /// Dropped when the listener closes: servers cannot send requests any more then.
    _serve: Arc<ServeStream>,
}

impl BidirectionalAdmission {
    /// Admits clients with `admission`. Connections that this ORB opens from now on offer the endpoints of `acceptor`.
    pub(crate) fn new(admission: LaneAdmission, orb: &OrbCore, acceptor: &dyn Acceptor) -> Self {
        let admission = Arc::new(admission);
        let admits = Arc::clone(&admission);
        let serve: Arc<ServeStream> = Arc::new(move |stream| admits.take_in(stream));
        let bidirection = Arc::clone(orb.bidirection());
        bidirection.listen(acceptor.published(), Arc::downgrade(&serve));
        Self { admission, bidirection, _serve: serve }
    }
}

impl Admission for BidirectionalAdmission {
    fn admit(&self, stream: Arc<dyn Stream>) {
        let stream = self.admission.decompressed(stream);
        self.admission.take_in(self.bidirection.accepted(stream));
    }

    fn make_room(&self, client: Option<&dyn Stream>) -> bool {
        self.admission.make_room(client)
    }

    fn reject(&self, stream: Arc<dyn Stream>) {
        self.admission.reject(stream);
    }
}
