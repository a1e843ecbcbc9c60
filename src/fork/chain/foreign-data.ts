import type { ForeignMembers } from '../../chain/foreign-members.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { ForkError } from '../source/fork-error.ts'
import type { ReplyObject } from '../source/reply-fields.ts'

/** Kinds of data of the forked chain. */
export type ForkData = 'headers' | 'transactions' | 'receipts'

/** Members and transaction types that this node does not know, as read so far (`tickertape_forkStatus`). */
export interface ForeignFindings {
  readonly headerMembers: readonly string[]
  readonly transactionTypes: readonly string[]
  readonly transactionMembers: readonly string[]
  readonly receiptMembers: readonly string[]
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Members of a block that its header does not commit to, or commits to by a root. */
export const BLOCK_MEMBERS = names('hash size totalDifficulty transactions uncles withdrawals')
/** Members of a header that this node knows. */
const HEADER_MEMBERS = names(
  'parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed ' +
    'timestamp timestampMs extraData mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas ' +
    'parentBeaconBlockRoot requestsHash',
)
const TRANSACTION_MEMBERS = names(
  'blockHash blockNumber blockTimestamp blockTimestampMs transactionIndex type hash from to nonce gas value input ' +
    'chainId accessList maxFeePerGas maxPriorityFeePerGas maxFeePerBlobGas blobVersionedHashes authorizationList v r s ' +
    'yParity gasPrice sourceHash mint isSystemTx depositReceiptVersion',
)
/** Members of a receipt that its encoding or its position determines. */
const RECEIPT_MEMBERS = names(
  'blockHash blockNumber blockTimestamp blockTimestampMs transactionHash transactionIndex type from to contractAddress ' +
    'cumulativeGasUsed gasUsed effectiveGasPrice logs logsBloom status root blobGasUsed blobGasPrice depositNonce ' +
    'depositReceiptVersion',
)
/** Members that OP-stack chains add to receipts: known, but nothing commits to them. */
const LAYER_2_MEMBERS = names(
  'l1Fee l1GasPrice l1GasUsed l1FeeScalar l1BaseFeeScalar l1BlobBaseFee l1BlobBaseFeeScalar operatorFeeScalar ' +
    'operatorFeeConstant daFootprintGasScalar',
)
export const LOG_MEMBERS = names(
  'address topics data blockNumber blockHash blockTimestamp blockTimestampMs transactionHash transactionIndex logIndex ' +
    'removed',
)
export const NO_MEMBERS: ReadonlySet<string> = new Set()

/**
 * Chains whose blocks have other hashes than those of headers, though their nodes name no other members: Moonbeam,
 * Moonriver and Moonbase Alpha, Filecoin and its Calibration network, the networks of Hedera.
 */
export const CHAINS_WITH_OWN_HASHES: ReadonlySet<bigint> = new Set([
  1284n,
  1285n,
  1287n,
  314n,
  314159n,
  295n,
  296n,
  297n,
])

export interface ForeignDataOptions {
  /** Data that cannot be verified is refused (`--fork-verify strict`). */
  readonly isStrict: boolean
  /** Whether the hash of a block is that of the RLP of its header, as on Ethereum. */
  readonly hasEthereumHashes: boolean
}

/** Judges data that only the nodes of the forked chain explain, and keeps what there was of it. */
export class ForeignData {
  readonly isStrict: boolean
  readonly #hasEthereumHashes: boolean
  readonly #trusted = new Set<ForkData>()
  readonly #headerMembers = new Set<string>()
  readonly #transactionTypes = new Set<string>()
  readonly #transactionMembers = new Set<string>()
  readonly #receiptMembers = new Set<string>()

  constructor({ isStrict, hasEthereumHashes }: ForeignDataOptions) {
    this.isStrict = isStrict
    this.#hasEthereumHashes = hasEthereumHashes
  }

  /** Kinds of data of which something was trusted, because nothing that this node knows commits to it. */
  get trusted(): ReadonlySet<ForkData> {
    return this.#trusted
  }

  get findings(): ForeignFindings {
    return {
      headerMembers: [...this.#headerMembers],
      transactionTypes: [...this.#transactionTypes],
      transactionMembers: [...this.#transactionMembers],
      receiptMembers: [...this.#receiptMembers],
    }
  }

  /** Members of a block that no header of this node has. */
  headerMembers(block: ReplyObject): ForeignMembers | undefined {
    return noted(this.#headerMembers, block.without(new Set([...HEADER_MEMBERS, ...BLOCK_MEMBERS])))
  }

  transactionMembers(transaction: ReplyObject): ForeignMembers | undefined {
    return noted(this.#transactionMembers, transaction.without(TRANSACTION_MEMBERS))
  }

  /** Members of a receipt that nothing commits to, those of OP-stack chains included. */
  receiptMembers(receipt: ReplyObject): ForeignMembers | undefined {
    const members = receipt.without(RECEIPT_MEMBERS)
    for (const name of Object.keys(members ?? {})) if (!LAYER_2_MEMBERS.has(name)) this.#receiptMembers.add(name)
    return members
  }

  /** Whether a header that does not give its hash may have members that this node does not know. */
  mayExplain(members: ForeignMembers | undefined): boolean {
    return members !== undefined || !this.#hasEthereumHashes
  }

  /** Whether receipts that do not give their root have members that this node does not know. */
  mayExplainReceipts(receipts: readonly (ForeignMembers | undefined)[]): boolean {
    return receipts.some((members) => Object.keys(members ?? {}).some((name) => !LAYER_2_MEMBERS.has(name)))
  }

  noteType(type: number): void {
    this.#transactionTypes.add(toQuantity(type))
  }

  noteTrusted(kind: ForkData): void {
    this.#trusted.add(kind)
  }

  /** @throws ForkError FORK_DATA_UNKNOWN where nothing is trusted */
  trust(kind: ForkData, refusal: string): void {
    if (this.isStrict) throw new ForkError('FORK_DATA_UNKNOWN', refusal)
    this.noteTrusted(kind)
  }
}

function noted(found: Set<string>, members: ForeignMembers | undefined): ForeignMembers | undefined {
  for (const name of Object.keys(members ?? {})) found.add(name)
  return members
}
