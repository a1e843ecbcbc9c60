// Keys of the table `metadata`. Values are block numbers unless they say otherwise.

const key = (name: string) => Buffer.from(name, 'latin1')

/** JSON: the program, schema and chain of the directory. */
export const IDENTITY_KEY = key('identity')
/** The oldest block whose state is retained. */
export const OLDEST_STATE_KEY = key('oldestState')
/** The finalized block at the last unwind; absent if there was none or it was genesis. */
export const FINALIZED_KEY = key('finalized')
/** The newest finality depth, and the block that an earlier one made final. */
export const FINALITY_KEY = key('finality')
/** JSON: chain time of a development node, with its interval. */
export const CHAIN_TIME_KEY = key('chainTime')
/** JSON, followed by a number: calls that a development node has sent together (EIP-5792). */
export const BUNDLE_KEYS = { from: key('bundle\x00'), to: key('bundle\x01') }
/** Text: the fork schedule by which the newest blocks were built. */
export const FORKS_KEY = key('forks')
/** Number of the record that sealed the newest stored block. */
export const NEWEST_RECORD_KEY = key('newestRecord')
/** Number of the newest record that listed the whole pool when these blocks were stored. */
export const POOL_CHECKPOINT_KEY = key('poolCheckpoint')

/** In replicas: the oldest stored block above genesis; absent if all are stored. */
export const OLDEST_BLOCK_KEY = key('oldestBlock')
/** How often the other tables were replaced as a whole, as `storage/table-sets.ts` counts. */
export const REPLACEMENTS_KEY = key('replacements')
/** After such a replacement: the records are still those of the chain before, and have to begin with this number. */
export const RECORDS_FROM_KEY = key('recordsFrom')
/** JSON, in replicas: how its source described itself. */
export const SOURCE_KEY = key('source')
/** In replicas, followed by a number: records; the first holds the number from which later ones update the pool. */
export const POOL_KEYS = { from: key('pool\x00'), to: key('pool\x01') }
