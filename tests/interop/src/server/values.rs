//! Servants of values and of an abstract interface.

use zorb::{Abstract, Any, Value, ValueBase};

use super::World;
use crate::interop::things::{
    Bulky, BulkyOperations as _, Choice, Item, Named, NamedServant, Node, Numbers, Packed, Pair,
    Parcel, Remark, Shape, Tag, TagServant, WeighedServant as _,
};
use crate::interop::valued::LoseError;
use crate::interop::{Lost, ValuedServant};
use crate::samples::things;

struct Labelled;

impl NamedServant for Labelled {
    fn label(&self) -> zorb::Result<String> {
        Ok("tag".into())
    }
}

impl TagServant for Labelled {}

/// Echoes values, and tells what has arrived.
pub(super) struct Echo {
    tag: Tag,
}

impl Echo {
    pub(super) fn new(world: &World) -> zorb::Result<Self> {
        Ok(Self { tag: world.add("tag", Labelled)? })
    }
}

macro_rules! echo {
    ($($operation:ident: $type:ty;)*) => {
        $(fn $operation(
            &self,
            a: Option<&$type>,
            b: Option<&$type>,
        ) -> zorb::Result<(Option<$type>, Option<$type>, Option<$type>)> {
            Ok((a.cloned(), a.cloned(), b.cloned()))
        })*
    };
}

impl ValuedServant for Echo {
    echo! {
        echo_item: Value<Item>;
        echo_node: Value<Node>;
        echo_remark: Value<Remark>;
        echo_numbers: Value<Numbers>;
        echo_shape: Value<Shape>;
        echo_packed: Value<Packed>;
        echo_parcel: Value<Parcel>;
        echo_named: Abstract<Named>;
    }

    fn echo_pair(&self, a: &Pair, b: &Pair) -> zorb::Result<(Pair, Pair, Pair)> {
        Ok((a.clone(), a.clone(), b.clone()))
    }

    fn echo_items(
        &self,
        a: &[Option<Value<Item>>],
        b: &[Option<Value<Item>>],
    ) -> zorb::Result<(Vec<Option<Value<Item>>>, Vec<Option<Value<Item>>>, Vec<Option<Value<Item>>>)>
    {
        Ok((a.to_vec(), a.to_vec(), b.to_vec()))
    }

    fn echo_choice(&self, a: &Choice, b: &Choice) -> zorb::Result<(Choice, Choice, Choice)> {
        Ok((a.clone(), a.clone(), b.clone()))
    }

    fn echo_base(&self, a: Option<&Value<ValueBase>>) -> zorb::Result<Option<Value<ValueBase>>> {
        Ok(a.cloned())
    }

    fn same_bulky(&self, a: Option<&Value<Bulky>>) -> zorb::Result<Option<Value<Bulky>>> {
        Ok(a.cloned())
    }

    fn size_of(&self, which: Option<&Value<Bulky>>) -> zorb::Result<i32> {
        let parcel = which.and_then(Value::downcast::<Parcel>);
        parcel.as_ref().and_then(Value::get).map_or(Ok(0), |parcel| parcel.size())
    }

    fn weigh(&self, which: Option<&Value<Parcel>>) -> zorb::Result<i32> {
        which.and_then(Value::get).map_or(Ok(0), |parcel| parcel.weigh())
    }

    fn is_same(&self, a: Option<&Value<Node>>, b: Option<&Value<Node>>) -> zorb::Result<bool> {
        Ok(a == b)
    }

    fn count(&self, start: Option<&Value<Node>>) -> zorb::Result<i32> {
        let mut open: Vec<Value<Node>> = start.cloned().into_iter().collect();
        let mut found: Vec<Value<Node>> = Vec::new();
        while let Some(node) = open.pop() {
            if !found.contains(&node) {
                if let Some(state) = node.get() {
                    open.extend([&state.next, &state.other].into_iter().flatten().cloned());
                }
                found.push(node);
            }
        }
        Ok(i32::try_from(found.len()).unwrap_or(i32::MAX))
    }

    fn describe(&self, which: Option<&Value<Shape>>) -> zorb::Result<String> {
        Ok(things::describe(which))
    }

    fn make(&self, kind: &str) -> zorb::Result<Option<Value<Shape>>> {
        Ok(match kind {
            "shape" => Some(things::shape("plain")),
            "circle" => Some(things::circle("round", 2.5)),
            "ring" => Some(things::ring("gold", 3.0, 1.0)),
            "dot" => Some(things::dot("dot")),
            _ => None,
        })
    }

    fn make_named(&self, kind: &str) -> zorb::Result<Option<Abstract<Named>>> {
        Ok(match kind {
            "object" => Some(Abstract::Object(self.tag.clone().into())),
            "value" => Some(Abstract::Value(things::circle("round", 2.5).upcast())),
            _ => None,
        })
    }

    fn label_of(&self, which: Option<&Abstract<Named>>) -> zorb::Result<String> {
        match which {
            Some(Abstract::Object(object)) => object.label(),
            Some(value) => match value.value::<Shape>().as_ref().and_then(Value::get) {
                Some(shape) => shape.label(),
                None => Ok("no shape".into()),
            },
            None => Ok("nil".into()),
        }
    }

    fn lose(&self, last: Option<&Value<Node>>) -> zorb::Result<(), LoseError> {
        Err(Lost { last: last.cloned() }.into())
    }

    fn wrap(&self, which: Option<&Value<Item>>) -> zorb::Result<Any> {
        Ok(Any::new::<Value<Item>>(&which.cloned())?)
    }

    fn unwrap(&self, which: &Any) -> zorb::Result<Option<Value<Item>>> {
        Ok(which.get::<Value<Item>>().flatten())
    }
}
