//! The options of MIOP.

zorb_transport::options! {
    /// The options of MIOP: the [settings](super::MiopSettings) that the operator can change.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct MiopOptions of "miop", set by (trait SetMiopOptions) {
        /// Maximum number of networks that requests to groups cross, the sender's included; 0 keeps them on
        /// the machine.
        "MiopHops" miop_hops: u8 = 1, 0..=255;
        /// Interface for groups, by name or IPv4 address; empty for the system's default.
        "MiopInterface" miop_interface: String = String::new();
        /// Whether requests to groups are also delivered to members on the sender's machine.
        "MiopLoopBack" miop_loop_back: bool = true;
    }
}
