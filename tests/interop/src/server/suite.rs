//! The test object: the way to all others.

use super::World;
use super::data::Echo;
use super::refs::{AnyEcho, Referrer};
use super::state::{Guard, Log, Raiser, Setting};
use zorb::dynamic::Dynamic as ByRequest;
use zorb::{Interface as _, ObjectRef};

use super::dynamic::Untyped;
use crate::interop::{
    Anys, Arrays, Basics, Constants, Contexts, Decimals, Dynamic, Events, Faults, Guarded, Lists,
    LongDoubles, Macros, Names, Records, Recursion, Refs, Settings, Suite, SuiteServant, Texts,
    Types, Unions, Valued, WideTypes, Wides,
};

struct Everything {
    world: World,
    basics: Basics,
    texts: Texts,
    wides: Wides,
    records: Records,
    lists: Lists,
    arrays: Arrays,
    unions: Unions,
    recursion: Recursion,
    names: Names,
    macros: Macros,
    faults: Faults,
    guarded: Guarded,
    refs: Refs,
    anys: Anys,
    constants: Constants,
    decimals: Decimals,
    long_doubles: LongDoubles,
    types: Types,
    wide_types: WideTypes,
    dynamic: Dynamic,
    contexts: Contexts,
    valued: Valued,
}

/// Activates all objects and returns the first.
pub(super) fn new(world: &World) -> zorb::Result<Suite> {
    let everything = Everything {
        world: world.clone(),
        basics: world.add("basics", Echo::default())?,
        texts: world.add("texts", Echo::default())?,
        wides: world.add("wides", Echo::default())?,
        records: world.add("records", Echo::default())?,
        lists: world.add("lists", Echo::default())?,
        arrays: world.add("arrays", Echo::default())?,
        unions: world.add("unions", Echo::default())?,
        recursion: world.add("recursion", Echo::default())?,
        names: world.add("names", Echo::default())?,
        macros: world.add("macros", Echo::default())?,
        faults: world.add("faults", Raiser)?,
        guarded: world.add("guarded", Guard::default())?,
        refs: world.add("refs", Referrer::new(world)?)?,
        anys: world.add("anys", AnyEcho)?,
        constants: world.add("constants", Echo::default())?,
        decimals: world.add("decimals", Echo::default())?,
        long_doubles: world.add("long_doubles", Echo::default())?,
        types: world.add("types", Echo::default())?,
        wide_types: world.add("wide_types", Echo::default())?,
        dynamic: Dynamic::from_object(
            world.add::<_, ObjectRef>("dynamic", ByRequest(Untyped::default()))?,
        ),
        contexts: world.add("contexts", Echo::default())?,
        valued: world.add("valued", super::values::Echo::new(world)?)?,
    };
    world.add("suite", everything)
}

macro_rules! answers {
    ($($attribute:ident: $interface:ident = $member:ident;)*) => {
        $(fn $attribute(&self) -> zorb::Result<Option<$interface>> {
            Ok(Some(self.$member.clone()))
        })*
    };
}

impl SuiteServant for Everything {
    fn peer(&self) -> zorb::Result<String> {
        Ok("Zorb".into())
    }

    answers! {
        basic_types: Basics = basics;
        text_types: Texts = texts;
        wide_types: Wides = wides;
        record_types: Records = records;
        list_types: Lists = lists;
        array_types: Arrays = arrays;
        union_types: Unions = unions;
        recursive_types: Recursion = recursion;
        name_tests: Names = names;
        macro_tests: Macros = macros;
        fault_tests: Faults = faults;
        guarded_attributes: Guarded = guarded;
        reference_tests: Refs = refs;
        any_tests: Anys = anys;
        constant_tests: Constants = constants;
        decimal_types: Decimals = decimals;
        long_double_types: LongDoubles = long_doubles;
        type_tests: Types = types;
        wide_text_types: WideTypes = wide_types;
        dynamic_tests: Dynamic = dynamic;
        context_tests: Contexts = contexts;
        valued_tests: Valued = valued;
    }

    fn new_settings(&self, label: &str) -> zorb::Result<Option<Settings>> {
        let id = World::fresh_id("settings");
        self.world.add(&id, Setting::new(&self.world, &id, label)).map(Some)
    }

    fn new_events(&self) -> zorb::Result<Option<Events>> {
        self.world.add(&World::fresh_id("events"), Log::default()).map(Some)
    }

    fn shutdown(&self) {
        // An upcall cannot wait for the end of all upcalls.
        let _ = self.world.orb.shutdown(false);
    }
}
