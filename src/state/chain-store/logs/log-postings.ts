import type { Log } from '../../../chain/receipt/log.ts'
import type { LogQuery } from '../../../chain/receipt/log-query.ts'
import type { Address, Bytes, Hash } from '../../../primitives/hex.ts'
import { addressTerm, postingKey, topicTerm } from '../encoding/keys.ts'
import { put, type Write } from '../encoding/write.ts'

/**
 * Index entries of a block: for every address and every topic by position, the indexes of its logs.
 *
 * @param logs all logs of the block, in order
 */
export function* postingWrites(number: number, logs: readonly Log[]): Iterable<Write> {
  for (const [term, logIndexes] of postingsOf(logs)) {
    yield put('logPostings', postingKey(term, number), encodePosting(logIndexes))
  }
}

/** The keys of `postingWrites`, to remove them. */
export function* postingKeys(number: number, logs: readonly Log[]): Iterable<Bytes> {
  for (const [term] of postingsOf(logs)) yield postingKey(term, number)
}

/** Criteria, all of which apply, each as alternative terms. Empty: the index does not help. */
export function criteriaOf({ addresses, topics }: LogQuery): readonly (readonly Bytes[])[] {
  const criteria = [
    [...new Set(addresses)].map(addressTerm),
    ...topics.map((wanted, position) => [...new Set(wanted)].map((topic) => topicTerm(position, topic))),
  ]
  return criteria.filter((terms) => terms.length > 0)
}

/** Delta encoding of ascending numbers in LEB128: seven bits a byte, the high bit marks continuation. */
export function encodePosting(logIndexes: readonly number[]): Bytes {
  let length = 0
  for (let index = 0, before = 0; index < logIndexes.length; index++) {
    for (let distance = logIndexes[index]! - before; distance > 0x7f; distance >>>= 7) length++
    length++
    before = logIndexes[index]!
  }
  const bytes = new Uint8Array(length)
  let end = 0
  for (let index = 0, before = 0; index < logIndexes.length; index++) {
    let distance = logIndexes[index]! - before
    for (; distance > 0x7f; distance >>>= 7) bytes[end++] = (distance & 0x7f) | 0x80
    bytes[end++] = distance
    before = logIndexes[index]!
  }
  return bytes
}

export function decodePosting(value: Bytes): readonly number[] {
  const logIndexes: number[] = []
  let before = 0
  let distance = 0
  let shift = 0
  for (const byte of value) {
    distance |= (byte & 0x7f) << shift
    shift += 7
    if (byte > 0x7f) continue
    before += distance
    logIndexes.push(before)
    distance = 0
    shift = 0
  }
  return logIndexes
}

function* postingsOf(logs: readonly Log[]): Iterable<readonly [term: Bytes, logIndexes: readonly number[]]> {
  const byAddress = new Map<Address, number[]>()
  const byTopic = [0, 1, 2, 3].map(() => new Map<Hash, number[]>())
  for (const [logIndex, { address, topics }] of logs.entries()) {
    append(byAddress, address, logIndex)
    for (const [position, topic] of topics.entries()) append(byTopic[position]!, topic, logIndex)
  }
  for (const [address, logIndexes] of byAddress) yield [addressTerm(address), logIndexes]
  for (const [position, ofPosition] of byTopic.entries()) {
    for (const [topic, logIndexes] of ofPosition) yield [topicTerm(position, topic), logIndexes]
  }
}

function append<Term>(postings: Map<Term, number[]>, term: Term, logIndex: number): void {
  const known = postings.get(term)
  if (known === undefined) postings.set(term, [logIndex])
  else known.push(logIndex)
}
