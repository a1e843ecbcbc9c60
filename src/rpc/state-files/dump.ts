import { impersonatedSender } from '../../chain/transaction/impersonation.ts'
import { latestAccounts } from '../../node/development/latest-accounts.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import type { BlockView, View } from '../../node/view/view.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { bigintToHash, toQuantity } from '../../primitives/quantity.ts'
import { formatHeader } from '../format/header.ts'
import { formatReceipt } from '../format/receipt.ts'
import { formatIncludedTransaction } from '../format/transaction.ts'
import type { JsonRecord } from '../protocol/json.ts'

/**
 * The state at `latest` and all sealed blocks in the format of `anvil_dumpState`, in parts. The format has no place for
 * the pool, snapshots, the time offset, impersonations and the mining mode.
 */
export function* dumpState(node: ServedNode): Generator<string> {
  const view = node.view()
  view.retain()
  try {
    const { latest } = view.head.sealed
    yield `{"block":${JSON.stringify(blockEnvironment(view, latest))},"accounts":{`
    yield* accountTexts(view)
    yield `},"best_block_number":${latest},"blocks":[`
    for (let number = latest; number >= 0; number--) {
      yield `${number < latest ? ',' : ''}${JSON.stringify(dumpedBlock(sealed(view, number)))}`
    }
    yield '],"transactions":['
    let isFirst = true
    for (let number = 0; number <= latest; number++) {
      const block = sealed(view, number)
      for (const index of block.block.transactions.keys()) {
        yield `${isFirst ? '' : ','}${JSON.stringify(dumpedTransaction(block, index, node))}`
        isFirst = false
      }
      // The reader yields to other work between texts.
      yield ''
    }
    yield '],"historical_states":null}'
  } finally {
    view.release()
  }
}

function* accountTexts(view: View): Generator<string> {
  let isFirst = true
  let hasSlots = false
  for (const { address, content, slots } of latestAccounts(view)) {
    if (content !== undefined) {
      const { nonce, balance } = content.account
      // Numbers of JSON beyond 2^53 are rounded when they are read.
      const written = nonce > Number.MAX_SAFE_INTEGER ? `"${toQuantity(nonce)}"` : nonce
      const members = `"nonce":${written},"balance":"${toQuantity(balance)}","code":"${bytesToHex(content.code)}"`
      yield `${isFirst ? '' : '}},'}"${address}":{${members},"storage":{`
      isFirst = false
      hasSlots = false
    }
    const texts = slots.map(([slot, value]) => `"${slot}":"${bigintToHash(value)}"`)
    if (texts.length === 0) continue
    yield `${hasSlots ? ',' : ''}${texts.join()}`
    hasSlots = true
  }
  if (!isFirst) yield '}}'
}

function sealed(view: View, number: number): BlockView {
  return view.block({ kind: 'number', number })!
}

/** revm's block environment. */
function blockEnvironment(view: View, number: number): JsonRecord {
  const header = view.header({ kind: 'number', number })!
  return {
    number: toQuantity(header.number),
    beneficiary: header.miner,
    timestamp: toQuantity(header.timestamp),
    gas_limit: Number(header.gasLimit),
    basefee: Number(header.baseFeePerGas ?? 0n),
    difficulty: toQuantity(header.difficulty),
    prevrandao: header.mixHash,
    blob_excess_gas_and_price: { excess_blob_gas: Number(header.excessBlobGas ?? 0n), blob_gasprice: 1 },
    slot_num: 0,
  }
}

function dumpedBlock({ block, receipts }: BlockView): JsonRecord {
  const { hash: _, ...header } = formatHeader(block.header, block.hash)
  return {
    header,
    transactions: block.transactions.map((transaction, index) => {
      const formatted = formatIncludedTransaction(transaction, block, index, receipts[index]?.deposit)
      const impersonated = 'signature' in transaction ? impersonatedSender(transaction) : undefined
      return { transaction: withoutPosition(formatted), impersonated_sender: impersonated ?? null }
    }),
    ommers: [],
    withdrawals: null,
  }
}

function withoutPosition({ blockHash, blockNumber, blockTimestamp, transactionIndex, ...transaction }: JsonRecord) {
  return transaction
}

function dumpedTransaction(view: BlockView, index: number, { config }: ServedNode): JsonRecord {
  const { block, receipts } = view
  const transaction = block.transactions[index]!
  const receipt = receipts[index]!
  const { type, status, cumulativeGasUsed, logs, logsBloom } = formatReceipt(view, index, config)
  return {
    info: {
      transaction_hash: transaction.hash,
      transaction_index: index,
      from: transaction.from,
      to: transaction.to,
      contract_address: receipt.contractAddress,
      traces: [],
      exit: status === '0x1' ? 'Stop' : 'Revert',
      out: '0x',
      nonce: 'nonce' in transaction ? Number(transaction.nonce) : 0,
      gas_used: receipt.gasUsed,
    },
    receipt: { type, status, cumulativeGasUsed, logs, logsBloom },
    block_hash: block.hash,
    block_number: block.header.number,
  }
}
