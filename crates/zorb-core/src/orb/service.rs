//! Information about the services of an ORB (CORBA 3.3 part 1, 8.2: `get_service_information`).

use zorb_giop::{ComponentTag, ProfileTag};

use super::handle::Orb;

/// The number of a service of the ORB (`CORBA::ServiceType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ServiceType(pub u16);

impl ServiceType {
    /// The security service (`Security`).
    pub const SECURITY: Self = Self(1);
}

/// The number of an option of a service (`CORBA::ServiceOption`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ServiceOption(pub u32);

/// The number of a kind of detail about a service (`CORBA::ServiceDetailType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ServiceDetailType(pub u32);

impl ServiceDetailType {
    /// A mechanism of the security service (`Security::SecurityMechanismType`): its component tag as decimal text.
    pub const SECURITY_MECHANISM_TYPE: Self = Self(1);
}

/// A detail about a service (`CORBA::ServiceDetail`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceDetail {
    /// What `data` means (`service_detail_type`).
    pub detail_type: ServiceDetailType,
    /// The detail (`service_detail`).
    pub data: Vec<u8>,
}

/// What an ORB says about one of its services (`CORBA::ServiceInformation`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceInformation {
    /// The options of the service that the ORB has (`service_options`).
    pub options: Vec<ServiceOption>,
    /// Details about the service (`service_details`).
    pub details: Vec<ServiceDetail>,
}

impl Orb {
    /// Information about a service of this ORB (`get_service_information`); `None` if it does not have the service.
    ///
    /// It has [`SECURITY`](ServiceType::SECURITY) if one of its protocols
    /// [is secured](zorb_transport::Protocol::is_secured), such as SSLIOP with a certificate or roots. There are no
    /// options. For SSLIOP there is one detail of the type
    /// [`SECURITY_MECHANISM_TYPE`](ServiceDetailType::SECURITY_MECHANISM_TYPE): `20`, which is `TAG_SSL_SEC_TRANS`.
    #[doc(alias = "get_service_information")]
    pub fn service_information(&self, service: ServiceType) -> Option<ServiceInformation> {
        if service != ServiceType::SECURITY {
            return None;
        }
        let mut secured = self.protocols().protocols();
        secured.retain(|protocol| protocol.is_secured());
        if secured.is_empty() {
            return None;
        }
        let ssl = secured.iter().any(|protocol| protocol.profile_tag() == ProfileTag::INTERNET_IOP);
        let details = ssl.then(|| ServiceDetail {
            detail_type: ServiceDetailType::SECURITY_MECHANISM_TYPE,
            data: ComponentTag::SSL_SEC_TRANS.0.to_string().into_bytes(),
        });
        Some(ServiceInformation { options: Vec::new(), details: details.into_iter().collect() })
    }
}
