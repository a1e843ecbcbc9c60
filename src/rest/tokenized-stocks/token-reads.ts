import { blockEnv } from '../../engine/block-env.ts'
import type { Session } from '../../engine/types.ts'
import { LATEST } from '../../node/block-reference.ts'
import type { NodeService } from '../../node/node-service.ts'
import type { View } from '../../node/view.ts'
import { type Address, type Bytes, type Hash, hexToBytes, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'

/** What a read of a token may use up; real ones need a few thousand gas. */
const READ_GAS = 1_000_000n

/** First four bytes of the keccak-256 of each signature. */
const SELECTORS = {
  'totalSupply()': hexToBytes('0x18160ddd'),
  'decimals()': hexToBytes('0x313ce567'),
} as const

export interface TokenSupply {
  /** Base units. */
  readonly totalSupply: bigint
  /** 0 to 255. */
  readonly decimals: number
}

interface Options {
  /** Supplies that are remembered. */
  readonly maxCached: number
}

interface Parts {
  readonly node: Pick<NodeService, 'view' | 'engine' | 'config'>
}

/**
 * Reads tokens at the newest sealed block, in its environment. A block's answer never changes, so that it is kept as
 * long as the block is the newest one, up to a number of tokens.
 */
export class TokenReads {
  readonly #options: Options
  readonly #node: Parts['node']
  #block: Hash | undefined
  readonly #supplies = new Map<Address, Promise<TokenSupply | undefined>>()

  constructor(options: Options, parts: Parts) {
    this.#options = options
    this.#node = parts.node
  }

  /** `undefined` where there is no code, or either function does not answer as an ERC-20 does. */
  supply(token: Address): Promise<TokenSupply | undefined> {
    const view = this.#node.view()
    // The open block stands on the newest sealed one.
    const { parentHash } = view.head.pending.block.header
    if (this.#block !== parentHash) {
      this.#block = parentHash
      this.#supplies.clear()
    }
    const known = this.#supplies.get(token)
    if (known !== undefined) return known
    const reading = this.#read(view, token)
    if (this.#supplies.size < this.#options.maxCached) {
      this.#supplies.set(token, reading)
      // A failure is no answer to keep.
      reading.catch(() => this.#supplies.delete(token))
    }
    return reading
  }

  async #read(view: View, token: Address): Promise<TokenSupply | undefined> {
    view.retain()
    try {
      const state = view.state(LATEST)!
      if (view.code(state, token).length === 0) return undefined
      const session = this.#node.engine.open(blockEnv(view.header(LATEST)!, this.#node.config), state)
      try {
        const decimals = await readWord(session, token, SELECTORS['decimals()'])
        const totalSupply = await readWord(session, token, SELECTORS['totalSupply()'])
        if (decimals === undefined || decimals > 255n || totalSupply === undefined) return undefined
        return { totalSupply, decimals: Number(decimals) }
      } finally {
        session.close()
      }
    } finally {
      view.release()
    }
  }
}

/** A call on its own: what it writes is gone before the next one. */
async function readWord(session: Session, token: Address, selector: Bytes): Promise<bigint | undefined> {
  const call = {
    from: ZERO_ADDRESS,
    to: token,
    gasLimit: READ_GAS,
    value: 0n,
    data: selector,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
  }
  session.checkpoint()
  try {
    const result = await session.call(call, { nonce: false, baseFee: false, senderWithoutCode: false, gasFunds: false })
    return result.kind === 'executed' && result.status === 'success' ? firstWord(result.output) : undefined
  } finally {
    session.revert()
  }
}

function firstWord(output: Bytes): bigint | undefined {
  return output.length < 32 ? undefined : bytesToBigint(output.subarray(0, 32))
}
