import CRocksDB

/// How RocksDB is set up: as its own guide to tuning advises, and with the room that the others are given.
struct RocksDBSettings {
  /// What was written is in memory up to this, and then becomes a table: as it does by itself.
  var writeBufferByteCount = 64 << 20

  /// Enough for blocks of a million notes, decompressed: what our store is given.
  static let cacheByteCount = NoteStore.ampleCacheByteCount
  /// By the guide; by itself it takes 4 KiB, which compress less.
  static let blockByteCount = 16 << 10
  /// Filters by which reading one key skips tables: one in a hundred is looked into in vain.
  static let filterBitsPerKey = 10.0
  /// Tables are written out bit by bit, so that synced saves do not wait for a whole one.
  static let tableSyncByteCount: UInt64 = 1 << 20

  /// The settings for people.
  static let words = """
    log synced in each save, write buffer \(Self().writeBufferByteCount >> 20) MiB, LZ4, \
    blocks of \(blockByteCount >> 10) KiB, block cache \(cacheByteCount >> 20) MiB, \
    Bloom filter of \(Int(filterBitsPerKey)) bits a key, dynamic levels
    """

  /// Options for a store and its tables, to be destroyed by who asked.
  func makeOptions() -> OpaquePointer? {
    let options = rocksdb_options_create()
    rocksdb_options_set_create_if_missing(options, 1)
    rocksdb_options_set_create_missing_column_families(options, 1)
    rocksdb_options_set_write_buffer_size(options, writeBufferByteCount)
    rocksdb_options_set_compression(options, Int32(rocksdb_lz4_compression))
    rocksdb_options_set_level_compaction_dynamic_level_bytes(options, 1)
    rocksdb_options_set_bytes_per_sync(options, Self.tableSyncByteCount)
    let tables = rocksdb_block_based_options_create()
    rocksdb_block_based_options_set_block_size(tables, Self.blockByteCount)
    rocksdb_block_based_options_set_filter_policy(
      tables, rocksdb_filterpolicy_create_bloom_full(Self.filterBitsPerKey))
    let cache = rocksdb_cache_create_lru(Self.cacheByteCount)
    rocksdb_block_based_options_set_block_cache(tables, cache)
    rocksdb_options_set_block_based_table_factory(options, tables)
    rocksdb_cache_destroy(cache)
    rocksdb_block_based_options_destroy(tables)
    return options
  }

  /// Options by which a write is durable when it returns, to be destroyed by who asked.
  static func makeWriteOptions() -> OpaquePointer? {
    let options = rocksdb_writeoptions_create()
    rocksdb_writeoptions_set_sync(options, 1)
    return options
  }
}
