//! Checks of values and of an abstract interface.

use zorb::{Abstract, Any, Error, Value};

use super::{Checked, Run, fail, present, require, same};
use crate::interop::things::{
    Choice, Item, NamedServant as _, Node, Numbers, Packed, Pair, Remark, Ring, Shape,
};
use crate::interop::valued::LoseError;
use crate::interop::{Lost, Valued};
use crate::samples::things;

fn item() -> Value<Item> {
    Value::new(Item { name: "one".into(), count: 1, mark: 2 })
}

fn node(number: i32) -> Value<Node> {
    Value::new(Node { number, next: None, other: None })
}

/// The state of a value that has to be there.
pub(super) fn state<K: zorb::codegen::ValueType + Clone>(
    value: Option<&Value<K>>,
) -> Result<K, Error> {
    match value.and_then(Value::get) {
        Some(state) => Ok((*state).clone()),
        None => fail("the value is null"),
    }
}

fn same_item(found: Option<&Value<Item>>) -> Checked {
    same("the item", &state(found)?, &state(Some(&item()))?)
}

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    things::register(run.orb);
    let values = &present(run.suite.valued_tests()?)?;
    run.check("values/null", || {
        let (result, b, c) = values.echo_item(None, Some(&item()))?;
        require(result.is_none() && b.is_none(), "not null")?;
        same_item(c.as_ref())
    });
    run.check("values/box", || {
        let [said, before] = ["said", "before"].map(|text| Remark(text.into()));
        let (a, b) = (Value::new(said.clone()), Value::new(before.clone()));
        let (result, b, c) = values.echo_remark(Some(&a), Some(&b))?;
        same("the result", &state(result.as_ref())?, &said)?;
        same("the inout parameter", &state(b.as_ref())?, &said)?;
        same("the out parameter", &state(c.as_ref())?, &before)
    });
    run.check("values/box_of_sequence", || {
        let (a, b) = (Value::new(Numbers(vec![7, -7])), Value::new(Numbers(vec![1])));
        let (result, _, c) = values.echo_numbers(Some(&a), Some(&b))?;
        same("the result", &state(result.as_ref())?.0, &vec![7, -7])?;
        same("the out parameter", &state(c.as_ref())?.0, &vec![1])
    });
    run.check("values/null_box", || {
        let before = Value::new(Remark("before".into()));
        let (result, b, c) = values.echo_remark(None, Some(&before))?;
        require(result.is_none() && b.is_none(), "not null")?;
        same("the out parameter", state(c.as_ref())?.0.as_str(), "before")
    });
    run.check("values/custom", || {
        let [a, b] =
            [(1, "one"), (2, "two")].map(|(number, text)| Packed { number, text: text.into() });
        let sent = [&a, &b].map(|packed| Value::new(packed.clone()));
        let (result, b_after, c) = values.echo_packed(Some(&sent[0]), Some(&sent[1]))?;
        same("the result", &state(result.as_ref())?, &a)?;
        require(result == b_after, "the results are not one value")?;
        same("the out parameter", &state(c.as_ref())?, &b)
    });
    run.check("values/union", || {
        let words = Choice::Words(Some(Value::new(Remark("said".into()))));
        let (result, _, c) = values.echo_choice(&Choice::Thing(Some(item())), &words)?;
        match (result, c) {
            (Choice::Thing(thing), Choice::Words(words)) => {
                same_item(thing.as_ref())?;
                same("the words", state(words.as_ref())?.0.as_str(), "said")
            }
            other => fail(format!("other members: {other:?}")),
        }
    });
    check_sharing(run, values);
    check_types(run, values);
    check_abstract(run, values);
    Ok(())
}

fn check_sharing(run: &mut Run<'_>, values: &Valued) {
    run.check("values/is_same", || {
        let (one, other) = (node(1), node(1));
        require(values.is_same(Some(&one), Some(&one))?, "one value became two")?;
        require(!values.is_same(Some(&one), Some(&other))?, "two values became one")?;
        require(values.is_same(None, None)? && !values.is_same(Some(&one), None)?, "null")
    });
    run.check("values/shared_results", || {
        let a = item();
        let (result, b, c) = values.echo_item(Some(&a), None)?;
        same_item(result.as_ref())?;
        require(result == b && c.is_none(), "the results are not one value")?;
        require(result.as_ref() != Some(&a), "the result is no copy")
    });
    run.check("values/shared_members", || {
        let shared = node(5);
        let a = Pair { lead: 1, one: Some(shared.clone()), two: Some(shared), last: 2 };
        let b = Pair { lead: 3, one: None, two: None, last: 4 };
        let (result, _, c) = values.echo_pair(&a, &b)?;
        require(result.one == result.two, "not shared")?;
        let number = state(result.one.as_ref())?.number;
        same("the result", &(result.lead, number, result.last), &(1, 5, 2))?;
        same("the out parameter", &c, &b)
    });
    run.check("values/shared_elements", || {
        let shared = item();
        let (result, _, c) = values.echo_items(&[Some(shared.clone()), None, Some(shared)], &[])?;
        let [first, None, third] = result.as_slice() else {
            return fail(format!("other elements: {result:?}"));
        };
        same_item(first.as_ref())?;
        require(first == third && c.is_empty(), "not shared")
    });
    run.check("values/cycle", || {
        let first = Value::new_cyclic(|first| {
            let third = Value::new(Node { number: 3, next: Some(first.clone()), other: None });
            let second = Value::new_cyclic(|second| Node {
                number: 2,
                next: Some(third),
                other: Some(second.clone()),
            });
            Node { number: 1, next: Some(second), other: None }
        });
        same("the count", &values.count(Some(&first))?, &3)?;
        let (result, _, _) = values.echo_node(Some(&first), None)?;
        let one = state(result.as_ref())?;
        let two = state(one.next.as_ref())?;
        let three = state(two.next.as_ref())?;
        same("the numbers", &(one.number, two.number, three.number), &(1, 2, 3))?;
        require(three.next == result && two.other == one.next, "the cycle")
    });
    run.check("values/exception", || {
        let last =
            Value::new_cyclic(|last| Node { number: 9, next: None, other: Some(last.clone()) });
        match values.lose(Some(&last)) {
            Err(LoseError::Lost(Lost { last })) => {
                let found = state(last.as_ref())?;
                same("the number", &found.number, &9)?;
                require(found.other == last, "the cycle")
            }
            Err(error) => Err(error.into()),
            Ok(()) => fail("nothing was raised"),
        }
    });
}

fn check_types(run: &mut Run<'_>, values: &Valued) {
    run.check("values/derived", || {
        let ring = things::ring("gold", 3.0, 1.0);
        let (result, _, _) = values.echo_shape(Some(&ring), None)?;
        let ring = result.as_ref().and_then(Value::downcast::<Ring>);
        let ring = state(ring.as_ref())?;
        same("the holes", &(ring.hole, ring.base.radius), &(1.0, 3.0))?;
        same("the id", ring.base.base.id.as_str(), "gold")
    });
    run.check("values/made", || {
        for name in ["shape plain", "circle round", "ring gold", "dot dot", "nil"] {
            let kind = name.split(' ').next().unwrap_or_default();
            let made = values.make(kind)?;
            same("what was made", things::describe(made.as_ref()).as_str(), name)?;
            same("what arrived", values.describe(made.as_ref())?.as_str(), name)?;
        }
        Ok(())
    });
    run.check("values/truncated", || {
        let (alien, after) = (things::alien("little"), things::dot("after"));
        same("what arrived", values.describe(Some(&alien))?.as_str(), "circle little")?;
        let (result, _, c) = values.echo_shape(Some(&alien), Some(&after))?;
        same("the result", things::describe(result.as_ref()).as_str(), "circle little")?;
        same("what came after", things::describe(c.as_ref()).as_str(), "dot after")
    });
    run.check("values/base", || {
        let back = values.echo_base(Some(&item().upcast()))?;
        same_item(back.and_then(|back| back.downcast::<Item>()).as_ref())?;
        require(values.echo_base(None)?.is_none(), "not null")
    });
    run.check("values/any", || {
        let any: Any = values.wrap(Some(&item()))?;
        same_item(any.get::<Value<Item>>().flatten().as_ref())?;
        same_item(values.unwrap(&any)?.as_ref())
    });
}

fn check_abstract(run: &mut Run<'_>, values: &Valued) {
    run.check("values/abstract_object", || {
        let object = values.make_named("object")?;
        let Some(Abstract::Object(tag)) = &object else {
            return fail(format!("no object: {object:?}"));
        };
        same("its label", tag.label()?.as_str(), "tag")?;
        same("its label there", values.label_of(object.as_ref())?.as_str(), "tag")?;
        let (result, _, c) = values.echo_named(object.as_ref(), None)?;
        require(result == object && c.is_none(), "not echoed")
    });
    run.check("values/abstract_value", || {
        let value = values.make_named("value")?;
        let shape = value.as_ref().and_then(Abstract::value::<Shape>);
        same("its label", state(shape.as_ref())?.label()?.as_str(), "shape round")?;
        same("its label there", values.label_of(value.as_ref())?.as_str(), "shape round")
    });
    run.check("values/abstract_nil", || {
        require(values.make_named("nil")?.is_none(), "not nil")?;
        same("its label there", values.label_of(None)?.as_str(), "nil")
    });
}
