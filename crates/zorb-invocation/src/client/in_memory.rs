//! What calls within an ORB have in common: a request and a reply in memory.

use zorb_cdr::TextCoding;
use zorb_giop::{GiopVersion, MessageFormat};

/// The text coding of calls within this ORB. It can represent all characters.
pub(crate) const LOCAL_TEXT: TextCoding = TextCoding::UNICODE;

/// The format of their messages.
pub(super) const LOCAL_FORM: MessageFormat<'static> = MessageFormat::Giop(GiopVersion::HIGHEST);
