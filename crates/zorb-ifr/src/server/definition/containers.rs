//! The read operations of containers, and of the repository itself.

use zorb::dynamic::repository::{RenamedIds, Repository};
use zorb::{Interface, ObjectRef, Ref, SystemException, TypeCode};
use zorb_core::Served;

use super::super::call::argument;
use super::super::kind;
use super::Request;
use crate::corba;
use corba::{DefinitionKind, container};

impl Request<'_, '_> {
    /// `Container`
    pub(super) fn container(&mut self, operation: &str) -> Option<Served> {
        Some(match operation {
            "lookup" => self.lookup(),
            "contents" => self.contents(),
            "lookup_name" => self.lookup_name(),
            "describe_contents" => self.describe_contents(),
            _ => return None,
        })
    }

    fn lookup(&mut self) -> Served {
        let name = self.call.argument::<String>()?;
        let found = self.view.lookup(self.entry_id, &name);
        self.reply_reference::<corba::Contained>(found)
    }

    fn contents(&mut self) -> Served {
        let wanted = self.call.argument::<DefinitionKind>()?;
        let exclude_inherited = self.call.argument::<bool>()?;
        let found = self.view.contents(self.entry_id, wanted, exclude_inherited);
        self.reply::<Vec<Ref<corba::Contained>>>(&self.view.references(found))
    }

    fn lookup_name(&mut self) -> Served {
        let name = self.call.argument::<String>()?;
        let levels = self.call.argument::<i32>()?;
        let wanted = self.call.argument::<DefinitionKind>()?;
        let exclude_inherited = self.call.argument::<bool>()?;
        let found = self.view.lookup_name(self.entry_id, &name, levels, wanted, exclude_inherited);
        self.reply::<Vec<Ref<corba::Contained>>>(&self.view.references(found))
    }

    fn describe_contents(&mut self) -> Served {
        let wanted = self.call.argument::<DefinitionKind>()?;
        let exclude_inherited = self.call.argument::<bool>()?;
        // -1 means unlimited.
        let limit = usize::try_from(self.call.argument::<i32>()?).unwrap_or(usize::MAX);
        let mut descriptions = Vec::new();
        let found = self.view.contents(self.entry_id, wanted, exclude_inherited);
        for entry_id in found.into_iter().take(limit) {
            let described = self.view.describe(entry_id)?;
            descriptions.push(container::Description {
                contained_object: self.view.reference(entry_id),
                kind: described.kind,
                value: described.value,
            });
        }
        self.reply::<container::DescriptionSeq>(&descriptions)
    }

    /// `Repository`
    pub(super) fn repository(&mut self, operation: &str) -> Option<Served> {
        Some(match operation {
            "lookup_id" => self.lookup_id(),
            "get_canonical_typecode" => self.canonical(),
            "get_primitive" => self.made::<corba::PrimitiveDef>(|request| {
                Ok(kind::primitive(request.call.argument::<corba::PrimitiveKind>()?))
            }),
            "create_string" => self.made::<corba::StringDef>(|request| {
                Ok(TypeCode::string(request.call.argument::<u32>()?))
            }),
            "create_wstring" => self.made::<corba::WstringDef>(|request| {
                Ok(TypeCode::wstring(request.call.argument::<u32>()?))
            }),
            "create_sequence" => self.made::<corba::SequenceDef>(|request| {
                let bound = request.call.argument::<u32>()?;
                Ok(TypeCode::sequence(&request.type_argument()?, bound)?)
            }),
            "create_array" => self.made::<corba::ArrayDef>(|request| {
                let length = request.call.argument::<u32>()?;
                Ok(TypeCode::array(&request.type_argument()?, length)?)
            }),
            "create_fixed" => self.made::<corba::FixedDef>(|request| {
                let digits = request.call.argument::<u16>()?;
                Ok(TypeCode::fixed(digits, request.call.argument::<i16>()?)?)
            }),
            _ => return None,
        })
    }

    fn lookup_id(&mut self) -> Served {
        let id = self.call.argument::<String>()?;
        let found = self.view.repository.lookup_id(&id);
        self.reply_reference::<corba::Contained>(
            found.filter(|entry_id| *entry_id != Repository::ROOT),
        )
    }

    /// Completes a type with the names in the repository.
    fn canonical(&mut self) -> Served {
        let given = argument::<TypeCode>(self.call)?;
        let known = self.view.repository.canonical(&given, &RenamedIds::new());
        self.reply::<TypeCode>(&known.unwrap_or(given))
    }

    /// Returns the object of the type in the arguments.
    fn made<T: Interface>(
        &mut self,
        type_code: impl FnOnce(&mut Self) -> Result<TypeCode, SystemException>,
    ) -> Served {
        let type_code = type_code(self)?;
        // Types that nobody has used take memory.
        let is_primitive = kind::of_type(&type_code) == DefinitionKind::DkPrimitive;
        if !is_primitive && !self.view.shared.has_type(&type_code) {
            self.view.shared.check_writer()?;
        }
        let object: T = self.view.shared.type_object(&type_code)?;
        self.reply::<Ref<T>>(&Some(object))
    }

    /// Reads a type argument, which must be in this repository.
    fn type_argument(&mut self) -> Result<TypeCode, SystemException> {
        let reference = self.call.argument::<Ref<ObjectRef>>()?;
        let renamed = self.view.shared.lock_renamed();
        self.view.shared.type_of(self.view.repository, &renamed, reference.as_ref())
    }
}
