//! The system exceptions of the standard.

use core::fmt;

const PREFIX: &str = "IDL:omg.org/CORBA/";
const SUFFIX: &str = ":1.0";

/// Calls a macro with all kinds: documentation, variant, the standard's name, constructor.
macro_rules! for_each_kind {
    ($callback:ident) => {
        $callback! {
            /// An exception that the ORB could not name, or a user exception outside the raises clause.
            Unknown, "UNKNOWN", unknown;
            /// A parameter out of range or otherwise not acceptable.
            BadParam, "BAD_PARAM", bad_param;
            /// No memory for the call.
            NoMemory, "NO_MEMORY", no_memory;
            /// A limit of the implementation was passed.
            ImpLimit, "IMP_LIMIT", imp_limit;
            /// The connection broke while the call was under way.
            CommFailure, "COMM_FAILURE", comm_failure;
            /// The object reference is malformed or cannot be used here.
            InvObjref, "INV_OBJREF", inv_objref;
            /// The caller may not do this.
            NoPermission, "NO_PERMISSION", no_permission;
            /// A fault inside the ORB.
            Internal, "INTERNAL", internal;
            /// The octets of a request or reply do not fit the types.
            Marshal, "MARSHAL", marshal;
            /// The ORB could not be set up.
            Initialize, "INITIALIZE", initialize;
            /// The operation exists but is not implemented here.
            NoImplement, "NO_IMPLEMENT", no_implement;
            /// A TypeCode breaks its rules.
            BadTypecode, "BAD_TYPECODE", bad_typecode;
            /// The object has no such operation.
            BadOperation, "BAD_OPERATION", bad_operation;
            /// Something other than memory has run out.
            NoResources, "NO_RESOURCES", no_resources;
            /// The reply of a deferred call is not there yet.
            NoResponse, "NO_RESPONSE", no_response;
            /// Persistent storage failed.
            PersistStore, "PERSIST_STORE", persist_store;
            /// The operation may not be called now or here.
            BadInvOrder, "BAD_INV_ORDER", bad_inv_order;
            /// The call could not be delivered this time; trying again may work.
            Transient, "TRANSIENT", transient;
            /// Memory could not be freed.
            FreeMem, "FREE_MEM", free_mem;
            /// An identifier is malformed.
            InvIdent, "INV_IDENT", inv_ident;
            /// A flag is not acceptable.
            InvFlag, "INV_FLAG", inv_flag;
            /// The interface repository failed.
            IntfRepos, "INTF_REPOS", intf_repos;
            /// A context object is not acceptable.
            BadContext, "BAD_CONTEXT", bad_context;
            /// The object adapter failed.
            ObjAdapter, "OBJ_ADAPTER", obj_adapter;
            /// A value cannot be converted between the two sides' representations.
            DataConversion, "DATA_CONVERSION", data_conversion;
            /// The object does not exist, for certain.
            ObjectNotExist, "OBJECT_NOT_EXIST", object_not_exist;
            /// The operation needs a transaction.
            TransactionRequired, "TRANSACTION_REQUIRED", transaction_required;
            /// The transaction was rolled back.
            TransactionRolledback, "TRANSACTION_ROLLEDBACK", transaction_rolledback;
            /// The transaction context is malformed.
            InvalidTransaction, "INVALID_TRANSACTION", invalid_transaction;
            /// Policies that cannot be reconciled.
            InvPolicy, "INV_POLICY", inv_policy;
            /// The two sides have no code set in common.
            CodesetIncompatible, "CODESET_INCOMPATIBLE", codeset_incompatible;
            /// Going on would change the effective policies of a binding.
            Rebind, "REBIND", rebind;
            /// The call took longer than its policies allow.
            Timeout, "TIMEOUT", timeout;
            /// No transaction service can be reached.
            TransactionUnavailable, "TRANSACTION_UNAVAILABLE", transaction_unavailable;
            /// The transaction's mode does not fit the object's policy.
            TransactionMode, "TRANSACTION_MODE", transaction_mode;
            /// The requested quality of service is not available.
            BadQos, "BAD_QOS", bad_qos;
            /// The activity context is malformed.
            InvalidActivity, "INVALID_ACTIVITY", invalid_activity;
            /// The activity has completed.
            ActivityCompleted, "ACTIVITY_COMPLETED", activity_completed;
            /// The operation needs an activity.
            ActivityRequired, "ACTIVITY_REQUIRED", activity_required;
            /// The thread was cancelled (RT CORBA).
            ThreadCancelled, "THREAD_CANCELLED", thread_cancelled;
        }
    };
}
pub(super) use for_each_kind;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $short:ident;)*) => {
        /// Which system exception (CORBA 3.3 part 1, annex A.2).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum SystemExceptionKind {
            $($(#[$doc])* $variant,)*
        }

        impl SystemExceptionKind {
            /// Every kind, in the order of the standard.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The standard's name: `"BAD_PARAM"`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The repository id: `"IDL:omg.org/CORBA/BAD_PARAM:1.0"`.
            pub const fn repository_id(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!("IDL:omg.org/CORBA/", $name, ":1.0"),)*
                }
            }

            /// The kind that the standard names `name`.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

for_each_kind!(kinds);

impl SystemExceptionKind {
    /// The kind with this repository id; `None` for an id that is none of the standard's.
    pub fn from_repository_id(id: &str) -> Option<Self> {
        Self::from_name(id.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?)
    }
}

impl fmt::Display for SystemExceptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
