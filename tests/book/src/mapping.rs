//! Uses the Rust mapping of every IDL construct.

use std::sync::{Arc, Mutex};

use zorb::{
    Any, Context, Fixed, FixedError, Interface, Native, ObjectRef, Orb, SequenceView, TcKind,
    TypeCode, Typed,
};

use crate::idl::mapping::{
    Cache, Collections, Colour, CriticServant, Full, GREETING, Handle, LIMIT, Listener,
    ListenerServant, Named, NamedServant, NotFound, Point, Point3, Property, Review, Rights,
    Setting, Shape, Shelf, ShelfServant, Texts, Tree, http_gateway, shelf,
};

/// Names.
pub fn names() -> http_gateway::Request {
    http_gateway::Request { r#type: "GET".to_owned(), line_number: http_gateway::MAX_RETRIES }
}

/// Texts.
pub fn texts() -> Texts {
    Texts {
        name: "Ada".to_owned(),
        code: "12345678".to_owned(),
        title: "Σκηνή".to_owned(),
        ..Texts::default()
    }
}

/// Sequences and arrays.
pub fn collections() -> Collections {
    Collections { few: vec![1, 2], blob: vec![0xff; 1024], matrix: [[0.0, 0.5, 1.0]; 2] }
}

/// Decimal numbers.
pub fn decimals() -> Result<String, FixedError> {
    let price = Fixed::<7, 2>::constant(1999);
    let total = price.value().checked_mul("1.19".parse()?)?;
    let total = Fixed::<7, 2>::rounded(total)?;
    Ok(total.to_string())
}

/// Bits.
pub fn bits() -> (Rights, bool) {
    let rights = Rights::MAY_READ | Rights::MAY_WRITE;
    (rights, rights.contains(Rights::MAY_READ))
}

/// Structs that inherit.
pub fn heirs() -> Point3 {
    Point3 { x: 1, y: 2, z: 3 }
}

/// A cache of this process.
#[derive(Debug)]
pub struct MyCache;

impl Cache for MyCache {
    fn find(&self, _key: &str) -> zorb::Result<Handle> {
        Ok(Handle(Native::new(7_u32)))
    }
}

/// Local objects and native types.
pub fn local() -> zorb::Result<u32> {
    let cache: Arc<dyn Cache> = Arc::new(MyCache);
    Ok(cache.find("seven")?.0.get::<u32>().copied().unwrap_or(0))
}

/// Constants.
pub fn constants() -> String {
    format!("{GREETING} {LIMIT}")
}

/// Enumerations.
pub fn enumerations(number: u32) -> Colour {
    Colour::try_from(number).unwrap_or_default()
}

/// Structs.
pub fn structs() -> Point {
    let here = Point { x: 3, ..Point::default() };
    Point { y: here.x, ..here }
}

/// Unions.
pub fn unions(shape: &Shape) -> String {
    match shape {
        Shape::At(point) => format!("at {}, {}", point.x, point.y),
        Shape::Description { label, value } => format!("{value}, in {label:?}"),
    }
}

/// A union of every kind of variant.
pub fn settings() -> [Setting; 3] {
    [Setting::On(true), Setting::Level { label: 3, value: 0.5 }, Setting::Unset { label: 9 }]
}

/// Recursive types.
pub fn trees() -> Tree {
    let leaf = Tree { label: "leaf".to_owned(), children: Vec::new() };
    Tree { label: "root".to_owned(), children: vec![leaf.clone(), leaf] }
}

/// Values of any type.
pub fn anys() -> Result<Option<String>, Box<dyn std::error::Error>> {
    let property = Property { name: "colour".to_owned(), value: Any::new::<String>("red")? };
    Ok(property.value.get::<String>())
}

/// A value under the name of its typedef.
pub fn named_anys() -> Result<Any, Box<dyn std::error::Error>> {
    let titles = vec!["The Raven".to_owned()];
    let any = Any::new::<shelf::TitlesAlias>(&titles)?;
    assert_eq!((any.type_code().kind(), any.type_code().name()), (TcKind::Alias, "Titles"));
    assert_eq!(any.get::<Vec<String>>(), Some(titles));
    Ok(any)
}

/// A servant.
#[derive(Debug, Default)]
pub struct MyShelf {
    name: Mutex<String>,
    titles: Mutex<Vec<String>>,
    listeners: Mutex<Vec<Listener>>,
}

impl NamedServant for MyShelf {
    fn name(&self) -> zorb::Result<String> {
        Ok(self.name.lock().unwrap().clone())
    }

    fn set_name(&self, value: &str) -> zorb::Result<()> {
        *self.name.lock().unwrap() = value.to_owned();
        Ok(())
    }
}

impl ShelfServant for MyShelf {
    fn current(&self) -> zorb::Result<shelf::State> {
        Ok(shelf::State::Open)
    }

    fn put(&self, title: &str) -> zorb::Result<(), shelf::PutError> {
        let mut titles = self.titles.lock().unwrap();
        if titles.len() == LIMIT as usize {
            return Err(Full.into());
        }
        titles.push(title.to_owned());
        for listener in self.listeners.lock().unwrap().iter() {
            listener.heard(title)?;
        }
        Ok(())
    }

    fn take(&self, title: &str) -> zorb::Result<(String, u32), shelf::TakeError> {
        let mut titles = self.titles.lock().unwrap();
        match titles.iter().position(|known| known == title) {
            Some(place) => Ok((titles.remove(place), titles.len() as u32)),
            None => Err(NotFound { name: title.to_owned() }.into()),
        }
    }

    fn list(&self) -> zorb::Result<shelf::Titles> {
        Ok(self.titles.lock().unwrap().clone())
    }

    fn sort(&self, order: &[String]) -> zorb::Result<shelf::Titles> {
        let mut order = order.to_vec();
        order.sort();
        Ok(order)
    }

    fn checksum(&self, data: &[u8]) -> zorb::Result<u32> {
        Ok(data.iter().map(|octet| u32::from(*octet)).sum())
    }

    fn neighbour(&self) -> zorb::Result<Option<Shelf>> {
        Ok(None)
    }

    fn subscribe(&self, who: Option<&Listener>) -> zorb::Result<()> {
        self.listeners.lock().unwrap().extend(who.cloned());
        Ok(())
    }

    fn owner(&self) -> zorb::Result<Option<ObjectRef>> {
        Ok(self.listeners.lock().unwrap().first().map(|listener| listener.as_object().clone()))
    }

    fn lookup(&self, key: &str) -> zorb::Result<Any> {
        Ok(Any::new::<i32>(&(key.len() as i32)).unwrap_or_default())
    }

    fn type_of(&self, key: &str) -> zorb::Result<TypeCode> {
        Ok(self.lookup(key)?.type_code().clone())
    }

    fn greet(&self, name: &str, context: &Context) -> zorb::Result<String> {
        let hello = if context.value("LANG") == Some("de") { "Hallo" } else { "Hello" };
        Ok(format!("{hello} {name}"))
    }
}

#[derive(Debug)]
struct Quiet;

impl ListenerServant for Quiet {
    fn heard(&self, _what: &str) {}
}

/// A critic.
#[derive(Debug)]
pub struct Strict;

impl CriticServant for Strict {
    fn agree(&self, all: SequenceView<'_, Review>) -> zorb::Result<bool> {
        Ok(all.iter().all(|review| review.text() == "trivial"))
    }
}

/// Calls.
pub fn calls(orb: &Orb, shelf: &Shelf) -> Result<(), zorb::Error> {
    shelf.set_name("Poetry")?;
    assert_eq!(shelf.name()?, "Poetry");

    shelf.put("The Raven")?;
    let (title, left) = shelf.take("The Raven")?;
    assert_eq!((title.as_str(), left), ("The Raven", 0));
    if let Err(shelf::TakeError::NotFound(not_found)) = shelf.take("The Raven") {
        assert_eq!(not_found.name, "The Raven");
    }

    let sorted = shelf.sort(&["b".to_owned(), "a".to_owned()])?;
    assert_eq!(sorted, ["a", "b"]);
    assert_eq!(shelf.checksum(&[1, 2, 3])?, 6);

    assert!(shelf.neighbour()?.is_none());
    let listener: Listener = orb.root_poa().activate(Quiet)?;
    shelf.subscribe(Some(&listener))?;
    if let Some(owner) = shelf.owner()? {
        let owner: Option<Listener> = owner.narrow()?;
        assert!(owner.is_some());
    }
    assert_eq!(shelf.lookup("four")?.get::<i32>(), Some(4));
    assert_eq!(shelf.type_of("four")?, i32::type_code());
    assert_eq!(shelf.greet("Ada", &Context::new().with("LANG", "de"))?, "Hallo Ada");
    Ok(())
}

/// Derived interfaces.
pub fn inheritance(shelf: Shelf) -> Result<bool, zorb::Error> {
    let named: Named = shelf.into();
    let again: Option<Shelf> = named.as_object().narrow()?;
    Ok(again.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idl::mapping::Critic;

    #[test]
    fn values_are_what_the_book_says() {
        assert_eq!(names().line_number, 3);
        assert_eq!((texts().code.len(), texts().label.len()), (8, 0));
        assert_eq!(collections().matrix[1][2], 1.0);
        assert_eq!(constants(), "hello 50");
        assert_eq!((enumerations(1), enumerations(2)), (Colour::DarkBlue, Colour::Red));
        assert_eq!(structs(), Point { x: 3, y: 3 });
        assert_eq!(unions(&Shape::At(structs())), "at 3, 3");
        let shape = Shape::Description { label: Colour::DarkBlue, value: "round".to_owned() };
        assert_eq!(unions(&shape), "round, in DarkBlue");
        assert_eq!(settings().map(|setting| setting.discriminant()), [1, 3, 9]);
        assert_eq!(decimals().unwrap(), "23.79");
        assert_eq!((bits().0.bits(), bits().1, heirs().z, local()), (3, true, 3, Ok(7)));
        assert_eq!(trees().children.len(), 2);
        assert_eq!(anys().unwrap().as_deref(), Some("red"));
        assert_eq!(named_anys().unwrap().type_code().name(), "Titles");
    }

    #[test]
    fn calls_do_what_the_book_says() {
        let server = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let server = server.build().unwrap();
        let shelf: Shelf = server.root_poa().activate(MyShelf::default()).unwrap();
        let client = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let client = client.build().unwrap();
        let there: Shelf = client.resolve(&shelf.as_object().to_ior_string()).unwrap();
        calls(&client, &there).unwrap();
        assert!(inheritance(there).unwrap());
        let critic: Critic = server.root_poa().activate(Strict).unwrap();
        let critic: Critic = client.resolve(&critic.as_object().to_ior_string()).unwrap();
        let review = |text: &str| Review { page: 7, text: text.to_owned() };
        assert_eq!(critic.agree(&[review("trivial"), review("deep")]), Ok(false));
        assert_eq!(critic.agree(&[review("trivial")]), Ok(true));
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}
