import { readBytes, readHash, readList, readNumber } from '../../chain/rlp-fields.ts'
import type { DroppedTransaction, DropReason } from '../../chain/transaction/drop-reason.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import { RlpError, type RlpItem } from '../../primitives/rlp.ts'

const REASONS = {
  REPLACED: 1,
  NONCE_USED: 2,
  INSUFFICIENT_FUNDS: 3,
  EVICTED: 4,
  EXPIRED: 5,
  INVALID: 6,
  REORGANISED: 7,
  REMOVED: 8,
} as const

/** Transaction hash, reason number and the members of the reason. */
export function droppedItem({ hash, reason }: DroppedTransaction): RlpItem {
  return [hexToBytes(hash), number(REASONS[reason.code]), ...details(reason)]
}

/** @throws RlpError */
export function readDropped(item: RlpItem): DroppedTransaction {
  const [hash, code, ...rest] = readList(item, 'a dropped transaction')
  return { hash: readHash(hash, 'hash'), reason: readReason(readNumber(code, 'reason'), rest) }
}

function details(reason: DropReason): readonly RlpItem[] {
  switch (reason.code) {
    case 'REPLACED':
      return [hexToBytes(reason.by)]
    case 'INVALID':
      return [Buffer.from(reason.reason, 'utf8')]
    case 'REORGANISED':
      return [number(reason.blockNumber), hexToBytes(reason.blockHash)]
    default:
      return []
  }
}

function readReason(code: number, list: readonly RlpItem[]): DropReason {
  switch (code) {
    case REASONS.REPLACED:
      return { code: 'REPLACED', by: readHash(list[0], 'by') }
    case REASONS.NONCE_USED:
      return { code: 'NONCE_USED' }
    case REASONS.INSUFFICIENT_FUNDS:
      return { code: 'INSUFFICIENT_FUNDS' }
    case REASONS.EVICTED:
      return { code: 'EVICTED' }
    case REASONS.EXPIRED:
      return { code: 'EXPIRED' }
    case REASONS.REMOVED:
      return { code: 'REMOVED' }
    case REASONS.INVALID:
      return { code: 'INVALID', reason: Buffer.from(readBytes(list[0], 'reason')).toString('utf8') }
    case REASONS.REORGANISED:
      return {
        code: 'REORGANISED',
        blockNumber: readNumber(list[0], 'blockNumber'),
        blockHash: readHash(list[1], 'blockHash'),
      }
    default:
      throw new RlpError(`a transaction was dropped for the unknown reason ${code}`)
  }
}

function number(value: number) {
  return bigintToBytes(BigInt(value))
}
