import { blockEnv } from '../../engine/block-env.ts'
import type { NodeService } from '../../node/node-service.ts'
import type { BlockView, View } from '../../node/view.ts'
import { type Address, type Bytes, hexToBytes, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'

/** What a read of a token may use up; real ones need a few thousand gas. */
const READ_GAS = 5_000_000n

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

/** Supply and decimals at one block; `undefined` where there is no code, or either does not answer as an ERC-20 does. */
export async function readTokenSupply(
  node: NodeService,
  view: View,
  at: BlockView,
  token: Address,
): Promise<TokenSupply | undefined> {
  const state = view.stateOf(at)
  if (state === undefined || view.code(state, token).length === 0) return undefined
  const session = node.engine.open(blockEnv(at.block.header, node.config), state)
  try {
    const read = async (signature: keyof typeof SELECTORS): Promise<bigint | undefined> => {
      const call = {
        from: ZERO_ADDRESS,
        to: token,
        gasLimit: READ_GAS,
        value: 0n,
        data: SELECTORS[signature],
        maxFeePerGas: 0n,
        maxPriorityFeePerGas: 0n,
        accessList: [],
      }
      const result = await session.call(call, {
        nonce: false,
        baseFee: false,
        senderWithoutCode: false,
        gasFunds: false,
      })
      return result.kind === 'executed' && result.status === 'success' ? firstWord(result.output) : undefined
    }
    const decimals = await read('decimals()')
    const totalSupply = await read('totalSupply()')
    if (decimals === undefined || decimals > 255n || totalSupply === undefined) return undefined
    return { totalSupply, decimals: Number(decimals) }
  } finally {
    session.close()
  }
}

function firstWord(output: Bytes): bigint | undefined {
  return output.length < 32 ? undefined : bytesToBigint(output.subarray(0, 32))
}
