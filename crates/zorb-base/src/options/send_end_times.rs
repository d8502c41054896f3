//! The option `SendEndTimes`.

/// The servers that receive the end times of requests, in the service context `INVOCATION_POLICIES`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SendEndTimes {
    /// Servers whose references contain the policy [`ServeInTime`](crate::policy::ServeInTime). The default.
    #[default]
    Requested,
    /// All.
    All,
}

zorb_transport::option_words!(SendEndTimes { "requested" => Requested, "all" => All });
