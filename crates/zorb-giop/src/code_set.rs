//! Code sets and their negotiation (CORBA 3.3 part 2, 7.10 and 9.7.1).

mod id;
mod negotiation;

pub use id::CodeSetId;
pub use negotiation::{
    CodeSetComponent, CodeSetComponentInfo, CodeSetContext, CodeSetError, MAX_CONVERSION_SETS,
    negotiate, text_coding,
};
