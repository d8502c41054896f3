//! The options of compression.

zorb_transport::options! {
    /// The options of compression. The facade's ORB has them with its feature `ziop`; other builders add them with
    /// `Orb::builder().declare(ZiopOptions::default())`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ZiopOptions of "ziop", set by (trait SetZiopOptions) {
        /// Maximum ratio of the original size of a received message to its compressed size, for messages above 64 KiB; a
        /// message that exceeds it ends its connection; the default is more than the compressors achieve, so that only
        /// MaxMessageSize and MaxBufferedOctets limit what a message may become.
        "ZiopMaxRatio" ziop_max_ratio: u32 = 40_000, 1..=1 << 20;
    }
}
