//! Adds compression to an ORB.

use std::fmt;
use std::sync::Arc;

use zorb_core::compression::{CompressedConnections, Compression};
use zorb_core::interceptor::{ClientRequestInfo, ClientRequestInterceptor};
use zorb_core::policy::Policies;
use zorb_core::{Orb, WeakOrb};
use zorb_giop::{MessageBudget, ServiceId};
use zorb_transport::Stream;
use zorb_types::{CompletionStatus, SystemException, Transfer};

use crate::accepted::Accepted;
use crate::choice::{Choice, Thresholds};
use crate::context;
use crate::incoming::Incoming;
use crate::options::ZiopOptions;
use crate::outgoing::Outgoing;
use crate::policy::{
    CompressionEnabling, CompressionLowValue, CompressionMinRatio, CompressorIdLevelList,
};
use crate::requests::Requests;
use crate::stream::CompressedStream;

/// The name of the interceptors.
const NAME: &str = "ziop";

/// Makes `orb` compress and decompress messages where policies permit it. Call it before the ORB is used.
pub fn attach(orb: &Orb) {
    let max_ratio = orb
        .options()
        .get::<ZiopOptions>()
        .map_or_else(|| ZiopOptions::default().ziop_max_ratio, |options| options.ziop_max_ratio);
    let policies = orb.policy_manager();
    policies.register_policy::<CompressionEnabling>();
    policies.register_policy::<CompressorIdLevelList>();
    let accepted = Arc::<Accepted>::default();
    let compression: Arc<dyn Compression> =
        Arc::new(Ziop { orb: orb.downgrade(), max_ratio, accepted: Arc::clone(&accepted) });
    orb.set_compression(&compression);
    orb.add_client_request_interceptor(NAME, |servers| {
        let servers = is_enabled(servers).then(|| list_of(servers))?;
        Some(Arc::new(SendPolicies { servers }) as Arc<dyn ClientRequestInterceptor>)
    });
    // Requests to objects with the policy are not intercepted; it is noted which compressors
    // there may be.
    orb.add_server_request_interceptor(NAME, move |policies| {
        if is_enabled(policies) {
            accepted.add(&list_of(policies));
        }
        None
    });
}

fn is_enabled(policies: &Policies) -> bool {
    policies.value() == Some(&CompressionEnabling(true))
}

fn list_of(policies: &Policies) -> CompressorIdLevelList {
    policies.value().cloned().unwrap_or_default()
}

/// The compression of an ORB.
struct Ziop {
    orb: WeakOrb,
    max_ratio: u32,
    /// The compressors of all adapters that have the policy.
    accepted: Arc<Accepted>,
}

impl fmt::Debug for Ziop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ziop").field("accepted", &self.accepted).finish_non_exhaustive()
    }
}

impl Compression for Ziop {
    fn for_calls(&self, client: &Policies, server: &Policies) -> Option<CompressedConnections> {
        if !is_enabled(client) || !is_enabled(server) {
            return None;
        }
        let own = list_of(client);
        let servers = list_of(server);
        let choice = Choice::of(&own, &servers, &own)?;
        // The server may compress its replies by any of them.
        let accepted = Arc::new(Accepted::of(&own.in_common_with(&servers)));
        let thresholds = Thresholds {
            low_value: client.value().copied().unwrap_or_default(),
            min_ratio: client.value().copied().unwrap_or_default(),
        };
        let [low_value, min_ratio] = thresholds.key();
        let [compressor, level] = [choice.compressor.0, choice.level.into()].map(i64::from);
        let key = [compressor, level, low_value, min_ratio, accepted.bits().into()];
        let max_ratio = self.max_ratio;
        Some(CompressedConnections::new(Box::new(key), move |stream, share| {
            let incoming = Incoming::new(max_ratio, Arc::clone(&accepted), Arc::clone(&share));
            let outgoing = Outgoing::new(thresholds, share, Some(choice), None);
            Arc::new(CompressedStream::new(stream, incoming, outgoing))
        }))
    }

    fn accepted(&self, stream: Arc<dyn Stream>, share: Arc<MessageBudget>) -> Arc<dyn Stream> {
        let Some(orb) = self.orb.upgrade().filter(|_| !self.accepted.is_empty()) else {
            return stream;
        };
        let policies = orb.policy_manager().policy_overrides();
        let requests = Arc::new(Requests::new(list_of(&policies)));
        let thresholds = Thresholds {
            low_value: policies.value::<CompressionLowValue>().copied().unwrap_or_default(),
            min_ratio: policies.value::<CompressionMinRatio>().copied().unwrap_or_default(),
        };
        let incoming =
            Incoming::new(self.max_ratio, Arc::clone(&self.accepted), Arc::clone(&share))
                .noting(Arc::clone(&requests));
        let outgoing = Outgoing::new(thresholds, share, None, Some(requests));
        Arc::new(CompressedStream::new(stream, incoming, outgoing))
    }
}

/// Tells servers by which compressors they may compress their replies.
#[derive(Debug)]
struct SendPolicies {
    /// The compressors in the reference.
    servers: CompressorIdLevelList,
}

impl ClientRequestInterceptor for SendPolicies {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let policies = info.policies();
        if policies.value() != Some(&CompressionEnabling(true)) {
            return Ok(());
        }
        // Those of one side only are left out: without any in common, the connection is not a compressed one.
        let own: CompressorIdLevelList = policies.value().cloned().unwrap_or_default();
        let list = own.in_common_with(&self.servers);
        if list.0.is_empty() {
            return Ok(());
        }
        let id = ServiceId::INVOCATION_POLICIES;
        // The end times of the request may be there already.
        let other = info.contexts().find(|context| context.id == id);
        let data = context::encode(&list, other.as_ref().map(|other| &*other.data));
        let data = data.map_err(|error| {
            SystemException::from_cdr(error, CompletionStatus::No, Transfer::SendRequest)
        })?;
        drop(other);
        info.add_request_service_context(id, &data, true)
    }

    fn intercepts_collocated_calls(&self) -> bool {
        false
    }
}
