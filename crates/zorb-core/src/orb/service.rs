//! Information about the services of an ORB (CORBA 3.3 part 1, 8.5.3).

/// The number of a service of the ORB (`CORBA::ServiceType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ServiceType(pub u16);

impl ServiceType {
    /// The security service.
    pub const SECURITY: Self = Self(1);
}

/// What an ORB says about one of its services (`CORBA::ServiceInformation`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceInformation {
    /// The options of the service that the ORB has (`service_options`).
    pub options: Vec<u32>,
    /// Details, each with its type (`service_details`).
    pub details: Vec<(u32, Vec<u8>)>,
}
