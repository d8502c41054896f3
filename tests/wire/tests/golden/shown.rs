//! Values as the recordings show them: a JSON view of decoded IDL types.

use serde_json::{Value as Json, json};
use zorb_cdr::{Bounded, CdrReader, CdrResult, CdrWriter, Octets, WChar, WString, Wire};
use zorb_giop::{
    AlternateIiopAddress, CodeSetComponentInfo, ComponentBody, IiopProfile, Ior, OrbType, Policies,
    ProfileTag, SslSecTrans, TaggedComponent, TaggedProfile,
};
use zorb_types::{Any, Fixed, LongDouble, TypeCode};

use crate::any;
use crate::vector::hex;

/// How the recording shows wide text: as code units before GIOP 1.2, else as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide {
    Units,
    Text,
}

/// An IDL type whose values can be compared with a recording.
pub(crate) trait Shown: Wire {
    fn show(value: &Self::Value, wide: Wide) -> Json;
}

macro_rules! plainly {
    ($($type:ty),*) => {$(
        impl Shown for $type {
            fn show(value: &$type, _: Wide) -> Json {
                json!(value)
            }
        }
    )*};
}

plainly!(u8, i16, u16, i32, u32, i64, u64, f32, f64, bool, String, char);

impl Shown for WChar {
    fn show(value: &char, wide: Wide) -> Json {
        match wide {
            Wide::Text => json!(value),
            Wide::Units => json!(*value as u32),
        }
    }
}

impl Shown for WString {
    fn show(value: &String, wide: Wide) -> Json {
        match wide {
            Wide::Text => json!(value),
            // The recording shows the terminating NUL too.
            Wide::Units => value.encode_utf16().chain([0]).collect(),
        }
    }
}

impl<const D: u16, const S: i16> Shown for Fixed<D, S> {
    /// With its sign and all its digits.
    fn show(value: &Self, _: Wide) -> Json {
        let width = usize::from(D) + 1 + usize::from(S != 0);
        json!(format!("{value:+0width$}"))
    }
}

impl Shown for LongDouble {
    /// The octets of a little-endian message, the only one that was recorded.
    fn show(value: &Self, _: Wide) -> Json {
        json!(hex(&value.to_bits().to_le_bytes()))
    }
}

impl Shown for Octets {
    fn show(value: &Vec<u8>, _: Wide) -> Json {
        json!(hex(value))
    }
}

impl<T: Shown> Shown for Vec<T> {
    fn show(value: &Vec<T::Value>, wide: Wide) -> Json {
        value.iter().map(|element| T::show(element, wide)).collect()
    }
}

impl<T: Shown, const N: usize> Shown for [T; N]
where
    Self: Wire<Value = [T::Value; N]>,
{
    fn show(value: &[T::Value; N], wide: Wide) -> Json {
        value.iter().map(|element| T::show(element, wide)).collect()
    }
}

impl<const N: u32> Shown for Bounded<String, N> {
    fn show(value: &String, _: Wide) -> Json {
        json!(value)
    }
}

impl<T: Shown, const N: u32> Shown for Bounded<Vec<T>, N> {
    fn show(value: &Vec<T::Value>, wide: Wide) -> Json {
        <Vec<T>>::show(value, wide)
    }
}

impl Shown for Any {
    fn show(value: &Self, wide: Wide) -> Json {
        any::show_any(value, wide)
    }
}

impl Shown for TypeCode {
    fn show(value: &Self, _: Wide) -> Json {
        any::show_type(value)
    }
}

/// An object reference. What it writes was taken apart and put together again: every IIOP profile
/// and every component that the protocol crate understands.
#[derive(Debug)]
pub(crate) struct Reference;

impl Wire for Reference {
    type Value = Ior;
    type View = Ior;
    type Borrowed<'a> = Ior;
    const MIN_SIZE: usize = Ior::MIN_SIZE;

    fn view(value: &Ior) -> &Ior {
        value
    }

    fn write(value: &Ior, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        Ior::write(&rebuilt(value)?, writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Ior> {
        Ior::read(reader)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Ior> {
        Ior::read(reader)
    }
}

impl Shown for Reference {
    fn show(value: &Ior, _: Wide) -> Json {
        let profiles: Json = value.profiles.iter().map(show_profile).collect();
        json!({ "type_id": value.type_id, "profiles": profiles })
    }
}

/// A profile with its tag.
pub(crate) fn show_profile(profile: &TaggedProfile) -> Json {
    let data = match IiopProfile::decode(&profile.data) {
        Ok(iiop) if profile.tag == ProfileTag::INTERNET_IOP => show_iiop(&iiop),
        _ => json!(hex(&profile.data)),
    };
    json!({ "tag": profile.tag.0, "data": data })
}

fn show_iiop(profile: &IiopProfile) -> Json {
    let mut shown = json!({
        "iiop": profile.version.to_string(),
        "host": profile.host,
        "port": profile.port,
        "object_key": hex(&profile.object_key),
    });
    if profile.version.minor() > 0 {
        let components = profile.components.iter();
        shown["components"] = components
            .map(|component| json!({ "tag": component.tag.0, "data": hex(&component.data) }))
            .collect();
    }
    shown
}

/// The reference with all that is understood decoded and encoded again.
pub(crate) fn rebuilt(ior: &Ior) -> CdrResult<Ior> {
    let profiles = ior.profiles.iter().map(rebuilt_profile).collect::<CdrResult<_>>()?;
    Ok(Ior { type_id: ior.type_id.clone(), profiles })
}

/// The profile with all that is understood decoded and encoded again.
pub(crate) fn rebuilt_profile(profile: &TaggedProfile) -> CdrResult<TaggedProfile> {
    if profile.tag != ProfileTag::INTERNET_IOP {
        return Ok(profile.clone());
    }
    let mut iiop = IiopProfile::decode(&profile.data)?;
    for component in &mut iiop.components {
        rebuild::<OrbType>(component)?;
        rebuild::<CodeSetComponentInfo>(component)?;
        rebuild::<Policies>(component)?;
        rebuild::<AlternateIiopAddress>(component)?;
        rebuild::<SslSecTrans>(component)?;
    }
    iiop.encode(order_of(&profile.data))
}

fn rebuild<T: ComponentBody>(component: &mut TaggedComponent) -> CdrResult<()> {
    if let Some(body) = component.body::<T>()? {
        *component = TaggedComponent::with_body(&body, order_of(&component.data))?;
    }
    Ok(())
}

/// The byte order of an encapsulation.
pub(crate) fn order_of(encapsulation: &[u8]) -> zorb_cdr::ByteOrder {
    zorb_cdr::ByteOrder::from_flag(encapsulation.first().copied().unwrap_or_default())
}
