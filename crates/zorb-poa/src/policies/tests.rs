use super::*;

fn index(policies: &PoaPolicies) -> Option<u16> {
    match policies.check() {
        Err(PoaError::InvalidPolicy { index, .. }) => index,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_invalid_policy_is_the_last_of_those_that_contradict_each_other() {
    let new = PoaPolicies::new;
    assert_eq!(index(&new().persistent().user_ids().implicit_activation()), Some(2));
    assert_eq!(index(&new().implicit_activation().persistent().user_ids()), Some(2));
    assert_eq!(index(&new().default_servant().persistent()), Some(0));
    assert_eq!(index(&new().persistent().non_retain()), Some(1));
    assert_eq!(index(&new().non_retain().servant_manager().implicit_activation()), Some(2));
    // A policy that is set again keeps its place.
    assert_eq!(index(&new().user_ids().implicit_activation().user_ids()), Some(1));
    assert_eq!(
        index(&PoaPolicies { id_assignment: IdAssignment::User, ..PoaPolicies::root() }),
        None
    );
    let of_clients =
        new().user_ids().with(policy::RelativeRoundtripTimeout(std::time::Duration::ZERO));
    assert_eq!(index(&of_clients), Some(1));
}

#[test]
fn the_order_distinguishes_no_policies() {
    let one = PoaPolicies::new().persistent().user_ids();
    assert_eq!(one, PoaPolicies::new().user_ids().persistent());
    assert_ne!(one, PoaPolicies::new().user_ids());
}
