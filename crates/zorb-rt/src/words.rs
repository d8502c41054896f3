//! Bands and adapters in words, as options have them.

use zorb_core::policy::Policies;
use zorb_core::{Error, Phase};

use super::{Priority, PriorityBand, PriorityBands, RtOrb};

/// Bands like `0-9999,10000-32767`.
pub(crate) fn bands(words: &str) -> Option<PriorityBands> {
    let number = |text: &str| Priority::new(text.trim().parse().ok()?).ok();
    let band = |word: &str| {
        let (low, high) = word.split_once('-')?;
        PriorityBand::new(number(low)?, number(high)?).ok()
    };
    let bands: Option<Vec<_>> = words.split(',').map(band).collect();
    PriorityBands::new(bands?).ok()
}

/// A priority.
fn priority(word: &str) -> Option<Priority> {
    Priority::new(word.parse().ok()?).ok()
}

impl RtOrb {
    /// The policies of an adapter in words, as in the option `RtAdapter`:
    ///
    /// | Word | Policy |
    /// |---|---|
    /// | `client-propagated=PRIORITY` | [`client_propagated`](Self::client_propagated) |
    /// | `server-declared=PRIORITY` | [`server_declared`](Self::server_declared) |
    /// | `pool=NAME` | that of the [configured pool](Self::configured_threadpool) of this name |
    /// | `bands=LOW-HIGH,LOW-HIGH` | [`PriorityBands`] |
    ///
    /// # Errors
    /// A word that is none of them; those of [`configured_threadpool`](Self::configured_threadpool).
    pub fn described_policies(&self, words: &str) -> Result<Policies, Error> {
        let mut policies = Policies::new();
        for word in words.split_whitespace() {
            let wrong = || {
                Error::new(Phase::Configure, format!("the policies of an adapter: the word {word:?}"))
                    .hint("they are client-propagated=1000, server-declared=1000, pool=NAME, bands=0-99,100-32767")
            };
            let (name, value) = word.split_once('=').ok_or_else(wrong)?;
            policies = match name {
                "client-propagated" => {
                    policies.with(self.client_propagated(priority(value).ok_or_else(wrong)?))
                }
                "server-declared" => {
                    policies.with(self.server_declared(priority(value).ok_or_else(wrong)?))
                }
                "pool" => policies.with(self.configured_threadpool(value)?.policy()),
                "bands" => policies.with(bands(value).ok_or_else(wrong)?),
                _ => return Err(wrong()),
            };
        }
        Ok(policies)
    }
}
