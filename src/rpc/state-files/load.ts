import { setImmediate } from 'node:timers/promises'
import { hasUserTransactions } from '../../chain/system-transactions/l1-attributes.ts'
import type { Development } from '../../node/development/development.ts'
import { withAccounts } from '../../node/development/merged-accounts.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import type { View } from '../../node/view/view.ts'
import { isProtected } from '../development/protected-accounts.ts'
import { decompressed } from './dump-encoding.ts'
import { InvalidJsonError, JsonWalker, type Visit, type Visitor, type WalkedValue } from './json-walker.ts'
import { LoadedAccounts, number } from './loaded-accounts.ts'
import { StateDumpError } from './state-dump-error.ts'

export interface LoadDeps {
  readonly node: ServedNode
  readonly development: Development
}

export interface LoadOptions {
  /** Whether a dump is loaded only into an unused chain, or into one that it is ahead of. */
  readonly keepsChain?: boolean
  /** Values of accounts that one block changes. Default: 100,000. */
  readonly valuesPerBlock?: number
  /** Blocks that a dump may be ahead of the chain. Default: a million. */
  readonly maxAhead?: number
  /** Bytes of the dump, decompressed. Default: unlimited. */
  readonly maxBytes?: number
}

/** Bytes of a dump in a request, decompressed. */
export const MAX_LOADED_BYTES = 256 * 2 ** 20

/** They stay in memory, with the trie nodes that they change, until the block is stored. */
const VALUES_PER_BLOCK = 100_000
/** Small batches are freed by collections of the young generation. */
const CHECKED_AT_ONCE = 1_000
/** Bytes that are read between yields: a dump in a request is one chunk. */
const SLICE_BYTES = 1 << 16
/** Blocks that are mined at once. */
const MINED_AT_ONCE = 10_000
const MAX_AHEAD = 1_000_000
const DUMP_SOURCES = 'dumps are what anvil_dumpState and --dump-state write'

/**
 * Loads a dump of `anvil_dumpState`, of any version, plain or compressed. Accounts replace balance, nonce, code and the
 * listed slots; others stay. If the dump is ahead of the chain, blocks are mined up to its height, and beyond it while
 * accounts have more values than fit in memory.
 *
 * The dump is read twice, first to check it, and as a stream: one of a gigabyte does not have to fit in memory. It is
 * loaded in many operations, between which other clients can change the chain.
 *
 * @param open begins to read the dump
 * @returns whether it was loaded
 * @throws StateDumpError when the dump is invalid: the chain is as before; or, with `hasChanged`, when no more blocks
 *   can be mined
 */
export async function loadState(
  open: () => AsyncIterable<Buffer>,
  deps: LoadDeps,
  { keepsChain = false, valuesPerBlock = VALUES_PER_BLOCK, maxAhead = MAX_AHEAD, maxBytes }: LoadOptions = {},
): Promise<boolean> {
  const checked = new LoadedAccounts()
  let best: number | undefined
  const view = deps.node.view()
  const { latest } = view.head.sealed
  const isKept = keepsChain && !isUnused(view)
  let hasAccounts = false
  const visit: Visitor = (path) => {
    if (path[0] === 'accounts') hasAccounts = true
    return visitOf(path)
  }
  for await (const values of valuesIn(limited(decompressed(open()), maxBytes), visit)) {
    for (const found of values) {
      if (found.path.length === 0) throw new StateDumpError('the dump is no object')
      if (found.path[0] === 'accounts') checked.add(found)
      else if (found.value !== null) best = height(found)
      if (checked.size >= CHECKED_AT_ONCE) checked.take()
    }
  }
  if (!hasAccounts) throw new StateDumpError('the dump has no accounts')
  if (best !== undefined && best - latest > maxAhead) {
    throw new StateDumpError(`the dump is ${best - latest} blocks ahead of the chain, at most ${maxAhead} can be`)
  }
  if (isKept && (best ?? 0) <= latest) return false
  await new Loading({ best: best ?? latest, valuesPerBlock }, deps).run(open())
  return true
}

/** Yields the values of a slice of the text together: a promise for each value would cost as much as parsing it. */
async function* valuesIn(chunks: AsyncIterable<Buffer>, visit: Visitor): AsyncIterable<readonly WalkedValue[]> {
  const walker = new JsonWalker(visit)
  const decoder = new TextDecoder()
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
        yield walker.push(decoder.decode(chunk.subarray(at, at + SLICE_BYTES), { stream: true }))
        await setImmediate()
      }
    }
    yield walker.end()
  } catch (error) {
    if (error instanceof InvalidJsonError)
      throw new StateDumpError(`the dump is no JSON: ${error.message}; ${DUMP_SOURCES}`)
    throw error
  }
}

class Loading {
  readonly #deps: LoadDeps
  readonly #accounts = new LoadedAccounts()
  /** Height of the dump. */
  readonly #best: number
  readonly #valuesPerBlock: number

  constructor({ best, valuesPerBlock }: { readonly best: number; readonly valuesPerBlock: number }, deps: LoadDeps) {
    this.#best = best
    this.#valuesPerBlock = valuesPerBlock
    this.#deps = deps
  }

  async run(chunks: AsyncIterable<Buffer>): Promise<void> {
    for await (const values of valuesIn(decompressed(chunks), visitOf)) {
      for (const found of values) {
        if (found.path[0] === 'accounts') this.#accounts.add(found)
        if (this.#accounts.size < this.#valuesPerBlock) continue
        await this.#write()
        await this.#mine(1)
        await this.#deps.development.stored()
      }
    }
    await this.#write()
    for (let missing = this.#missing; missing > 0; missing = this.#missing) {
      await this.#mine(Math.min(missing, MINED_AT_ONCE))
    }
  }

  get #missing(): number {
    return this.#best - this.#deps.node.view().head.sealed.latest
  }

  async #write(): Promise<void> {
    if (this.#accounts.size === 0) return
    const { config } = this.#deps.node
    // A dump of the same chain contains them, too.
    const values = new Map([...this.#accounts.take()].filter(([address]) => !isProtected(address, config)))
    await this.#deps.development.state.alter((state) => withAccounts(state, values))
  }

  async #mine(blocks: number): Promise<void> {
    const refused = await this.#deps.development.mining.mine({ blocks })
    if (refused === undefined) return
    const message = `its accounts are loaded, but the blocks up to its height cannot be mined: ${refused.code}`
    throw new StateDumpError(message, { hasChanged: true })
  }
}

/** Blocks and transactions of the dump are passed over. */
function visitOf(path: readonly (string | number)[]): Visit {
  const [name, , member] = path
  if (name === 'accounts') return path.length < 3 || (path.length === 3 && member === 'storage') ? 'enter' : 'take'
  return path.length === 1 && (name === 'block' || name === 'best_block_number') ? 'take' : 'skip'
}

/** `block.number`, or `best_block_number`, which follows it and is absent in old dumps. */
function height({ path, value }: WalkedValue): number {
  const written = path[0] === 'block' ? (value as { readonly number?: unknown }).number : value
  return Number(number(written, BigInt(Number.MAX_SAFE_INTEGER), path))
}

/** A small compressed dump can be a large text. */
async function* limited(chunks: AsyncIterable<Buffer>, maxBytes: number | undefined): AsyncIterable<Buffer> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (maxBytes !== undefined && size > maxBytes) {
      throw new StateDumpError(`the dump has more than ${maxBytes} bytes: load it from a file with --load-state`)
    }
    yield chunk
  }
}

/**
 * Whether the chain is unused: there are no transactions of users in blocks and no state changes from outside. A node
 * on a schedule may have sealed an empty block since it started.
 */
function isUnused({ head }: Pick<View, 'head'>): boolean {
  const { sealed, pending, recent, base } = head
  if (sealed.latest > 1 || base.prelude(1) !== undefined) return false
  if (base.number === 1 && hasUserTransactions(base.block(1)!)) return false
  return [...recent, pending].every(({ block, prelude }) => !hasUserTransactions(block) && prelude === undefined)
}
