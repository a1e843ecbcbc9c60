import { createHash } from 'node:crypto'
import { CONSOLIDATION_REQUESTS_ADDRESS, WITHDRAWAL_REQUESTS_ADDRESS } from '../../chain/constants.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import type { Log } from '../../chain/receipt/log.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { type Address, type Bytes, bytesToHash, EMPTY_BYTES, type Hash } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'
import type { HaltReason } from '../halt-reason.ts'
import type { Session } from '../types.ts'

/** EIP-6110 */
const DEPOSIT_REQUEST_TYPE = 0
const DEPOSIT_EVENT = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5' as Hash
const DEPOSIT_EVENT_BYTES = 576
/** Members of the event: the head of the data holds the offset of each, where its length and bytes follow. */
const DEPOSIT_FIELDS = [
  { name: 'pubkey', position: 160, bytes: 48 },
  { name: 'withdrawal_credentials', position: 256, bytes: 32 },
  { name: 'amount', position: 320, bytes: 8 },
  { name: 'signature', position: 384, bytes: 96 },
  { name: 'index', position: 512, bytes: 8 },
] as const
const WORD = 32

/** Request type and queue contract (EIP-7002, EIP-7251). */
const QUEUES = [
  { type: 1, address: WITHDRAWAL_REQUESTS_ADDRESS },
  { type: 2, address: CONSOLIDATION_REQUESTS_ADDRESS },
] as const

/** Why a block's requests cannot be collected: the block is invalid. */
export type RequestsFault =
  /** The deposit contract emitted a malformed log (EIP-6110). */
  | { readonly code: 'INVALID_DEPOSIT_EVENT'; readonly expected: string; readonly got: string }
  /** A queue contract is missing or its call failed (EIP-7002, EIP-7251). */
  | {
      readonly code: 'SYSTEM_CALL_FAILED'
      readonly address: Address
      readonly reason: 'no code' | 'execution reverted' | HaltReason
    }

export type RequestsOutcome =
  | {
      readonly kind: 'collected'
      /** One for each type with any requests, with its type byte. */
      readonly requests: readonly Bytes[]
      /** Absent without requests: before Prague, and on layer 2, whose header has the hash of an empty list. */
      readonly hash?: Hash
    }
  | { readonly kind: 'failed'; readonly fault: RequestsFault }

/**
 * Empties the request queues at the end of a block and returns their content, the deposits from the block's receipts,
 * and the commitment to both (EIP-7685).
 */
export function collectRequests(
  session: Session,
  config: ChainConfig,
  receipts: readonly Pick<Receipt, 'logs'>[],
): MaybePromise<RequestsOutcome> {
  const hasRequests = !config.layer2 && rulesOf(session.env.fork).hasRequests
  return hasRequests ? collect(session, config, receipts) : { kind: 'collected', requests: [] }
}

async function collect(
  session: Session,
  config: ChainConfig,
  receipts: readonly Pick<Receipt, 'logs'>[],
): Promise<RequestsOutcome> {
  const requests: Bytes[] = []
  const add = (type: number, data: Bytes) => {
    if (data.length > 0) requests.push(Buffer.concat([Uint8Array.of(type), data]))
  }
  const deposits: Bytes[] = []
  for (const { data } of receipts.flatMap(({ logs }) => logs).filter((log) => isDeposit(log, config))) {
    const fault = depositFault(data)
    if (fault !== undefined) return { kind: 'failed', fault }
    for (const { position, bytes } of DEPOSIT_FIELDS)
      deposits.push(data.subarray(position + WORD, position + WORD + bytes))
  }
  add(DEPOSIT_REQUEST_TYPE, Buffer.concat(deposits))
  for (const { type, address } of QUEUES) {
    const output = await emptyQueue(session, address)
    if (!(output instanceof Uint8Array)) return { kind: 'failed', fault: output }
    add(type, output)
  }
  return { kind: 'collected', requests, hash: hashRequests(requests) }
}

/** The header's commitment to requests (EIP-7685). */
function hashRequests(requests: readonly Bytes[]): Hash {
  const total = createHash('sha256')
  for (const request of requests) total.update(createHash('sha256').update(request).digest())
  return bytesToHash(total.digest())
}

/** Message for people. */
export function requestsFaultMessage(fault: RequestsFault): string {
  switch (fault.code) {
    case 'INVALID_DEPOSIT_EVENT':
      return `a deposit event has ${fault.got}, EIP-6110 wants ${fault.expected}`
    case 'SYSTEM_CALL_FAILED':
      return `system call of ${fault.address} failed to execute: ${fault.reason}`
  }
}

async function emptyQueue(session: Session, address: Address): Promise<Bytes | RequestsFault> {
  const failed = (reason: Extract<RequestsFault, { code: 'SYSTEM_CALL_FAILED' }>['reason']) =>
    ({ code: 'SYSTEM_CALL_FAILED', address, reason }) as const
  if ((session.state.account(address)?.codeHash ?? EMPTY_CODE_HASH) === EMPTY_CODE_HASH) return failed('no code')
  const result = await session.systemCall(address, EMPTY_BYTES)
  if (result.status === 'success') return result.output
  return failed(result.halt ?? 'execution reverted')
}

function isDeposit({ address, topics }: Log, { depositContractAddress }: { depositContractAddress?: Address }) {
  return address === depositContractAddress && topics[0] === DEPOSIT_EVENT
}

/** The event is the ABI encoding of five byte strings of fixed lengths. */
function depositFault(data: Bytes): RequestsFault | undefined {
  const fault = (expected: string, got: string) => ({ code: 'INVALID_DEPOSIT_EVENT', expected, got }) as const
  if (data.length !== DEPOSIT_EVENT_BYTES) return fault(`${DEPOSIT_EVENT_BYTES} bytes`, `${data.length} bytes`)
  const word = (at: number) => bytesToBigint(data.subarray(at, at + WORD))
  for (const [index, { name, position, bytes }] of DEPOSIT_FIELDS.entries()) {
    const offset = word(index * WORD)
    if (offset !== BigInt(position)) return fault(`${name} at ${position}`, `${name} at ${offset}`)
    const length = word(position)
    if (length !== BigInt(bytes)) return fault(`a ${name} of ${bytes} bytes`, `one of ${length}`)
  }
  return undefined
}
