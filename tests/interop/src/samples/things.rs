//! The values of module Things: what their types do, and samples.

use zorb::{CdrReader, CdrResult, CdrWriter, CustomMarshal, Value, Wire as _};

use crate::interop::things::{
    Alien, BulkyOperations, Circle, Dot, Item, NamedServant, Node, Packed, Parcel, ParcelFactory,
    Ring, Shape, WeighedServant,
};

/// The label of derived types is that of their part.
impl NamedServant for Shape {
    fn label(&self) -> zorb::Result<String> {
        Ok(format!("shape {}", self.id))
    }
}

impl BulkyOperations for Parcel {
    fn size(&self) -> zorb::Result<i32> {
        Ok(i32::try_from(self.content.chars().count()).unwrap_or(i32::MAX))
    }
}

impl WeighedServant for Parcel {
    fn weigh(&self) -> zorb::Result<i32> {
        Ok(self.size()?.saturating_add(i32::from(self.layers) * 10))
    }
}

impl ParcelFactory for Parcel {
    fn wrapped(content: &str, layers: i16) -> zorb::Result<Value<Self>> {
        Ok(Value::new(Self { content: content.into(), layers }))
    }

    fn bare(content: &str) -> zorb::Result<Value<Self>> {
        Self::wrapped(content, 0)
    }
}

impl CustomMarshal for Packed {
    fn marshal(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        String::write(&self.text, writer)?;
        i32::write(&self.number, writer)
    }

    fn unmarshal(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let text = String::read(reader)?;
        Ok(Self { number: i32::read(reader)?, text })
    }
}

/// Tells the ORB of the types, but for Alien.
pub fn register(orb: &zorb::Orb) {
    orb.register_value::<Item>();
    orb.register_value::<Node>();
    orb.register_value::<Shape>();
    orb.register_value::<Circle>();
    orb.register_value::<Ring>();
    orb.register_value::<Dot>();
    orb.register_value::<Parcel>();
}

/// A shape of no other type.
pub fn shape(id: &str) -> Value<Shape> {
    Value::new(Shape { id: id.into() })
}

/// A circle.
pub fn circle(id: &str, radius: f64) -> Value<Shape> {
    Value::new(Circle { base: Shape { id: id.into() }, radius }).upcast()
}

/// A ring.
pub fn ring(id: &str, radius: f64, hole: f64) -> Value<Shape> {
    let base = Circle { base: Shape { id: id.into() }, radius };
    Value::new(Ring { base, hole }).upcast()
}

/// A dot.
pub fn dot(id: &str) -> Value<Shape> {
    Value::new(Dot { base: Shape { id: id.into() } }).upcast()
}

/// A shape that no server knows.
pub fn alien(id: &str) -> Value<Shape> {
    let base = Circle { base: Shape { id: id.into() }, radius: 0.5 };
    let luggage = Some(Value::new(Item { name: "towel".into(), count: 42, mark: 7 }));
    Value::new(Alien { base, luggage }).upcast()
}

/// What `Valued::describe` says: the most derived type, and the id.
pub fn describe(shape: Option<&Value<Shape>>) -> String {
    let Some((value, state)) = shape.and_then(|shape| Some((shape, shape.get()?))) else {
        return "nil".into();
    };
    let kind = if value.downcast::<Ring>().is_some() {
        "ring"
    } else if value.downcast::<Circle>().is_some() {
        "circle"
    } else if value.downcast::<Dot>().is_some() {
        "dot"
    } else {
        "shape"
    };
    format!("{kind} {}", state.id)
}
