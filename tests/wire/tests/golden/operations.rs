//! What each operation of the captured interfaces carries, by its generated types.

use serde_json::{Map, Value as Json, json};
use zorb::{UserException, Value, ValueBase};
use zorb_cdr::{Bounded, CdrReader, CdrResult, CdrWriter, Octets, WChar, WString};
use zorb_types::{Any, Fixed, LongDouble, TypeCode};
use zorb_wire_tests::capture::vec::{
    Bad, Base, Color, Empty, ListNode, LongBox, Node, Person, Prims, StrBox, U, Ub, Ue,
};
use zorb_wire_tests::naming::cos_naming::naming_context::{AlreadyBound, NotFound};
use zorb_wire_tests::naming::cos_naming::{Binding, NameComponent};

use crate::shown::{Reference, Shown, Wide};
use crate::values::Described;

type Part = Box<dyn Fn(&mut CdrWriter<'_>) -> CdrResult<()>>;

/// Values taken from a body: what they show, and how they are written again.
#[derive(Default)]
pub(crate) struct Body {
    pub(crate) shown: Map<String, Json>,
    parts: Vec<Part>,
}

impl Body {
    /// Takes one value.
    pub(crate) fn take<T: Shown>(
        &mut self,
        name: &str,
        reader: &mut CdrReader<'_>,
        wide: Wide,
    ) -> CdrResult<()>
    where
        T::Value: 'static,
    {
        let value = T::read(reader)?;
        self.shown.insert(name.to_owned(), T::show(&value, wide));
        self.parts.push(Box::new(move |writer| T::write(T::view(&value), writer)));
        Ok(())
    }

    /// Adds something that was read by other means.
    pub(crate) fn push(&mut self, part: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()> + 'static) {
        self.parts.push(Box::new(part));
    }

    /// Writes all values.
    pub(crate) fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.parts.iter().try_for_each(|part| part(writer))
    }

    fn exception<T: Shown<Value = T, View = T> + UserException + 'static>(
        &mut self,
        reader: &mut CdrReader<'_>,
        wide: Wide,
    ) -> CdrResult<()> {
        let value = T::read(reader)?;
        if let Json::Object(members) = T::show(&value, wide) {
            self.shown.extend(members);
        }
        self.shown.insert("exception".to_owned(), json!(T::REPOSITORY_ID));
        self.push(move |writer| {
            writer.write_latin1(T::REPOSITORY_ID)?;
            T::write(&value, writer)
        });
        Ok(())
    }
}

/// Reads the arguments or results of one operation.
pub(crate) type Reading = fn(&mut Body, &mut CdrReader<'_>, Wide) -> CdrResult<()>;

/// An operation: its `in` and `inout` arguments, and its result with `inout` and `out` arguments.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) arguments: Reading,
    pub(crate) results: Reading,
}

macro_rules! reading {
    ($($name:literal: $type:ty),*) => {
        |_body, _reader, _wide| {
            $(_body.take::<$type>($name, _reader, _wide)?;)*
            Ok(())
        }
    };
}

macro_rules! operations {
    ($($operation:literal ($($arguments:tt)*) -> ($($results:tt)*);)*
    ) => {
        /// The operation of that name; one without arguments or results if it is unknown, as the
        /// probes for names that objects do not have are.
        pub(crate) fn operation(name: &str) -> Operation {
            match name {
                $($operation => Operation {
                    arguments: reading!($($arguments)*),
                    results: reading!($($results)*),
                },)*
                _ => Operation { arguments: reading!(), results: reading!() },
            }
        }
    };
}

type Name = Vec<NameComponent>;

operations! {
    "ping" () -> ();
    "fire" ("n": i32) -> ();
    "_get_name" () -> ("return": String);
    "_get_level" () -> ("return": i32);
    "_set_level" ("value": i32) -> ();
    "op_octet" ("a": u8, "b": u8) -> ("return": u8, "b": u8, "c": u8);
    "op_boolean" ("a": bool) -> ("return": bool);
    "op_char" ("a": char) -> ("return": char);
    "op_wchar" ("a": WChar) -> ("return": WChar);
    "op_short" ("a": i16, "b": i16) -> ("return": i16, "b": i16, "c": i16);
    "op_long" ("a": i32, "b": i32) -> ("return": i32, "b": i32, "c": i32);
    "op_longlong" ("a": i64, "b": u64) -> ("return": i64);
    "op_float" ("a": f32) -> ("return": f32);
    "op_double" ("pad": u8, "a": f64) -> ("return": f64);
    "op_string" ("a": String, "b": String) -> ("return": String, "b": String, "c": String);
    "op_wstring" ("a": WString) -> ("return": WString);
    "op_bstring" ("a": Bounded<String, 8>) -> ("return": Bounded<String, 8>);
    "op_enum" ("a": Color) -> ("return": Color);
    "op_prims" ("a": Prims) -> ("return": Prims);
    "op_person" ("a": Person) -> ("return": Person);
    "op_union" ("a": U) -> ("return": U);
    "op_union_enum" ("a": Ue) -> ("return": Ue);
    "op_union_bool" ("a": Ub) -> ("return": Ub);
    "op_octets" ("a": Octets) -> ("return": Octets);
    "op_longs" ("a": Vec<i32>) -> ("return": Vec<i32>);
    "op_doubles" ("a": Vec<f64>) -> ("return": Vec<f64>);
    "op_strings" ("a": Vec<String>) -> ("return": Vec<String>);
    "op_persons" ("a": Vec<Person>) -> ("return": Vec<Person>);
    "op_shorts4" ("a": Bounded<Vec<i16>, 4>) -> ("return": Bounded<Vec<i16>, 4>);
    "op_nested" ("a": Vec<Vec<i32>>) -> ("return": Vec<Vec<i32>>);
    "op_matrix" ("a": [[i32; 3]; 2]) -> ("return": [[i32; 3]; 2]);
    "op_money" ("a": Fixed<5, 2>) -> ("return": Fixed<5, 2>);
    "op_measure" ("a": Fixed<6, 3>) -> ("return": Fixed<6, 3>);
    "op_longdouble" ("pad": u8, "a": LongDouble) -> ("return": LongDouble);
    "op_node" ("a": Node) -> ("return": Node);
    "op_any" ("a": Any) -> ("return": Any);
    "op_anys" ("a": Vec<Any>) -> ("return": Vec<Any>);
    "op_typecode" ("a": TypeCode) -> ("return": TypeCode);
    "op_strbox" ("a": Value<StrBox>) -> ("return": Value<StrBox>);
    "op_longbox" ("a": Value<LongBox>) -> ("return": Value<LongBox>);
    "op_base" ("a": Value<Base>, "b": Value<Base>) -> ("return": Value<Base>);
    "op_list" ("a": Value<ListNode>) -> ("return": Value<ListNode>);
    "op_abstract" ("a": Described) -> ("return": Described);
    "op_value" ("a": Value<ValueBase>) -> ("return": Value<ValueBase>);
    "op_self" () -> ("return": Reference);
    "op_object" ("a": Reference) -> ("return": Reference);
    "op_leaf" ("a": Reference) -> ("return": Reference);
    "op_bad" ("why": String) -> ();
    "op_empty" () -> ();
    "op_sysex" () -> ();
    "op_callback" ("cb": Reference, "n": i32) -> ();
    "called" ("n": i32) -> ();
    "_is_a" ("id": String) -> ("return": bool);
    "_non_existent" () -> ("return": bool);
    "_not_existent" () -> ("return": bool);
    "_repository_id" () -> ("return": String);
    "_component" () -> ("return": Reference);
    "_domain_managers" () -> ("return": Vec<Reference>);
    "resolve" ("n": Name) -> ("return": Reference);
    "bind" ("n": Name, "obj": Reference) -> ();
    "bind_new_context" ("n": Name) -> ("return": Reference);
    "unbind" ("n": Name) -> ();
    "list" ("how_many": u32) -> ("bl": Vec<Binding>, "bi": Reference);
    "next_one" () -> ("return": bool, "b": Binding);
    "destroy" () -> ();
}

/// Reads a user exception whose id has been taken; an unknown one is carried as octets.
pub(crate) fn user_exception(
    id: &str,
    body: &mut Body,
    reader: &mut CdrReader<'_>,
    wide: Wide,
) -> CdrResult<()> {
    match id {
        Bad::REPOSITORY_ID => body.exception::<Bad>(reader, wide),
        Empty::REPOSITORY_ID => body.exception::<Empty>(reader, wide),
        NotFound::REPOSITORY_ID => body.exception::<NotFound>(reader, wide),
        AlreadyBound::REPOSITORY_ID => body.exception::<AlreadyBound>(reader, wide),
        _ => {
            let id = id.to_owned();
            let members = reader.take(reader.remaining(), "members")?.to_vec();
            body.shown.insert("exception".to_owned(), json!(id));
            body.push(move |writer| {
                writer.write_latin1(&id)?;
                writer.put(&members);
                Ok(())
            });
            Ok(())
        }
    }
}
