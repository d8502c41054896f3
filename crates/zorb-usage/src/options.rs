//! The options of usage files.

zorb_transport::options! {
    /// The options of usage files. The facade's ORB has them with its feature `usage`; other builders add them with
    /// `Orb::builder().declare(UsageOptions::default())`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct UsageOptions of "usage", set by (trait SetUsageOptions) {
        /// File to which the ORB writes how often operations are called and served, every minute and when it has shut
        /// down, for the IDL compiler to choose marshalling engines by; one of 16 calls is counted, and collocated
        /// calls are marshalled so that they can be counted; an older file is replaced; empty for none.
        "UsageFile" usage_file: String = String::new();
    }
}
