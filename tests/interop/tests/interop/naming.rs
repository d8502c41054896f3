//! Zorb's CosNaming stubs and `corbaname:` against the real omniNames, cross-checked by nameclt; and the same, and the
//! tools of others, against Zorb's naming service.

mod checks;
mod service;
mod tao;

use zorb::Error;
use zorb_interop_tests::server;

use crate::outcome::Outcome;
use crate::pairings::orb;
use crate::peers::{self, JACORB, OMNIORB};
use service::Service;
pub(crate) use service::Vendor;

/// Everything that a check needs: a fresh naming service, and an object to be bound.
struct World {
    service: Service,
    orb: zorb::Orb,
    root: zorb_naming::cos_naming::NamingContextExt,
    suite: zorb_interop_tests::interop::Suite,
}

/// Starts a naming service and runs the checks, each in a context of its own.
pub(crate) fn run(pairing: &str, vendor: Vendor) -> Result<Vec<Outcome>, String> {
    let service = Service::start(vendor)?;
    let orb = orb()?;
    let told = |error: Error| error.to_string();
    let root = orb.resolve(&service.root()).map_err(told)?;
    let suite = server::serve(&orb).map_err(told)?;
    let world = World { service, orb, root, suite };
    let mut outcomes: Vec<Outcome> = checks::ALL
        .iter()
        .chain(tao::ALL)
        .map(|(name, check)| Outcome::judged(pairing, name, check(&world).map_err(told)))
        .collect();
    if vendor == Vendor::Zorb {
        outcomes.extend(
            checks::OF_ZORB
                .iter()
                .map(|(name, check)| Outcome::judged(pairing, name, check(&world).map_err(told))),
        );
        outcomes.push(match peers::ready(JACORB) {
            Ok(()) => {
                let listed = checks::listed_by_jacorb(&world).map_err(told);
                Outcome::judged(pairing, "listed_by_jacorb", listed)
            }
            Err(absent) => Outcome::new(pairing, "listed_by_jacorb", absent.into()),
        });
    }
    for peer in [OMNIORB, JACORB] {
        for (name, check) in checks::WITH_PEERS {
            let name = format!("{name}_{peer}");
            outcomes.push(match peers::ready(peer) {
                Ok(()) => Outcome::judged(pairing, &name, check(&world, peer).map_err(told)),
                Err(absent) => Outcome::new(pairing, &name, absent.into()),
            });
        }
    }
    let ended = world.orb.shutdown(true).map_err(told);
    outcomes.push(Outcome::judged(pairing, "client_ends", ended));
    Ok(outcomes)
}
