import type { MineRefusal } from '../../node/development/mining.ts'
import { RPC_CODES, type RpcError } from '../protocol/errors.ts'
import type { NodeConventions } from './node-conventions.ts'

/** The error for blocks that cannot be mined, and for timestamps that no block can have. */
export function mineError(refused: MineRefusal, conventions: NodeConventions): RpcError {
  switch (refused.code) {
    case 'TOO_MANY_BLOCKS': {
      const message = `${refused.blocks} blocks in one request, want at most ${refused.limit}`
      return conventions.refusal({
        anvil: [RPC_CODES.invalidParams, message],
        hardhat: [RPC_CODES.server, message],
      })
    }
    case 'TIMESTAMP_TOO_LOW': {
      const { timestamp, parent } = refused
      const isEqual = timestamp === parent
      return conventions.refusal({
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
      return conventions.refusal({ anvil: [RPC_CODES.invalidParams, message], hardhat: [RPC_CODES.server, message] })
    }
    case 'TIMESTAMP_TOO_HIGH':
      return conventions.refusal({
        anvil: [RPC_CODES.invalidParams, 'The timestamp is too big'],
        hardhat: [
          RPC_CODES.invalidParams,
          `Timestamp must be a non-negative number not exceeding ${refused.limit}, got ${refused.timestamp}`,
        ],
      })
  }
}
