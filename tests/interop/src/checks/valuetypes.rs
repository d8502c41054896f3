//! Checks of what valuetypes take over and how values are made, and of their types.

use zorb::{Abstract, Typed as _, Value};

use super::values::state;
use super::{Checked, Run, present, require, same};
use crate::interop::things::{
    Bulky, Item, Named, Node, Numbers, Packed, Pair, Parcel, ParcelFactory as _, Remark, Ring,
    WeighedServant as _,
};

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
