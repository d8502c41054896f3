//! Values of valuetypes as the recordings show them.

use std::cell::RefCell;
use std::sync::OnceLock;

use serde_json::{Map, Value as Json, json};
use zorb::value::{ValueKind, ValueRegistry};
use zorb::{Value, ValueBase};
use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Wire};
use zorb_giop::Ior;
use zorb_wire_tests::capture::vec::{Base, Derived, Derived2, DescVal, ListNode, LongBox, StrBox};

use crate::shown::{Reference, Shown, Wide};

/// The types that may come where another is expected.
pub(crate) fn registry() -> &'static ValueRegistry {
    static REGISTRY: OnceLock<ValueRegistry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let registry = ValueRegistry::default();
        registry.register::<Derived>();
        registry.register::<Derived2>();
        registry.register::<DescVal>();
        registry
    })
}

thread_local! {
    /// The values of this message that have been shown.
    static SHOWN: RefCell<Vec<Value<ValueBase>>> = const { RefCell::new(Vec::new()) };
}

/// Begins another message.
pub(crate) fn begin() {
    SHOWN.with_borrow_mut(Vec::clear);
}

impl<K: ValueKind + ?Sized> Shown for Value<K> {
    fn show(value: &Option<Self>, wide: Wide) -> Json {
        match value {
            Some(value) => show_value(&value.upcast(), wide),
            None => Json::Null,
        }
    }
}

fn show_value(value: &Value<ValueBase>, wide: Wide) -> Json {
    let place = SHOWN.with_borrow_mut(|shown| {
        let place = shown.iter().position(|known| known == value);
        if place.is_none() {
            shown.push(value.clone());
        }
        place
    });
    if let Some(place) = place {
        return json!({ "indirection_to_offset": place });
    }
    let mut members = Map::new();
    let mut show = |name: &str, member: Json| members.insert(name.to_owned(), member);
    if let Some(state) = value.downcast::<Derived2>().as_ref().and_then(Value::get) {
        show("a", json!(state.base.base.a));
        show("b", json!(state.base.b));
        show("inner", <Value<Base>>::show(&state.inner, wide));
    } else if let Some(state) = value.downcast::<Derived>().as_ref().and_then(Value::get) {
        show("a", json!(state.base.a));
        show("b", json!(state.b));
    } else if let Some(state) = value.downcast::<Base>().as_ref().and_then(Value::get) {
        show("a", json!(state.a));
    } else if let Some(state) = value.downcast::<ListNode>().as_ref().and_then(Value::get) {
        show("v", json!(state.v));
        show("next", <Value<ListNode>>::show(&state.next, wide));
    } else if let Some(state) = value.downcast::<DescVal>().as_ref().and_then(Value::get) {
        show("text", json!(state.text));
    } else if let Some(state) = value.downcast::<StrBox>().as_ref().and_then(Value::get) {
        show("value", json!(state.0));
    } else if let Some(state) = value.downcast::<LongBox>().as_ref().and_then(Value::get) {
        show("value", json!(state.0));
    }
    Json::Object(members)
}

/// Something of an abstract interface; a reference needs no ORB to be shown.
#[derive(Clone, Debug)]
pub(crate) enum Described {
    Object(Ior),
    Value(Option<Value<ValueBase>>),
}

impl Wire for Described {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 5;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_bool(matches!(value, Self::Object(_)));
        match value {
            Self::Object(ior) => Reference::write(ior, writer),
            Self::Value(value) => <Value<ValueBase>>::write(value, writer),
        }
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(match reader.read_bool()? {
            true => Self::Object(Reference::read(reader)?),
            false => Self::Value(<Value<ValueBase>>::read(reader)?),
        })
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

impl Shown for Described {
    fn show(value: &Self, wide: Wide) -> Json {
        match value {
            Self::Object(ior) => {
                json!({ "is_object": true, "object": Reference::show(ior, wide) })
            }
            Self::Value(value) => {
                json!({ "is_object": false, "value": <Value<ValueBase>>::show(value, wide) })
            }
        }
    }
}
