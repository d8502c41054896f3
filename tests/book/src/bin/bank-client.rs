//! A customer of the bank in the book's tutorial.
#![forbid(unsafe_code)]

fn main() -> Result<(), zorb::Error> {
    zorb_book_tests::tutorial::client::main()
}
