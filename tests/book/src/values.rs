//! Valuetypes: state, operations, and calls that carry them.

use zorb::{Abstract, CdrReader, CdrResult, CdrWriter, CustomMarshal, Orb, Value, ValueBase};

use crate::idl::mapping::{
    Catalogue, CatalogueServant, Dated, DatedOperations, Entry, EntryFactory, EntryOperations,
    Packed, Printable, PrintableServant, RareEntry, RareEntryOperations, Remark,
};

impl PrintableServant for Entry {
    fn printed(&self) -> zorb::Result<String> {
        Ok(format!("{} ({} copies)", self.title, self.copies))
    }
}

impl EntryOperations for Entry {
    fn is_rare(&self) -> zorb::Result<bool> {
        Ok(self.copies < 10)
    }
}

impl EntryFactory for Entry {
    fn of_title(title: &str) -> zorb::Result<Value<Self>> {
        Ok(Value::new(Self { title: title.to_owned(), copies: 1, ..Self::default() }))
    }
}

impl PrintableServant for RareEntry {
    fn printed(&self) -> zorb::Result<String> {
        Ok(format!("{}, of {}", self.base.printed()?, self.year))
    }
}

impl EntryOperations for RareEntry {
    fn is_rare(&self) -> zorb::Result<bool> {
        Ok(true)
    }
}

impl DatedOperations for RareEntry {
    fn year_of_print(&self) -> zorb::Result<u16> {
        Ok(self.year)
    }
}

impl RareEntryOperations for RareEntry {}

impl CustomMarshal for Packed {
    fn marshal(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        let octets: Vec<u8> = self.bits.chunks(8).map(pack).collect();
        writer.write_octets(&octets)
    }

    fn unmarshal(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let octets = reader.read_octets()?;
        let bits = octets.iter().flat_map(|octet| (0..8).map(move |bit| octet >> bit & 1));
        Ok(Self { bits: bits.collect() })
    }
}

fn pack(bits: &[u8]) -> u8 {
    bits.iter().rev().fold(0, |octet, bit| octet << 1 | bit & 1)
}

/// Values, their state, and sharing.
pub fn states() -> zorb::Result<String> {
    let raven = Entry::of_title("The Raven")?;
    let note = Value::new(Remark("signed".to_owned()));
    let bells = Value::new(Entry {
        title: "The Bells".to_owned(),
        note: Some(note),
        see_also: Some(raven.clone()),
        ..Entry::default()
    });
    let mut text = String::new();
    if let Some(state) = bells.get() {
        assert_eq!(state.see_also, Some(raven));
        text = state.printed()?;
    }
    Ok(text)
}

/// Cyclic values.
pub fn cycles() -> bool {
    let ring = Value::new_cyclic(|ring| Entry {
        title: "The Snake".to_owned(),
        see_also: Some(ring.clone()),
        ..Entry::default()
    });
    ring.get().is_some_and(|state| state.see_also == Some(ring.clone()))
}

/// Values of derived types.
pub fn heirs() -> zorb::Result<String> {
    let entry = Entry { title: "The Raven".to_owned(), ..Entry::default() };
    let rare = Value::new(RareEntry { base: entry, year: 1845 });
    let entry: Value<Entry> = rare.upcast();
    let dated: Value<Dated> = rare.upcast();
    assert_eq!(dated.operations()?.year_of_print()?, 1845);
    assert!(entry.operations()?.is_rare()?);
    match entry.downcast::<RareEntry>().as_ref().and_then(Value::get) {
        Some(rare) => rare.printed(),
        None => Ok(String::new()),
    }
}

/// A catalogue of a few entries.
#[derive(Debug)]
pub struct MyCatalogue;

impl CatalogueServant for MyCatalogue {
    fn find(&self, title: &str) -> zorb::Result<Option<Value<Entry>>> {
        let base = Entry { title: title.to_owned(), ..Entry::default() };
        Ok(Some(Value::new(RareEntry { base, year: 1845 }).upcast()))
    }

    fn count_different(
        &self,
        one: Option<&Value<Entry>>,
        other: Option<&Value<Entry>>,
    ) -> zorb::Result<u32> {
        Ok(if one == other { 1 } else { 2 })
    }

    fn newest(&self) -> zorb::Result<Option<Abstract<Printable>>> {
        let value = Entry::of_title("The Bells")?.upcast();
        Ok(Some(Abstract::Value(value)))
    }

    fn latest(&self) -> zorb::Result<Option<Value<ValueBase>>> {
        let packed = Value::new(Packed { bits: vec![1, 0, 1, 1, 0, 0, 0, 1] });
        Ok(Some(packed.upcast()))
    }
}

/// Calls.
pub fn calls(orb: &Orb, catalogue: &Catalogue) -> Result<(), zorb::Error> {
    let entry = Entry::of_title("The Raven")?;
    assert_eq!(catalogue.count_different(Some(&entry), Some(&entry))?, 1);
    assert_eq!(catalogue.count_different(Some(&entry), None)?, 2);

    let cut = catalogue.find("The Raven")?;
    assert!(cut.is_some_and(|entry| entry.downcast::<RareEntry>().is_none()));
    orb.register_value::<RareEntry>();
    let whole = catalogue.find("The Raven")?;
    assert!(whole.is_some_and(|entry| entry.downcast::<RareEntry>().is_some()));

    orb.register_value::<Entry>();
    match catalogue.newest()? {
        Some(Abstract::Object(object)) => println!("{}", object.printed()?),
        Some(Abstract::Value(value)) => assert!(value.downcast::<Entry>().is_some()),
        None => {}
    }
    if let Some(newest) = catalogue.newest()? {
        assert_eq!(newest.operations()?.printed()?, "The Bells (1 copies)");
    }

    orb.register_value::<Packed>();
    let latest = catalogue.latest()?.and_then(|value| value.downcast::<Packed>());
    let bits = latest.as_ref().and_then(Value::get).map(|packed| packed.bits.len());
    assert_eq!(bits, Some(8));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_the_book_says() {
        assert_eq!(states().unwrap(), "The Bells (0 copies)");
        assert!(cycles());
        assert_eq!(heirs().unwrap(), "The Raven (0 copies), of 1845");
    }

    #[test]
    fn calls_do_what_the_book_says() {
        let orb = || {
            let builder = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
            builder.build().unwrap()
        };
        let (server, client) = (orb(), orb());
        let catalogue: Catalogue = server.root_poa().activate(MyCatalogue).unwrap();
        let there = client.resolve(&zorb::Interface::to_ior_string(&catalogue)).unwrap();
        calls(&client, &there).unwrap();
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}
