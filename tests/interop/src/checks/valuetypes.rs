//! Checks of what valuetypes take over and how values are made, of values in anys, and of their types.

use zorb::{Abstract, Any, Error, Typed, Value};

use super::values::state;
use super::{Checked, Run, fail, present, require, same};
use crate::interop::things::{
    Bulky, Item, Named, Node, Numbers, Packed, Pair, Parcel, ParcelFactory as _, Remark, Ring,
    Shape, WeighedServant as _,
};
use crate::samples::things;

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let values = &present(run.suite.valued_tests()?)?;
    run.check("valuetypes/initialiser", || {
        let (glass, stone) = (Parcel::wrapped("glass", 3)?, Parcel::bare("stone")?);
        let (result, b, c) = values.echo_parcel(Some(&glass), Some(&stone))?;
        same("the result", &state(result.as_ref())?, &state(Some(&glass))?)?;
        require(result == b, "the results are not one value")?;
        same("the out parameter", &state(c.as_ref())?, &state(Some(&stone))?)
    });
    run.check("valuetypes/supports", || {
        let glass = Parcel::wrapped("glass", 3)?;
        same("its weight there", &values.weigh(Some(&glass))?, &35)?;
        let (back, _, _) = values.echo_parcel(Some(&glass), None)?;
        same("its weight", &state(back.as_ref())?.weigh()?, &35)
    });
    run.check("valuetypes/abstract", || {
        let glass = Parcel::wrapped("glass", 3)?;
        let bulky: Value<Bulky> = glass.upcast();
        same("its size there", &values.size_of(Some(&bulky))?, &5)?;
        let back = values.same_bulky(Some(&bulky))?;
        let back = back.and_then(|back| back.downcast::<Parcel>());
        same("what came back", &state(back.as_ref())?, &state(Some(&glass))?)
    });
    run.check("valuetypes/abstract_null", || {
        require(values.same_bulky(None)?.is_none() && values.size_of(None)? == 0, "not null")
    });
    let types = &present(run.suite.type_tests()?)?;
    let kinds = [
        ("plain", Value::<Item>::type_code()),
        ("recursive", Value::<Node>::type_code()),
        ("derived", Value::<Ring>::type_code()),
        ("custom", Value::<Packed>::type_code()),
        ("box", Value::<Remark>::type_code()),
        ("box_of_sequence", Value::<Numbers>::type_code()),
        ("of_abstract", Value::<Parcel>::type_code()),
        ("abstract", Value::<Bulky>::type_code()),
        ("abstract_interface", Abstract::<Named>::type_code()),
        ("struct", Pair::type_code()),
    ];
    for (name, kind) in kinds {
        run.echo(&format!("valuetypes/type_{name}"), &[kind], |a, b| types.echo_type(a, b));
    }
    Ok(())
}

/// What an any comes back as whose contents are these.
fn echoed<T: Typed>(run: &Run<'_>, value: &T::View) -> Result<T::Value, Error> {
    let anys = present(run.suite.any_tests()?)?;
    let sent = Any::new::<T>(value).or_else(|error| fail(error.to_string()))?;
    let (result, b, c) = anys.echo_any(&sent, &Any::default())?;
    same("the out parameter", &c, &Any::default())?;
    require(b.type_code().equivalent(sent.type_code()), "the inout parameter has another type")?;
    run.orb.extract::<T>(&result).map_or_else(|| fail(format!("another type: {result:?}")), Ok)
}

/// Values in anys that the server passes on.
pub(super) fn check_anys(run: &mut Run<'_>) -> Checked {
    let mut check = |name: &str, body: &dyn Fn(&Run<'_>) -> Checked| {
        let result = body(run);
        run.report(name, result);
    };
    check("value_anys/plain", &|run| {
        let item = Item { name: "one".into(), count: 1, mark: 2 };
        let back = echoed::<Value<Item>>(run, &Some(Value::new(item.clone())))?;
        same("the item", &state(back.as_ref())?, &item)
    });
    check("value_anys/null", &|run| {
        require(echoed::<Value<Item>>(run, &None)?.is_none(), "not null")
    });
    check("value_anys/box", &|run| {
        let back = echoed::<Value<Remark>>(run, &Some(Value::new(Remark("said".into()))))?;
        same("the remark", state(back.as_ref())?.0.as_str(), "said")
    });
    check("value_anys/cycle", &|run| {
        let node =
            Value::new_cyclic(|node| Node { number: 9, next: None, other: Some(node.clone()) });
        let back = echoed::<Value<Node>>(run, &Some(node))?;
        let found = state(back.as_ref())?;
        same("the number", &found.number, &9)?;
        require(found.other == back, "the cycle")
    });
    check("value_anys/derived", &|run| {
        let back = echoed::<Value<Shape>>(run, &Some(things::ring("gold", 3.0, 1.0)))?;
        same("what came back", things::describe(back.as_ref()).as_str(), "ring gold")
    });
    check("value_anys/shared_members", &|run| {
        let node = Some(Value::new(Node { number: 5, next: None, other: None }));
        let pair = Pair { lead: 1, one: node.clone(), two: node, last: 2 };
        let back = echoed::<Pair>(run, &pair)?;
        same("the number", &state(back.one.as_ref())?.number, &5)?;
        require(back.one == back.two && back.last == 2, "not shared")
    });
    Ok(())
}
