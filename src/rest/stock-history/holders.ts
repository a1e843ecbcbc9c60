import type { LogQuery } from '../../chain/receipt/log-query.ts'
import { type Address, toAddress } from '../../primitives/hex.ts'
import { StatusError } from '../http/status.ts'
import { TRANSFER } from '../stock-events/log-changes.ts'
import { balanceOf, wordAt } from '../tokenized-stocks/abi.ts'
import type { ChainReads, HolderSource, Recipient } from '../tokenized-stocks/chain-source.ts'
import { readFunctions, refusedRead } from '../tokenized-stocks/function-reads.ts'
import { outputOf, refusalIn } from '../tokenized-stocks/token-reads.ts'

/** An account with units of a token. */
export interface Holder {
  readonly address: Address
  /** Base units, above 0. */
  readonly balance: bigint
}

interface Options {
  readonly token: Address
  /** The lowest address of the page. */
  readonly start: Address
  readonly pageSize: number
  /** Number of the block of the reads. */
  readonly number: number
}

/** Balances that are read at once. */
const BATCH = 250
/** Accounts that are examined for a page: those that have no units any more count too. */
const MAX_EXAMINED = 4_000

/**
 * Accounts with units of a token, in the order of their addresses. The index of recipients names the candidates, and
 * the state at the block has their balances. A page costs at most the reads of `MAX_EXAMINED` balances.
 *
 * @returns the holders, and the first address of the next page; `undefined` if there is none
 * @throws StatusError `failedPrecondition` when the contract refuses a balance, or where transfers are not indexed;
 * `deadlineExceeded` when those of a directory of an older version take too long; as the reads
 */
export async function readHolderPage(
  reads: ChainReads,
  { token, start, pageSize, number }: Options,
): Promise<{ readonly holders: readonly Holder[]; readonly next: Address | undefined }> {
  const { holders: source, ancestors } = reads
  if (source === undefined || ancestors === undefined) throw new StatusError('failedPrecondition', NO_HOLDERS)
  if (!(await source.beginsHere(token))) throw new StatusError('failedPrecondition', FORKED)
  const others = await unindexed(reads, source, token, number)
  const holders: Holder[] = []
  let from = start
  for (let examined = 0; examined < MAX_EXAMINED && !(examined > 0 && ancestors.isTimeOver); examined += BATCH) {
    const batch = candidatesFrom(source, token, from, others)
    const known = batch.filter(({ since }) => since <= number).map(({ holder }) => holder)
    const balances = await readBalances(reads, token, known)
    for (const [index, address] of known.entries()) {
      const balance = balances[index]!
      if (balance === 0n) continue
      if (holders.length === pageSize) return { holders, next: address }
      holders.push({ address, balance })
    }
    const last = batch.at(-1)
    if (batch.length < BATCH || last === undefined) return { holders, next: undefined }
    from = addressAfter(last.holder)
  }
  return { holders, next: from }
}

const NO_HOLDERS =
  'this service reads its chain from another node and has no index of holders: ask a Tickertape node that has the whole chain'
const FORKED =
  'the token is older than this fork, and the node that it forks has the earlier transfers: ask that node for the holders at the fork block'

/** The next candidates from an address on; fewer than `BATCH`: the last ones. */
function candidatesFrom(
  source: HolderSource,
  token: Address,
  from: Address,
  others: readonly Address[],
): readonly Recipient[] {
  const indexed = source.recipients(token, { from, limit: BATCH })
  const known = new Set(indexed.map(({ holder }) => holder))
  const more = others.filter((holder) => holder >= from && !known.has(holder)).map((holder) => ({ holder, since: 0 }))
  return [...indexed, ...more].sort((one, other) => (one.holder < other.holder ? -1 : 1)).slice(0, BATCH)
}

/**
 * Candidates that the index lacks: those of block 0, of blocks that are not stored yet, and of the blocks that an older
 * version of the node has stored.
 */
async function unindexed(
  reads: ChainReads,
  { indexed, first, genesis }: HolderSource,
  token: Address,
  number: number,
): Promise<readonly Address[]> {
  const found = new Set<Address>(genesis)
  const query: LogQuery = { addresses: [token], topics: [[TRANSFER]] }
  const visit = ({ log }: { readonly log: { readonly topics: readonly string[] } }) => {
    const recipient = log.topics[2]
    if (recipient !== undefined) found.add(toAddress(`0x${recipient.slice(-40)}`))
    return true
  }
  const ranges = [
    { from: first, to: Math.min(number, indexed.from - 1) },
    { from: Math.max(indexed.from, indexed.to + 1), to: number },
  ]
  for (const range of ranges) {
    if (range.from > range.to) continue
    const since = await reads.scanLogs({ query, ...range, visit })
    if (since === undefined) throw new StatusError('deadlineExceeded', TOO_OLD)
    if (since > range.from) {
      const message = `this node has the transfers from block ${since} on, and no index of earlier holders: ask a node that has the whole chain`
      throw new StatusError('failedPrecondition', message)
    }
  }
  return [...found].sort()
}

const TOO_OLD =
  'the transfers that an older version of the node has stored take too long to search: export the chain and import it into a new directory, which indexes them'

async function readBalances(
  reads: ChainReads,
  token: Address,
  accounts: readonly Address[],
): Promise<readonly bigint[]> {
  const call = 'balanceOf(address)'
  const calls = accounts.map((account) => ({ to: token, call, data: balanceOf(account) }))
  const results = await readFunctions(reads, calls)
  const refused = refusalIn(...results)
  if (refused !== undefined) throw refusedRead(refused)
  return results.map((result) => wordAt(outputOf(result), 0) ?? 0n)
}

/** The address one above another. */
function addressAfter(address: Address): Address {
  const next = (BigInt(address) + 1n) & (2n ** 160n - 1n)
  return toAddress(`0x${next.toString(16).padStart(40, '0')}`)
}
