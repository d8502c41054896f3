//! Views of arguments and results: remote calls, and collocated ones with every strategy.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use zorb_core::poa::Upcall;
use zorb_core::{CollocationStrategy, Interface, Result, SequenceView};

use super::calls::{orb, seen_from};
use crate::views::radar::screen::EchoError;
use crate::views::radar::{
    Console, ConsoleServant, MarkSet, Plot, PlotKind, PlotView, Point, PointView, ScreenServant,
    Silent, Unseen,
};

#[derive(Debug)]
struct Display {
    centre: Mutex<Point>,
    noted: Sender<Vec<Plot>>,
}

impl ScreenServant for Display {
    fn sum(&self, plots: SequenceView<'_, Plot>, name: &str) -> Result<f64> {
        assert_eq!(name, "all");
        Ok(plots.iter().map(|plot| plot.at().x() + f64::from(plot.r#type())).sum())
    }

    fn echo(&self, plots: SequenceView<'_, Plot>) -> Result<Vec<Plot>, EchoError> {
        if plots.is_empty() {
            return Err(Silent { since: 7 }.into());
        }
        Ok(plots.to_vec())
    }

    fn r#move(
        &self,
        from: PointView<'_>,
        corners: SequenceView<'_, Point>,
    ) -> Result<(Point, Vec<Point>, i32)> {
        let to = Point { x: from.y(), y: from.x() };
        Ok((to, corners.iter().map(Point::from).rev_all(), corners.len() as i32))
    }

    fn note(&self, plots: SequenceView<'_, Plot>) {
        self.noted.send(plots.iter().map(Plot::from).collect()).expect("the test waits");
    }

    fn centre(&self) -> Result<Point> {
        Ok(*self.centre.lock().expect("it is free"))
    }

    fn set_centre(&self, value: PointView<'_>) -> Result<()> {
        *self.centre.lock().expect("it is free") = value.into();
        Ok(())
    }

    fn ping(&self, _: &str) -> Result<()> {
        Ok(())
    }

    fn count(&self, plots: &[Plot]) -> Result<u32> {
        Ok(plots.len() as u32)
    }
}

impl ConsoleServant for Display {
    fn latest(&self, upcall: &Upcall<'_>, read: i32) -> Result<Vec<Plot>> {
        assert_eq!(upcall.operation(), "latest");
        Ok((0..read).map(plot).collect())
    }

    fn first(&self, plots: &[Plot]) -> Result<Unseen> {
        Ok(Unseen { number: plots.first().map_or(-1, |plot| i32::from(plot.id)) })
    }
}

/// Collects in reverse.
trait ReverseAll<T> {
    fn rev_all(self) -> Vec<T>;
}

impl<T, I: Iterator<Item = T>> ReverseAll<T> for I {
    fn rev_all(self) -> Vec<T> {
        let mut all: Vec<T> = self.collect();
        all.reverse();
        all
    }
}

fn plot(number: i32) -> Plot {
    let at = |offset: i32| Point { x: f64::from(number), y: f64::from(offset) };
    Plot {
        id: number as u8,
        at: at(1),
        kind: if number % 2 == 0 { PlotKind::Bird } else { PlotKind::Ship },
        band: 'X',
        fresh: number % 3 == 0,
        levels: [1, -2, number as i16],
        trail: [at(2), at(3)],
        grid: [[1, 2], [3, number]],
        marks: MarkSet::SEEN,
        r#type: 0.5,
    }
}

/// All members of a view, read one by one.
fn members(plot: PlotView<'_>) -> Plot {
    let mut levels = plot.levels().into_iter();
    let mut trail = plot.trail().into_iter().map(Point::from);
    let grid = plot.grid();
    let row = |index| {
        let row = grid.get(index).expect("a row");
        [row.get(0).expect("a number"), row.get(1).expect("a number")]
    };
    Plot {
        id: plot.id(),
        at: plot.at().into(),
        kind: plot.kind(),
        band: plot.band(),
        fresh: plot.fresh(),
        levels: [(); 3].map(|()| levels.next().expect("a level")),
        trail: [(); 2].map(|()| trail.next().expect("a point")),
        grid: [row(0), row(1)],
        marks: plot.marks(),
        r#type: plot.r#type(),
    }
}

fn check(console: &Console, noted: &Receiver<Vec<Plot>>) {
    let plots: Vec<Plot> = (1..=5).map(plot).collect();
    assert_eq!(console.sum(&plots, "all"), Ok(17.5));
    assert_eq!(console.echo(&plots).as_ref(), Ok(&plots));
    let seen = console.view_echo(&plots, |found| {
        assert_eq!(format!("{found:?}"), format!("{plots:?}"));
        found.iter().map(members).collect::<Vec<_>>()
    });
    assert_eq!(seen.as_ref(), Ok(&plots));
    let silent = EchoError::Silent(Silent { since: 7 });
    assert_eq!(console.echo(&[]), Err(silent.clone()));
    assert_eq!(console.view_echo(&[], |_| panic!("there are no results")), Err::<(), _>(silent));
    let from = Point { x: 1.0, y: 2.0 };
    let corners = [from, Point { x: 3.0, y: 4.0 }];
    let reversed = vec![corners[1], from];
    let to = Point { x: 2.0, y: 1.0 };
    assert_eq!(console.r#move(&from, &corners), Ok((to, reversed.clone(), 2)));
    let seen = console.view_move(&from, &corners, |result, corners, count| {
        (Point::from(result), corners.to_vec(), count)
    });
    assert_eq!(seen, Ok((to, reversed, 2)));
    assert!(console.r#move(&from, &[from; 4]).is_err(), "the bound is three");
    assert_eq!(console.set_centre(&to), Ok(()));
    assert_eq!(console.view_centre(|centre| (centre.x(), centre.y())), Ok((2.0, 1.0)));
    assert_eq!(console.view_latest(3, |found| found.get(2).map(Plot::from)), Ok(Some(plot(2))));
    assert_eq!((console.count(&plots), console.ping("")), (Ok(5), Ok(())));
    assert_eq!(console.first(&plots), Ok(Unseen { number: 1 }));
    assert_eq!(console.note(&plots), Ok(()));
    assert_eq!(noted.recv().as_ref(), Ok(&plots));
}

#[test]
fn servants_and_callers_get_views() {
    let (server, client) = (orb(), orb());
    let (sender, noted) = channel();
    let display = Display { centre: Mutex::default(), noted: sender };
    let console: Console = server.root_poa().activate(display).expect("a reference");
    check(&seen_from(&client, &console), &noted);
    for strategy in
        [CollocationStrategy::Marshalled, CollocationStrategy::ThruPoa, CollocationStrategy::Direct]
    {
        check(&console.with_collocation(strategy), &noted);
    }
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}
