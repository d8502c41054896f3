//! The structs of arguments.

/// The octets of a struct in memory.
pub(crate) const SIZE: usize = 24;

/// `Bench::BinStruct`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[allow(missing_docs, reason = "the names are those of the IDL")]
pub struct BinStruct {
    pub s: i16,
    pub c: u8,
    pub l: i32,
    pub o: u8,
    pub d: f64,
}

impl BinStruct {
    fn at(index: u32) -> Self {
        Self {
            s: (index % 32_768) as i16,
            c: b'A' + (index % 26) as u8,
            l: index.cast_signed(),
            o: index as u8,
            d: f64::from(index) / 4.0,
        }
    }
}

/// The argument of a call.
#[derive(Clone, Debug)]
pub(crate) struct Structs {
    pub(crate) all: Vec<BinStruct>,
    /// The sum of all but the first.
    others: i64,
}

impl Structs {
    /// The argument of so many octets.
    pub(crate) fn of(payload: usize) -> Self {
        let count = (payload / SIZE).max(1);
        let all: Vec<_> = (0..).map(BinStruct::at).take(count).collect();
        let others = all.iter().skip(1).map(|one| i64::from(one.l)).sum();
        Self { all, others }
    }

    /// Changes it to that of call `number`; returns the sum.
    pub(crate) fn set(&mut self, number: u32) -> i64 {
        if let Some(first) = self.all.first_mut() {
            first.l = number.cast_signed();
        }
        self.others + i64::from(number.cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_struct_tells_calls_apart() {
        let mut structs = Structs::of(100);
        assert_eq!((structs.all.len(), structs.set(9), structs.set(0)), (4, 15, 6));
        assert_eq!(structs.all[3], BinStruct { s: 3, c: b'D', l: 3, o: 3, d: 0.75 });
    }
}
