//! The operations that are counted, by name.

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::OnceLock;

use rustix::process::Pid;
use zorb::cdr::ByteOrder;
use zorb::dynamic::{DynAny, DynAnyError, Request};
use zorb::{Any, CdrWriter, Interface as _, Premarshalled, Typed as _, Wire as _};

use crate::idl::costs::{BinStruct, Counted, Part, Point, Track, counted};
use crate::in_flight::InFlight;
pub use crate::in_flight::{SEND_BUFFER, TARGETS};

/// Warm-up calls of each operation, until buffers have their final size and the stacks of threads have been touched.
pub const WARM_UP: u32 = 64;

/// Octets of the sequences of octets.
pub const OCTETS: usize = 4096;

/// A call that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// No arguments, no result.
    Void,
    /// A long, there and back.
    Long,
    /// A structure of fixed size, there and back.
    Struct,
    /// A long, with no reply.
    OneWay,
    /// 32 characters, there and back.
    String,
    /// 4 KiB, which the servant borrows.
    OctetsIn,
    /// 4 KiB, which the caller owns.
    OctetsOut,
    /// 64 structures of fixed size.
    Structs,
    /// 64 structures of three numbers, which the servant borrows.
    Points,
    /// 16 structures with a string each.
    Parts,
    /// A user exception.
    Exception,
    /// A long is echoed, by a new dynamic request.
    DiiLong,
    /// 4 KiB in an any, by a reused request.
    DiiOctets,
    /// No call: 64 structures composed and decomposed leaf by leaf.
    Leaves,
    /// [`Void`](Self::Void), sent without waiting, and the result of an earlier one.
    Pending,
    /// [`Parts`](Self::Parts), likewise.
    PendingParts,
    /// [`Void`](Self::Void), sent to [`TARGETS`] objects at once, for one of them.
    ToAll,
    /// [`Parts`](Self::Parts), likewise.
    PartsToAll,
    /// No call: a structure of 16 members is marshalled.
    Track,
    /// The same, [`Premarshalled`], where one member has changed.
    TrackOne,
    /// Where all have, or may have.
    TrackAll,
    /// Where eight have, one by one.
    TrackHalf,
    /// The same changes, and the structure is marshalled.
    TrackHalfWhole,
    /// Where all have, one by one.
    TrackEach,
    /// The same changes, and the structure is marshalled.
    TrackEachWhole,
}

impl Operation {
    /// Calls of stubs.
    pub const ALL: [Self; 11] = [
        Self::Void,
        Self::Long,
        Self::Struct,
        Self::OneWay,
        Self::String,
        Self::OctetsIn,
        Self::OctetsOut,
        Self::Structs,
        Self::Points,
        Self::Parts,
        Self::Exception,
    ];
    /// Operations on types that are known only at run time.
    pub const DYNAMIC: [Self; 3] = [Self::DiiLong, Self::DiiOctets, Self::Leaves];

    /// Calls that are sent without waiting.
    pub const PENDING: [Self; 4] =
        [Self::Pending, Self::PendingParts, Self::ToAll, Self::PartsToAll];

    /// A structure that is marshalled.
    pub const MARSHALLED: [Self; 3] = [Self::Track, Self::TrackOne, Self::TrackAll];

    /// The same, where members change one by one.
    pub const CHANGED: [Self; 4] =
        [Self::TrackHalf, Self::TrackHalfWhole, Self::TrackEach, Self::TrackEachWhole];

    /// All operations.
    pub fn every() -> impl Iterator<Item = Self> {
        Self::waiting().chain(Self::PENDING)
    }

    /// Those whose caller waits, if they call anything.
    pub fn waiting() -> impl Iterator<Item = Self> {
        let calls = Self::ALL.into_iter().chain(Self::DYNAMIC);
        calls.chain(Self::MARSHALLED).chain(Self::CHANGED)
    }

    /// The name on command lines and in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::Long => "long",
            Self::Struct => "struct",
            Self::OneWay => "oneway",
            Self::String => "string",
            Self::OctetsIn => "octets-in",
            Self::OctetsOut => "octets-out",
            Self::Structs => "structs",
            Self::Points => "points",
            Self::Parts => "parts",
            Self::Exception => "exception",
            Self::DiiLong => "dii-long",
            Self::DiiOctets => "dii-octets",
            Self::Leaves => "leaves",
            Self::Pending => "pending",
            Self::PendingParts => "pending-parts",
            Self::ToAll => "to-all",
            Self::PartsToAll => "parts-to-all",
            Self::Track => "track",
            Self::TrackOne => "track-one",
            Self::TrackAll => "track-all",
            Self::TrackHalf => "track-half",
            Self::TrackHalfWhole => "track-half-whole",
            Self::TrackEach => "track-each",
            Self::TrackEachWhole => "track-each-whole",
        }
    }

    /// The operation of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::every().find(|operation| operation.name() == name)
    }
}

/// The arguments of all operations, created once.
#[derive(Debug)]
pub struct Arguments {
    octets: Vec<u8>,
    structs: Vec<BinStruct>,
    points: Vec<Point>,
    parts: Vec<Part>,
    /// Made by the first call of it.
    request: OnceLock<Request>,
    in_flight: InFlight,
    track: RefCell<Premarshalled<Track>>,
    message: RefCell<Vec<u8>>,
}

impl Default for Arguments {
    fn default() -> Self {
        Self::with_server(None)
    }
}

impl Arguments {
    /// Those of a client that stops the process of its `server` while it sends calls without waiting.
    #[must_use]
    pub fn with_server(server: Option<Pid>) -> Self {
        let data = BinStruct { s: 1, c: 'c', l: 2, o: 3, d: 4.5 };
        let part = |number| Part { name: format!("part number {number}"), number, data };
        Self {
            octets: vec![7; OCTETS],
            structs: vec![data; 64],
            points: vec![Point { x: 1.0, y: 2.0, z: 3.0 }; 64],
            parts: (0..16).map(part).collect(),
            request: OnceLock::new(),
            in_flight: InFlight::new(server),
            track: RefCell::new(Premarshalled::new(Track {
                id: "track 17".to_owned(),
                number: 17,
                latitude: 48.2,
                longitude: 16.4,
                height: 9_800.0,
                speed: 240.0,
                course: 0.5,
                source: "radar north".to_owned(),
                is_friend: true,
                quality: 3,
                data,
                history: vec![9_700.0, 9_750.0],
                note: String::new(),
                time: 1,
                tags: vec!["new".to_owned()],
                state: 2,
            })),
            message: RefCell::default(),
        }
    }

    /// Makes the call.
    ///
    /// # Errors
    /// That of the call, or a wrong answer.
    #[inline(never)]
    pub fn call(&self, operation: Operation, counted: &Counted) -> zorb::Result<()> {
        let right = match operation {
            Operation::Void => counted.nothing().map(|()| true),
            Operation::Long => counted.echo_long(42).map(|number| number == 42),
            Operation::Struct => {
                let sent = BinStruct { s: 1, c: 'c', l: 2, o: 3, d: 4.5 };
                counted.echo_struct(black_box(&sent)).map(|answer| answer.l == 2)
            }
            Operation::OneWay => counted.note(42).map(|()| true),
            Operation::String => {
                let text = "thirty-two characters, all ASCII";
                counted.echo_string(text).map(|answer| answer.len() == text.len())
            }
            Operation::OctetsIn => counted.take_octets(&self.octets).map(|()| true),
            Operation::OctetsOut => {
                counted.give_octets(OCTETS as u32).map(|octets| octets.len() == OCTETS)
            }
            Operation::Structs => counted.take_structs(&self.structs).map(|()| true),
            Operation::Points => counted.take_points(&self.points).map(|()| true),
            Operation::Parts => counted.take_parts(&self.parts).map(|()| true),
            Operation::Exception => match counted.refuse(42) {
                Ok(()) => Ok(false),
                Err(counted::RefuseError::Refused(refused)) => Ok(refused.reason == 42),
                Err(counted::RefuseError::System(exception)) => return Err(exception),
            },
            Operation::DiiLong => {
                let request = Request::new(counted.as_object(), "echo_long")
                    .input("number", Any::new::<i32>(&42)?)
                    .returns(i32::type_code());
                let response = request.invoke().map_err(|_| wrong())?;
                Ok(response.result.get::<i32>() == Some(42))
            }
            Operation::DiiOctets => {
                let octets = Any::new::<Vec<u8>>;
                let request = match self.request.get() {
                    Some(request) => request,
                    None => self.request.get_or_init({
                        let octets = octets(&self.octets)?;
                        || Request::new(counted.as_object(), "take_octets").input("data", octets)
                    }),
                };
                request.invoke().map(|_| true).map_err(|_| wrong())
            }
            Operation::Track
            | Operation::TrackOne
            | Operation::TrackAll
            | Operation::TrackHalf
            | Operation::TrackHalfWhole
            | Operation::TrackEach
            | Operation::TrackEachWhole => self.marshal(operation),
            Operation::Leaves => leaves(&self.structs).map_err(|_| wrong()),
            other => return self.send(other, counted),
        };
        match right {
            Ok(true) => Ok(()),
            Ok(false) => Err(wrong()),
            Err(exception) => Err(exception),
        }
    }
}

/// What has the members of a [`Track`].
trait Tracked {
    /// The member to which `select` returns a reference, to be changed.
    fn change<M>(&mut self, select: impl FnOnce(&mut Track) -> &mut M) -> &mut M;
}

impl Tracked for Track {
    fn change<M>(&mut self, select: impl FnOnce(&mut Self) -> &mut M) -> &mut M {
        select(self)
    }
}

impl Tracked for Premarshalled<Track> {
    fn change<M>(&mut self, select: impl FnOnce(&mut Track) -> &mut M) -> &mut M {
        self.member(select)
    }
}

/// Changes what a radar measures.
#[inline(never)]
fn change_half(track: &mut impl Tracked) {
    *track.change(|track| &mut track.latitude) += 0.1;
    *track.change(|track| &mut track.longitude) += 0.1;
    *track.change(|track| &mut track.height) += 1.0;
    *track.change(|track| &mut track.speed) += 1.0;
    *track.change(|track| &mut track.course) += 0.1;
    *track.change(|track| &mut track.quality) ^= 1;
    *track.change(|track| &mut track.time) += 1;
    *track.change(|track| &mut track.state) ^= 1;
}

/// Changes all members.
#[inline(never)]
fn change_each(track: &mut impl Tracked) {
    change_half(track);
    black_box(track.change(|track| &mut track.id));
    *track.change(|track| &mut track.number) ^= 1;
    black_box(track.change(|track| &mut track.source));
    *track.change(|track| &mut track.is_friend) ^= true;
    track.change(|track| &mut track.data).l ^= 1;
    black_box(track.change(|track| &mut track.history));
    black_box(track.change(|track| &mut track.note));
    black_box(track.change(|track| &mut track.tags));
}

impl Arguments {
    /// Changes a structure and marshals it, all of it or only what has changed. Returns whether the encoding has octets.
    #[inline(never)]
    fn marshal(&self, operation: Operation) -> zorb::Result<bool> {
        let (mut track, mut message) = (self.track.borrow_mut(), self.message.borrow_mut());
        message.clear();
        let mut writer = CdrWriter::new(&mut message, ByteOrder::NATIVE);
        match operation {
            Operation::Track => {
                track.value_mut().height += 1.0;
                Track::write(track.value(), &mut writer)?;
            }
            Operation::TrackOne => {
                *track.member(|track| &mut track.height) += 1.0;
                track.write(&mut writer)?;
            }
            Operation::TrackHalf => {
                change_half(&mut *track);
                track.write(&mut writer)?;
            }
            Operation::TrackHalfWhole => {
                change_half(track.value_mut());
                Track::write(track.value(), &mut writer)?;
            }
            Operation::TrackEach => {
                change_each(&mut *track);
                track.write(&mut writer)?;
            }
            Operation::TrackEachWhole => {
                change_each(track.value_mut());
                Track::write(track.value(), &mut writer)?;
            }
            _ => {
                track.value_mut().height += 1.0;
                track.write(&mut writer)?;
            }
        }
        Ok(black_box(writer.offset()) > 0)
    }

    /// Waits for the calls that were sent without waiting.
    ///
    /// # Errors
    /// That of a call.
    pub fn finish(&self) -> zorb::Result<()> {
        self.in_flight.wait()
    }

    /// Sends a call without waiting.
    #[inline(never)]
    fn send(&self, operation: Operation, counted: &Counted) -> zorb::Result<()> {
        let object = counted.as_object();
        let nothing = |_: &mut CdrWriter<'_>| Ok(());
        let parts = |writer: &mut CdrWriter<'_>| <Vec<Part>>::write(&self.parts, writer);
        match operation {
            Operation::Pending => {
                self.in_flight.send(|| object.send("nothing", nothing, |_| Ok(())))
            }
            Operation::PendingParts => {
                self.in_flight.send(|| object.send("take_parts", parts, |_| Ok(())))
            }
            Operation::ToAll => self.in_flight.send_to_all(object, "nothing", nothing),
            _ => self.in_flight.send_to_all(object, "take_parts", parts),
        }
    }
}

/// Composes structures in a DynAny leaf by leaf and decomposes another one; returns whether they are the same.
fn leaves(structs: &[BinStruct]) -> Result<bool, DynAnyError> {
    let mut made = DynAny::new(&<Vec<BinStruct>>::type_code())?;
    made.as_sequence()?.set_length(structs.len())?;
    for each in structs {
        let part = made.current_component()?.ok_or(DynAnyError::InvalidValue)?;
        part.insert::<i16>(&each.s)?;
        part.next_component()?;
        part.insert::<char>(&each.c)?;
        part.next_component()?;
        part.insert::<i32>(&each.l)?;
        part.next_component()?;
        part.insert::<u8>(&each.o)?;
        part.next_component()?;
        part.insert::<f64>(&each.d)?;
        made.next_component()?;
    }
    let mut taken = DynAny::of(made.to_any()?)?;
    for each in structs {
        let part = taken.current_component()?.ok_or(DynAnyError::InvalidValue)?;
        let s = part.get::<i16>()?;
        part.next_component()?;
        let c = part.get::<char>()?;
        part.next_component()?;
        let l = part.get::<i32>()?;
        part.next_component()?;
        let o = part.get::<u8>()?;
        part.next_component()?;
        if (BinStruct { s, c, l, o, d: part.get::<f64>()? }) != *each {
            return Ok(false);
        }
        taken.next_component()?;
    }
    Ok(true)
}

#[cold]
pub(crate) fn wrong() -> zorb::SystemException {
    zorb::SystemException::internal(zorb::MinorCode::NONE, zorb::CompletionStatus::Yes)
}
