//! Compressed messages.

use zorb::poa::{Poa, PoaError, PoaPolicies};
use zorb::policy::Policies;
use zorb::ziop::{
    CompressionEnabling, CompressionLowValue, CompressorId, CompressorIdLevel,
    CompressorIdLevelList,
};
use zorb::{ObjectRef, Orb, Result, SystemException, ziop};

/// An adapter whose clients may compress.
///
/// # Errors
/// There is such an adapter already.
pub fn serve(orb: &Orb) -> std::result::Result<Poa, PoaError> {
    let archive =
        PoaPolicies::new().with(CompressionEnabling(true)).with(CompressorIdLevelList::default());
    orb.root_poa().create("archive", archive)
}

/// Compresses where the server permits it.
///
/// # Errors
/// None.
pub fn call(orb: &Orb) -> Result<()> {
    orb.policy_manager().add(&ziop::enabled().with(CompressionLowValue(16 << 10)))?;
    Ok(())
}

/// Compresses by Zstandard where the server has it, else by zlib.
///
/// # Errors
/// None.
pub fn call_by_zstandard(orb: &Orb) -> Result<()> {
    let of = |compressor| CompressorIdLevel { compressor, level: 6 };
    let list = CompressorIdLevelList(vec![of(CompressorId::ZSTD), of(CompressorId::ZLIB)]);
    orb.policy_manager().add(&ziop::enabled().with(list))?;
    Ok(())
}

/// The reference, whose calls are not compressed.
///
/// # Errors
/// None.
pub fn on_the_local_network(archive: &ObjectRef) -> Result<ObjectRef, SystemException> {
    archive.with_policies(&Policies::new().with(CompressionEnabling(false)))
}
