//! `sensor.idl` by hand: the stub, the skeleton and the servant.

use alloc::string::String;

use zorb_nano::{
    Answer, Client, Interface, Linear, Os, Reader, Reference, Servant, SystemException, Writer,
};

const NO_CHANNEL: &str = "IDL:Sensor/NoChannel:1.0";

static INTERFACE: Interface =
    Interface { ids: &["IDL:Sensor:1.0"], operations: &Linear(&["read", "calibrate"]) };

/// `Sensor::NoChannel`.
pub(crate) struct NoChannel {
    pub(crate) channels: i32,
}

/// The client's side.
pub(crate) struct SensorStub<'c, O> {
    client: &'c mut Client<O>,
    target: Reference,
}

impl<'c, O: Os> SensorStub<'c, O> {
    pub(crate) fn new(client: &'c mut Client<O>, target: Reference) -> Self {
        Self { client, target }
    }

    pub(crate) fn read(&mut self, channel: i32) -> Result<Result<i32, NoChannel>, SystemException> {
        let arguments = &mut |it: &mut Writer<'_>| it.write::<i32>(&channel);
        let mut reply = self.client.call(&self.target, "read", arguments)?;
        if let Some(exception) = reply.exception()
            && exception.borrow::<String>()? == NO_CHANNEL
        {
            return Ok(Err(NoChannel { channels: exception.read::<i32>()? }));
        }
        Ok(Ok(reply.results()?.read::<i32>()?))
    }

    pub(crate) fn calibrate(&mut self, offset: i32) -> Result<(), SystemException> {
        let arguments = &mut |it: &mut Writer<'_>| it.write::<i32>(&offset);
        self.client.send(&self.target, "calibrate", arguments)
    }
}

/// The server's side.
pub(crate) struct Sensor {
    values: [i32; 8],
    offset: i32,
}

impl Sensor {
    pub(crate) fn new() -> Self {
        Self { values: [10, 11, 12, 13, 14, 15, 16, 17], offset: 0 }
    }

    fn read(&self, channel: i32) -> Result<i32, NoChannel> {
        let value = usize::try_from(channel).ok().and_then(|channel| self.values.get(channel));
        match value {
            Some(value) => Ok(value.wrapping_add(self.offset)),
            None => Err(NoChannel { channels: self.values.len() as i32 }),
        }
    }
}

impl Servant for Sensor {
    fn interface(&self) -> &'static Interface {
        &INTERFACE
    }

    fn invoke(
        &mut self,
        operation: usize,
        arguments: &mut Reader<'_>,
        results: &mut Writer<'_>,
    ) -> Result<Answer, SystemException> {
        let argument = arguments.read::<i32>()?;
        arguments.end()?;
        match operation {
            0 => match self.read(argument) {
                Ok(value) => results.write::<i32>(&value)?,
                Err(NoChannel { channels }) => {
                    results.write_str(NO_CHANNEL)?;
                    results.write::<i32>(&channels)?;
                    return Ok(Answer::UserException);
                }
            },
            _ => self.offset = argument,
        }
        Ok(Answer::Results)
    }
}
