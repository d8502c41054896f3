//! Maps.

use alloc::collections::BTreeMap;

use crate::{Bounded, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};

/// The IDL type `map<K, V>`: encoded as a sequence of pairs in the order of the keys.
///
/// Of received pairs with the same key, the last one counts.
impl<K, V> Wire for BTreeMap<K, V>
where
    K: Wire<Value: Ord>,
    V: Wire,
{
    type Value = BTreeMap<K::Value, V::Value>;
    type View = BTreeMap<K::Value, V::Value>;
    type Borrowed<'a> = BTreeMap<K::Value, V::Value>;
    const MIN_SIZE: usize = 4;

    fn view(value: &Self::Value) -> &Self::View {
        value
    }

    fn write(value: &Self::View, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(value.len(), "map")?;
        value.iter().try_for_each(|(key, value)| {
            K::write(K::view(key), writer)?;
            V::write(V::view(value), writer)
        })
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self::Value> {
        read_up_to::<K, V>(reader, u32::MAX)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self::Value> {
        Self::read(reader)
    }
}

impl<K, V, const N: u32> Wire for Bounded<BTreeMap<K, V>, N>
where
    K: Wire<Value: Ord>,
    V: Wire,
{
    type Value = BTreeMap<K::Value, V::Value>;
    type View = BTreeMap<K::Value, V::Value>;
    type Borrowed<'a> = BTreeMap<K::Value, V::Value>;
    const MIN_SIZE: usize = 4;

    fn view(value: &Self::Value) -> &Self::View {
        value
    }

    fn write(value: &Self::View, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        if value.len() > N as usize {
            return Err(writer.error(CdrErrorKind::BoundExceeded, "map"));
        }
        <BTreeMap<K, V>>::write(value, writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self::Value> {
        read_up_to::<K, V>(reader, N)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self::Value> {
        Self::read(reader)
    }
}

/// A map of at most so many pairs.
fn read_up_to<K, V>(
    reader: &mut CdrReader<'_>,
    bound: u32,
) -> CdrResult<BTreeMap<K::Value, V::Value>>
where
    K: Wire<Value: Ord>,
    V: Wire,
{
    reader.step(4);
    let count = reader.read_count(K::MIN_SIZE.saturating_add(V::MIN_SIZE), "map")?;
    if count > bound as usize {
        return Err(reader.error(CdrErrorKind::BoundExceeded, "map"));
    }
    let mut map = BTreeMap::new();
    for _ in 0..count {
        let key = K::read(reader)?;
        map.insert(key, V::read(reader)?);
    }
    Ok(map)
}
