//! The option `ListenFrom`.

/// When an ORB begins to listen at its endpoints. Until then it refuses clients, whose calls fail with `TRANSIENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ListenFrom {
    /// When its first reference is made, which activating an object does; at the latest when the program serves. The
    /// default.
    #[default]
    Activation,
    /// When the program serves: from `run`, `run_until_signal`, `perform_work` or `serve` on.
    Run,
}

zorb_transport::option_words!(ListenFrom {
    "activation" => Activation,
    "run" => Run,
});
