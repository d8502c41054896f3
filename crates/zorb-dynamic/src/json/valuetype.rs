//! Converts JSON to values of valuetypes.

use std::sync::Arc;

use serde_json::Value;
use zorb_cdr::{CdrErrorKind, CdrWriter};
use zorb_types::{TcKind, TypeCode, value_ids};

use super::encoder::Encoder;
use super::input::{expected, no_encoding, object, string};
use super::{BOXED, JsonError, REFERENCE, TYPE, type_named};
use crate::dyn_any::value::state_of;

impl Encoder<'_, '_, '_> {
    /// Encodes a valuetype, or the valuetype in an abstract interface.
    pub(super) fn valuetype(
        &mut self,
        json: &Value,
        type_code: &TypeCode,
    ) -> Result<(), JsonError> {
        if json.is_null() {
            self.writer.write_u32(0);
            return Ok(());
        }
        if let Some(path) = json.get(REFERENCE) {
            return self.shared(string(path, "the way to a value")?);
        }
        let named = json.get(TYPE);
        let type_code = match named {
            Some(name) => string(name, "a type")
                .and_then(|name| type_named(name, self.scope).map_err(JsonError::new))
                .map_err(|error| error.in_member(TYPE))?
                .resolved(),
            None => type_code.clone(),
        };
        if !matches!(type_code.kind(), TcKind::Value | TcKind::Event | TcKind::ValueBox) {
            return Err(expected("a reference, or a value with its \"$type\"", json));
        }
        let key = Arc::new(0);
        self.values.insert(self.path.clone(), Arc::clone(&key));
        let ids = value_ids(&type_code);
        let address = Arc::as_ptr(&key).addr();
        let Self { scope, path, values, .. } = self;
        let (mut failure, scope) = (None, *scope);
        let written = self.writer.write_value(address, key, &ids, ids.len() > 1, |writer| {
            let way = std::mem::take(path);
            let mut inner = Encoder { scope, writer, path: way, values };
            let written = inner.state(json, &type_code, named.is_some()).map_err(|error| {
                failure = Some(error);
                stopped(inner.writer)
            });
            *path = inner.path;
            written
        });
        written.map_err(|error| failure.unwrap_or_else(|| no_encoding(&error)))
    }

    /// Encodes an indirection to the value at this path.
    fn shared(&mut self, path: &str) -> Result<(), JsonError> {
        let key = self.values.get(path).map(|key| Arc::as_ptr(key).addr());
        match key.filter(|&key| self.writer.has_value(key)) {
            Some(key) => self
                .writer
                .write_value::<String>(key, (), &[], false, |_| Ok(()))
                .map_err(|error| no_encoding(&error)),
            None => Err(JsonError::new(format!("there is no value at {path:?} before this"))),
        }
    }

    fn state(&mut self, json: &Value, type_code: &TypeCode, named: bool) -> Result<(), JsonError> {
        if type_code.kind() == TcKind::ValueBox {
            let boxed = type_code.content_type().unwrap_or_default();
            if !named {
                return self.value(json, &boxed);
            }
            let inner = json.get(BOXED);
            let inner = inner.ok_or_else(|| JsonError::new("the member \"$value\" is missing"))?;
            let step = format!(".{BOXED}");
            return self.part(&step, inner, &boxed).map_err(|error| error.in_member(BOXED));
        }
        let object = object(json, type_code)?;
        let members = state_of(type_code).map_err(|error| no_encoding(&error))?;
        let known = |name: &str| members.iter().any(|(member, _)| member == name);
        if let Some(name) = object.keys().find(|name| *name != TYPE && !known(name)) {
            return Err(JsonError::new(format!("{} has no member {name:?}", type_code.name())));
        }
        for (name, member) in &members {
            let Some(value) = object.get(name) else {
                return Err(JsonError::new(format!("the member {name:?} is missing")));
            };
            let step = format!(".{name}");
            self.part(&step, value, member).map_err(|error| error.in_member(name))?;
        }
        Ok(())
    }
}

/// The error with which the encoder stops at invalid JSON.
fn stopped(writer: &CdrWriter<'_>) -> zorb_cdr::CdrError {
    writer.error(CdrErrorKind::BadText, "JSON")
}
