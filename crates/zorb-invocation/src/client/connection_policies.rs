//! The policies that decide over which connections the calls of a reference go.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zorb_base::options::Options;
use zorb_base::policy::{
    BidirectionalPolicy, ClientProtocols, ConnectionProperties, Policies, PolicyType, PriorityBand,
    PriorityBands, PrivateConnection,
};
use zorb_giop::ProfileTag;

use super::connection_settings::{ConnectionClass, ConnectionSettings};

/// The number of a reference with private connections that has not been assigned one yet.
const NOT_NUMBERED: u64 = 0;

/// The policies about connections of one level, or of several.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ConnectionPolicies {
    protocols: Option<ClientProtocols>,
    /// The properties of levels stronger than that of the protocols, or of all levels without protocols.
    before: ConnectionProperties,
    /// Those of the protocols' level and of weaker ones.
    after: ConnectionProperties,
    /// The priority bands, each with connections of its own.
    bands: Vec<RangeInclusive<i16>>,
    bidirectional: Option<BidirectionalPolicy>,
    /// The policies about compression.
    compression: Policies,
    /// The number of the reference whose connections are private.
    private: Option<u64>,
}

impl ConnectionPolicies {
    /// Those of some levels, the strongest first; `None` if there are none.
    pub(crate) fn new(levels: &[&Policies]) -> Option<Arc<Self>> {
        let all = levels.iter().fold(Self::default(), |all, level| all.or(&Self::of(level)));
        (all != Self::default()).then(|| Arc::new(all))
    }

    /// Those of one level.
    fn of(policies: &Policies) -> Self {
        let protocols: Option<&ClientProtocols> = policies.value();
        let properties = policies.value().copied().unwrap_or_default();
        let (before, after) = match protocols {
            Some(_) => (ConnectionProperties::default(), properties),
            None => (properties, ConnectionProperties::default()),
        };
        let bands = policies.value().map(PriorityBands::bands).unwrap_or_default();
        Self {
            protocols: protocols.cloned(),
            before,
            after,
            bands: bands.iter().map(PriorityBand::range).collect(),
            bidirectional: policies.value().copied(),
            compression: about_compression(policies),
            private: policies.value::<PrivateConnection>().map(|_| NOT_NUMBERED),
        }
    }

    /// These, and those of a weaker level.
    pub(super) fn or(self, weaker: &Self) -> Self {
        let (protocols, before, after) = match self.protocols {
            Some(own) => (Some(own), self.before, self.after.or(weaker.before).or(weaker.after)),
            None => (weaker.protocols.clone(), self.before.or(weaker.before), weaker.after),
        };
        Self {
            protocols,
            before,
            after,
            bands: if self.bands.is_empty() { weaker.bands.clone() } else { self.bands },
            bidirectional: self.bidirectional.or(weaker.bidirectional),
            compression: weaker.compression.clone().overridden_by(&self.compression),
            private: self.private.or(weaker.private),
        }
    }

    /// These with the policies that a server has put into the reference. Contradictions are added to
    /// `conflicts`.
    pub(crate) fn with_servers(
        &self,
        policies: &Policies,
        conflicts: &mut Vec<PolicyType>,
    ) -> Arc<Self> {
        let servers = Self::of(policies);
        if let (Some(own), Some(servers)) = (&self.protocols, &servers.protocols)
            && !own.is_equivalent(servers)
        {
            conflicts.push(PolicyType::CLIENT_PROTOCOL);
        }
        if !self.bands.is_empty() && !servers.bands.is_empty() {
            conflicts.push(PolicyType::PRIORITY_BANDED_CONNECTION);
        }
        Arc::new(self.clone().or(&servers))
    }

    /// Whether a reference with these satisfies `wanted`.
    pub(crate) fn satisfies(&self, wanted: &Self) -> bool {
        let Self { protocols, before, after, bands, bidirectional, compression, private } = self;
        private.is_some() == wanted.private.is_some()
            && *protocols == wanted.protocols
            && (*before, *after) == (wanted.before, wanted.after)
            && *bands == wanted.bands
            && *bidirectional == wanted.bidirectional
            && *compression == wanted.compression
    }

    /// Those of a new reference, with a number of its own if its connections are private.
    pub(crate) fn numbered(mut self) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(NOT_NUMBERED + 1);
        self.private = self.private.map(|_| NEXT.fetch_add(1, Ordering::Relaxed));
        self
    }

    /// The policies about compression.
    pub(crate) fn compression(&self) -> &Policies {
        &self.compression
    }

    pub(crate) fn is_private(&self) -> bool {
        self.private.is_some()
    }

    /// The properties of connections by profiles of this kind.
    pub(crate) fn properties(&self, profile: ProfileTag) -> ConnectionProperties {
        let of_protocol = self.protocols.as_ref().map(|chosen| chosen.properties(profile));
        self.before.or(of_protocol.unwrap_or_default()).or(self.after)
    }

    /// Whether they decide which protocols are used.
    pub(crate) fn choose_protocols(&self) -> bool {
        self.protocols.is_some()
    }

    /// The indexes of the profiles that are used, in order of preference.
    pub(crate) fn order(&self, profiles: &[ProfileTag]) -> Vec<usize> {
        let Some(chosen) = &self.protocols else { return (0..profiles.len()).collect() };
        let at = |position: usize| {
            let numbered = profiles.iter().enumerate();
            numbered.filter(move |(_, tag)| chosen.position(**tag) == Some(position))
        };
        (0..=chosen.choices().len()).flat_map(at).map(|(number, _)| number).collect()
    }

    /// The classes of connections to an endpoint of such a profile that serves `priority`; `None` for any.
    pub(crate) fn classes(
        &self,
        profile: ProfileTag,
        priority: Option<i16>,
        options: &Options,
    ) -> Vec<ConnectionClass> {
        let properties = self.properties(profile);
        let class = |band: Option<&RangeInclusive<i16>>| {
            let private = self.private.map_or(-1, |number| number.cast_signed());
            let band_words = band.map_or([-1, -1], |band| [*band.start(), *band.end()]);
            let mut key = properties.words().to_vec();
            key.push(private);
            key.extend(band_words.map(i64::from));
            let mut settings = ConnectionSettings::new(&properties, options);
            settings.offers = self.bidirectional == Some(BidirectionalPolicy::Both);
            key.push(i64::from(settings.offers));
            ConnectionClass { settings, key: key.into(), band: band.cloned() }
        };
        if self.bands.is_empty() {
            return vec![class(None)];
        }
        let fits = |band: &&RangeInclusive<i16>| priority.is_none_or(|it| band.contains(&it));
        self.bands.iter().filter(fits).map(|band| class(Some(band))).collect()
    }

    pub(crate) fn bands(&self) -> &[RangeInclusive<i16>] {
        &self.bands
    }
}

fn about_compression(policies: &Policies) -> Policies {
    let mut found = Policies::new();
    let known = policies.iter().filter(|policy| policy.policy_type().is_about_compression());
    known.for_each(|policy| found.put(policy.clone()));
    found
}
