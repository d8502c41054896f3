@0xd2a4f9b1c86e5730;

struct BinStruct {
  s @0 :Int16;
  c @1 :UInt8;
  l @2 :Int32;
  o @3 :UInt8;
  d @4 :Float64;
}

interface Suite {
  ping @0 ();
  viewStructs @1 (data :List(BinStruct)) -> (sum :Int64);
}
