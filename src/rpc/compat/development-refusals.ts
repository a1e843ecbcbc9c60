import type { MineRefusal } from '../../node/development/mining.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { Compat } from './compat.ts'

/** Code and message of a refusal, by node. */
export type Refusals = Readonly<Record<Compat, readonly [code: number, message: string]>>

/**
 * The error for a refused operation whose code and text differ between the nodes.
 *
 * @param compat `undefined`: Anvil's text under -32000, the code of go-ethereum
 * @example throw refusal(compat, { anvil: [-32602, 'Timestamp error'], hardhat: [-32000, 'Timestamp 1 is lower'] })
 */
export function refusal(compat: Compat | undefined, { anvil, hardhat }: Refusals): RpcError {
  if (compat === undefined) return new RpcError(RPC_CODES.server, anvil[1])
  const [code, message] = compat === 'anvil' ? anvil : hardhat
  return new RpcError(code, message)
}

/** The error for blocks that cannot be mined, and for timestamps that no block can have. */
export function mineError(refused: MineRefusal, compat: Compat | undefined): RpcError {
  switch (refused.code) {
    case 'TOO_MANY_BLOCKS': {
      const message = `${refused.blocks} blocks in one request, want at most ${refused.limit}`
      return refusal(compat, {
        anvil: [RPC_CODES.invalidParams, message],
        hardhat: [RPC_CODES.server, message],
      })
    }
    case 'TIMESTAMP_TOO_LOW': {
      const { timestamp, parent } = refused
      const isEqual = timestamp === parent
      return refusal(compat, {
        anvil: [
          RPC_CODES.invalidParams,
          `Timestamp error: ${timestamp} is ${isEqual ? 'equal to' : 'lower than'} previous block's timestamp`,
        ],
        hardhat: [
          RPC_CODES.server,
          isEqual
            ? `Timestamp ${timestamp} is equal to the previous block's timestamp. Enable the ` +
              `'allowBlocksWithSameTimestamp' option to allow this`
            : `Timestamp ${timestamp} is lower than the previous block's timestamp ${parent}`,
        ],
      })
    }
    case 'TIME_IS_SCHEDULED': {
      const message = 'the time of a block of this chain (--profile denim) follows from its number and cannot be chosen'
      return refusal(compat, { anvil: [RPC_CODES.invalidParams, message], hardhat: [RPC_CODES.server, message] })
    }
    case 'TIMESTAMP_TOO_HIGH':
      return refusal(compat, {
        anvil: [RPC_CODES.invalidParams, 'The timestamp is too big'],
        hardhat: [
          RPC_CODES.invalidParams,
          `Timestamp must be a non-negative number not exceeding ${refused.limit}, got ${refused.timestamp}`,
        ],
      })
  }
}

/** The result of a setter: Anvil answers null, Hardhat true. */
export function done(compat: Compat | undefined): true | null {
  return compat === 'hardhat' ? true : null
}
