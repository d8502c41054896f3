//! What transactions read and write: tables of the database.

use std::collections::HashMap;
use std::ops::ControlFlow;

use redb::{Database, ReadTransaction, ReadableTable as _, TableDefinition, TableError};

use crate::{Batch, Visit};

type Definition<'a> = TableDefinition<'a, &'static [u8], &'static [u8]>;

pub(super) fn definition(table: &str) -> Result<Definition<'_>, redb::Error> {
    // The constructor panics.
    match table.is_empty() {
        true => Err(redb::Error::TableDoesNotExist(String::new())),
        false => Ok(Definition::new(table)),
    }
}

/// `None` if there is no such table.
pub(super) fn opened<T>(table: Result<T, TableError>) -> Result<Option<T>, redb::Error> {
    match table {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn scan(
    transaction: &ReadTransaction,
    table: &str,
    visit: &mut Visit<'_>,
) -> Result<ControlFlow<()>, redb::Error> {
    let Some(table) = opened(transaction.open_table(definition(table)?))? else {
        return Ok(ControlFlow::Continue(()));
    };
    for entry in table.iter()? {
        let (key, value) = entry?;
        if visit(key.value(), value.value()).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Whether all changes are there.
pub(super) fn contains(database: &Database, batches: &[Batch]) -> Result<bool, redb::Error> {
    let transaction = database.begin_read()?;
    let changes = batches.iter().flat_map(Batch::changes);
    let last: HashMap<_, _> = changes
        .map(|change| ((change.table.as_ref(), change.key.as_slice()), change.value.as_deref()))
        .collect();
    for ((table, key), value) in last {
        let table = opened(transaction.open_table(definition(table)?))?;
        let found = table.map(|table| table.get(key)).transpose()?.flatten();
        if found.as_ref().map(|found| found.value()) != value {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) fn write(database: &Database, batches: &[Batch]) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    let mut tables = HashMap::new();
    for change in batches.iter().flat_map(Batch::changes) {
        let name = change.table.as_ref();
        if !tables.contains_key(name) {
            tables.insert(name, transaction.open_table(definition(name)?)?);
        }
        let Some(table) = tables.get_mut(name) else { continue };
        match &change.value {
            Some(value) => table.insert(change.key.as_slice(), value.as_slice())?,
            None => table.remove(change.key.as_slice())?,
        };
    }
    drop(tables);
    transaction.commit()?;
    Ok(())
}
