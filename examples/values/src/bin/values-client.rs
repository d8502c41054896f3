use values::archive::{Document, DocumentFactory, Remark, Report, Shelf};
use zorb::{Orb, Value};

fn main() -> Result<(), zorb::Error> {
    let orb = Orb::new()?;
    orb.register_value::<Report>();
    let shelf: Shelf = orb.resolve(values::SHELF)?;

    let law = Document::titled("The law")?;
    let remark = Value::new(Remark("read it twice".to_owned()));
    let references = vec![Some(law.clone())];
    let essay = Document { title: "An essay".to_owned(), note: Some(remark), references };
    let report = Value::new(Report {
        base: Document {
            title: "A report".to_owned(),
            note: None,
            references: vec![Some(Value::new(essay)), Some(law)],
        },
        year: 1845,
    });
    shelf.keep(Some(&report.upcast()))?;
    println!("{}", shelf.describe(Some(&report.upcast()))?);

    // The law is referenced twice, and remains one value in the message.
    for document in shelf.all()?.iter().flatten() {
        let year = document.downcast::<Report>().as_ref().and_then(Value::get);
        let year = year.map_or_else(String::new, |report| format!(" ({})", report.year));
        if let Some(state) = document.get() {
            let remark = state.note.as_ref().and_then(Value::get);
            let remark = remark.map_or_else(String::new, |remark| format!(": {}", remark.0));
            println!("- {}{year}{remark}", state.title);
        }
    }
    Ok(())
}
