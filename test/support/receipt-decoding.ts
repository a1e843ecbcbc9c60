import { type ConsensusReceipt, readLog, readOutcome } from '../../src/chain/receipt/receipt-codec.ts'
import { readBytes, readList, readNumber, readUint64 } from '../../src/chain/rlp-fields.ts'
import { DEPOSIT_TYPE } from '../../src/chain/transaction/transaction.ts'
import type { Bytes } from '../../src/primitives/hex.ts'
import { decodeRlp, RlpError } from '../../src/primitives/rlp.ts'

/** A receipt as encoded in the receipts trie (EIP-2718). @throws RlpError */
export function decodeReceipt(raw: Bytes): ConsensusReceipt {
  const first = raw[0]
  if (first === undefined) throw new RlpError('empty receipt')
  const type = first < 0x80 ? first : 0
  if (first === 0 || (type > 4 && type !== DEPOSIT_TYPE)) throw new RlpError(`no receipts have type ${type}`)
  const item = decodeRlp(type === 0 ? raw : raw.subarray(1))
  const list = readList(item, 'a receipt', type === DEPOSIT_TYPE ? [4, 6] : [4])
  return {
    type,
    outcome: readOutcome(list[0]),
    cumulativeGasUsed: readNumber(list[1], 'cumulativeGasUsed'),
    logsBloom: readBytes(list[2], 'logsBloom', 256),
    logs: readList(list[3], 'logs').map(readLog),
    ...(list.length === 6 && {
      deposit: { nonce: readUint64(list[4], 'depositNonce'), version: readUint64(list[5], 'depositReceiptVersion') },
    }),
  }
}
