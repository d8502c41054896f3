//! Parts of pages that are made from something else.

use std::sync::Mutex;

use super::pages::{read, write};

/// Two tables of one page are not written at the same time.
static WRITING: Mutex<()> = Mutex::new(());

/// Compares the text between `<!-- NAME -->` and `<!-- end -->` with `made`.
pub(crate) fn check(page: &str, name: &str, made: &str) {
    let _writing = WRITING.lock();
    let text = read(page);
    let begin = format!("<!-- {name} -->\n");
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{page}: no {begin}"));
    let (present, after) = rest.split_once("<!-- end -->").unwrap();
    let wanted = format!("\n{made}\n");
    if std::env::var_os("UPDATE_BOOK").is_some() {
        write(page, &format!("{before}{begin}{wanted}<!-- end -->{after}"));
    } else {
        assert!(present == wanted, "{page}: {name} is out of date; it should be\n{made}");
    }
}
