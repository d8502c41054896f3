@0xd2a4f9b1c86e5730;

interface Suite {
  ping @0 ();
}
