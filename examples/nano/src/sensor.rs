//! The servant.

use zorb_nano::Result;

use crate::idl::{NoChannel, ReadError, SensorServant};

/// A sensor with eight channels.
pub(crate) struct Thermometer {
    values: [i32; 8],
    offset: i32,
}

impl Thermometer {
    pub(crate) fn new() -> Self {
        Self { values: [10, 11, 12, 13, 14, 15, 16, 17], offset: 0 }
    }
}

impl SensorServant for Thermometer {
    fn read(&mut self, channel: i32) -> Result<i32, ReadError> {
        let value = usize::try_from(channel).ok().and_then(|channel| self.values.get(channel));
        match value {
            Some(value) => Ok(value.wrapping_add(self.offset)),
            None => Err(NoChannel { channels: self.values.len() as i32 }.into()),
        }
    }

    fn calibrate(&mut self, offset: i32) {
        self.offset = offset;
    }
}
