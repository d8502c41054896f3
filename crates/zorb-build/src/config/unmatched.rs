//! Names in options that have no effect.

use zorb_idl::Compilation;

/// The names in options that have no effect in any file so far.
pub(super) struct Unmatched<'o> {
    loans: Vec<&'o str>,
    upcalls: Vec<&'o str>,
    deferred: Vec<&'o str>,
    ami: Vec<&'o str>,
    views: Vec<&'o str>,
}

impl<'o> Unmatched<'o> {
    pub(super) fn new(compilation: &Compilation, options: &'o zorb_idl_rust::Options) -> Self {
        Self {
            loans: zorb_idl_rust::unmatched_loans(compilation, options),
            upcalls: zorb_idl_rust::unmatched_upcalls(compilation, options),
            deferred: zorb_idl_rust::unmatched_deferred(compilation, options),
            ami: zorb_idl_rust::unmatched_ami(compilation, options),
            views: zorb_idl_rust::unmatched_views(compilation, options),
        }
    }

    /// Those of both files.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.loans.retain(|name| other.loans.contains(name));
        self.upcalls.retain(|name| other.upcalls.contains(name));
        self.deferred.retain(|name| other.deferred.contains(name));
        self.ami.retain(|name| other.ami.contains(name));
        self.views.retain(|name| other.views.contains(name));
        self
    }

    pub(super) fn warnings(self) -> impl Iterator<Item = String> {
        let loans = self.loans.into_iter().map(|name| {
            format!(
                "loaned({name:?}): no operation or attribute of this name returns a sequence of octets"
            )
        });
        let upcalls = self.upcalls.into_iter().map(|name| {
            format!("upcall({name:?}): no operation or attribute of this name has servants")
        });
        let deferred = self
            .deferred
            .into_iter()
            .map(|name| format!("deferred({name:?}): no interface of this name has servants"));
        let ami = self.ami.into_iter().map(|name| {
            format!("ami({name:?}): no operation or attribute of this name can be called")
        });
        let views = self.views.into_iter().map(|name| {
            format!("view({name:?}): no struct, operation or attribute of this name can have views")
        });
        loans.chain(upcalls).chain(deferred).chain(ami).chain(views)
    }
}
