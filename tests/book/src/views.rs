//! Structs that are read in place from received octets.

use zorb::SequenceView;

zorb::include_idl!("survey");
use survey::{Recorder, RecorderServant, Sample, SampleView};

/// A recorder of few samples.
#[derive(Debug)]
pub struct Memory(Vec<Sample>);

impl RecorderServant for Memory {
    fn largest(&self, channel: i16, all: SequenceView<'_, Sample>) -> zorb::Result<f64> {
        let of_channel = all.iter().filter(|sample| sample.channel() == channel);
        Ok(of_channel.map(SampleView::value).fold(f64::MIN, f64::max))
    }

    fn recent(&self, count: u32) -> zorb::Result<Vec<Sample>> {
        Ok(self.0.iter().take(count as usize).copied().collect())
    }
}

/// The time of the last one of some samples.
pub fn last_time(recorder: &Recorder) -> zorb::Result<Option<i64>> {
    recorder.view_recent(100, |samples| samples.iter().last().map(SampleView::time))
}

/// Samples that outlive the call.
pub fn kept(recorder: &Recorder) -> zorb::Result<Vec<Sample>> {
    recorder.view_recent(100, |samples| {
        let late = samples.iter().filter(|sample| sample.time() > 1);
        late.map(Sample::from).collect()
    })
}

#[cfg(test)]
mod tests {
    use zorb::{Interface as _, Orb};

    use super::*;

    #[test]
    fn both_sides_read_in_place() {
        let sample = |time| Sample { time, channel: (time % 2) as i16, value: time as f64 / 2.0 };
        let samples: Vec<Sample> = (0..4).map(sample).collect();
        let builder = || Orb::builder().without_environment();
        let (server, client) =
            (builder().listen("iiop://127.0.0.1:0").build().unwrap(), builder().build().unwrap());
        let recorder: Recorder = server.root_poa().activate(Memory(samples.clone())).unwrap();
        let recorder: Recorder = client.resolve(&recorder.to_ior_string()).unwrap();
        assert_eq!(recorder.largest(0, &samples), Ok(1.0));
        assert_eq!(last_time(&recorder), Ok(Some(3)));
        assert_eq!(kept(&recorder).unwrap(), samples[2..]);
    }
}
