import type { FoundLog } from '../../chain/log-query.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'

/** What `JSON.stringify(encodeLog(found))` writes. No member of a log needs escaping: all are hex. */
export function logText(found: FoundLog): string {
  const { address, topics, data } = found.log
  const quotedTopics = topics.length === 0 ? '' : `"${topics.join('","')}"`
  // Joined, not concatenated: V8 would keep a tree of the parts for as long as the text is kept.
  return [
    '{"address":"',
    address,
    '","topics":[',
    quotedTopics,
    '],"data":"',
    bytesToHex(data),
    '","blockNumber":"',
    toQuantity(found.blockNumber),
    '","transactionHash":"',
    found.transactionHash,
    '","transactionIndex":"',
    toQuantity(found.transactionIndex),
    '","blockHash":"',
    found.blockHash,
    '","blockTimestamp":"',
    toQuantity(found.blockTimestamp),
    '","logIndex":"',
    toQuantity(found.logIndex),
    '","removed":false}',
  ].join('')
}
