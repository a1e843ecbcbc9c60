import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Withdrawal } from '../../src/chain/block/block.ts'
import type { Header } from '../../src/chain/block/header.ts'
import type { LogMatch } from '../../src/chain/receipt/log-query.ts'
import type { CallRequest } from '../../src/engine/call/call-message.ts'
import type { AccountOverride } from '../../src/engine/call/state-overrides.ts'
import { simulate } from '../../src/engine/simulate/simulate.ts'
import type { BlockRequest, SimulatedBlock, SimulatedCall } from '../../src/engine/simulate/simulation.ts'
import { simulationErrorMessage } from '../../src/engine/simulate/simulation-error.ts'
import {
  type Address,
  type Bytes,
  bytesToHex,
  type Hash,
  hexToBytes,
  type Slot,
  toAddress,
  toHash,
  toSlot,
} from '../../src/primitives/hex.ts'
import { toQuantity } from '../../src/primitives/quantity.ts'
import { conformanceBytes, conformancePath, hasConformanceData } from '../support/conformance-data.ts'
import { importLayer1Chain, type Layer1Chain } from './layer1-chain.ts'

const FOLDER = 'execution-apis/eth_simulateV1'
const isThere = hasConformanceData(FOLDER, 'recorded eth_simulateV1 conversations')

type Json = Readonly<Record<string, unknown>>

/**
 * With blocks every 12 s and real state roots, as in the recorded responses of go-ethereum (ethereum/execution-apis).
 */
describe.skipIf(!isThere)('recorded eth_simulateV1 conversations', () => {
  let chain: Layer1Chain
  beforeAll(async () => {
    chain = await importLayer1Chain()
  })

  const files = isThere ? readdirSync(conformancePath(FOLDER)).filter((file) => file.endsWith('.io')) : []
  test.each(files)('%s', compare)

  async function compare(file: string): Promise<void> {
    const lines = conformanceBytes(`${FOLDER}/${file}`).toString().split('\n')
    const request = JSON.parse(lines.find((line) => line.startsWith('>> '))!.slice(3)) as { params: [Json, string] }
    const response = JSON.parse(lines.find((line) => line.startsWith('<< '))!.slice(3)) as Json
    const [payload, tag] = request.params
    const base = tag === 'latest' ? chain.blocks.at(-1) : chain.blocks[Number(tag)]
    if (base === undefined) {
      expect(response.error).toEqual({ code: -32000, message: 'header not found' })
      return
    }
    const result = await simulate(chain.engine, base, decodePayload(payload), {
      blockTimeSeconds: 12n,
      stateRoots: 'real',
      logIndexes: 'emitted',
    })
    if (result.kind === 'failed') {
      expect(simulationErrorMessage(result.error)).toBe((response.error as Json | undefined)?.message)
      return
    }
    const isFull = payload.returnFullTransactions === true
    const wanted = (response.result as Json[] | undefined)?.map((block) =>
      isFull ? { ...block, transactions: (block.transactions as Json[]).map(({ hash }) => hash) } : block,
    )
    expect(result.blocks.map(encodeBlock)).toEqual(wanted)
  }
})

function decodePayload(payload: Json) {
  const blocks = (payload.blockStateCalls as Json[]).map(decodeBlock)
  return { blocks, traceTransfers: payload.traceTransfers === true, validation: payload.validation === true }
}

function decodeBlock(block: Json): BlockRequest {
  const overrides = (block.blockOverrides ?? {}) as Json
  const accounts = Object.entries((block.stateOverrides ?? {}) as Record<string, Json>)
  return {
    blockOverrides: present({
      number: overrides.number === undefined ? undefined : Number(overrides.number),
      time: integer(overrides.time),
      gasLimit: integer(overrides.gasLimit),
      feeRecipient: address(overrides.feeRecipient),
      prevRandao: overrides.prevRandao === undefined ? undefined : toHash(overrides.prevRandao as string),
      baseFeePerGas: integer(overrides.baseFeePerGas),
      blobBaseFee: integer(overrides.blobBaseFee),
      withdrawals: (overrides.withdrawals as Json[] | undefined)?.map(decodeWithdrawal),
    }),
    stateOverrides: new Map(accounts.map(([key, account]) => [toAddress(key), decodeAccount(account)])),
    calls: ((block.calls ?? []) as Json[]).map(decodeCall),
  }
}

function decodeAccount(account: Json): AccountOverride {
  return present({
    nonce: integer(account.nonce),
    balance: integer(account.balance),
    code: bytes(account.code),
    state: slots(account.state),
    stateDiff: slots(account.stateDiff),
    movePrecompileTo: address(account.movePrecompileToAddress),
  })
}

function decodeCall(call: Json): CallRequest {
  const accessList = call.accessList as { address: string; storageKeys: string[] }[] | undefined
  return present({
    from: address(call.from),
    to: address(call.to),
    gas: integer(call.gas),
    gasPrice: integer(call.gasPrice),
    maxFeePerGas: integer(call.maxFeePerGas),
    maxPriorityFeePerGas: integer(call.maxPriorityFeePerGas),
    maxFeePerBlobGas: integer(call.maxFeePerBlobGas),
    value: integer(call.value),
    data: bytes(call.input ?? call.data),
    nonce: integer(call.nonce),
    accessList: accessList?.map((item) => ({
      address: toAddress(item.address),
      storageKeys: item.storageKeys.map(toHash),
    })),
    blobVersionedHashes: (call.blobVersionedHashes as string[] | undefined)?.map(toHash),
    chainId: integer(call.chainId),
  })
}

function decodeWithdrawal(withdrawal: Json): Withdrawal {
  return {
    index: BigInt(withdrawal.index as string),
    validatorIndex: BigInt(withdrawal.validatorIndex as string),
    address: toAddress(withdrawal.address as string),
    amount: BigInt(withdrawal.amount as string),
  }
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends object>(value: T): Present<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Present<T>
}

function integer(value: unknown): bigint | undefined {
  return value === undefined ? undefined : BigInt(value as string)
}

function address(value: unknown): Address | undefined {
  return typeof value === 'string' ? toAddress(value) : undefined
}

function bytes(value: unknown): Bytes | undefined {
  return value === undefined ? undefined : hexToBytes(value as string)
}

function slots(value: unknown): ReadonlyMap<Slot, bigint> | undefined {
  if (value === undefined) return undefined
  return new Map(Object.entries(value as Record<string, string>).map(([key, word]) => [toSlot(key), BigInt(word)]))
}

function encodeBlock(block: SimulatedBlock): Json {
  return {
    ...encodeHeader(block.header),
    hash: block.hash,
    size: toQuantity(block.size),
    transactions: block.transactions.map(({ hash }) => hash),
    uncles: [],
    ...(block.withdrawals && { withdrawals: block.withdrawals.map(encodeWithdrawal) }),
    calls: block.calls.map(encodeCall),
  }
}

function encodeWithdrawal(withdrawal: Withdrawal): Json {
  return {
    index: toQuantity(withdrawal.index),
    validatorIndex: toQuantity(withdrawal.validatorIndex),
    address: withdrawal.address,
    amount: toQuantity(withdrawal.amount),
  }
}

function encodeHeader(header: Header): Json {
  const members = Object.entries(header).filter(([, value]) => value !== undefined)
  const entries = members.map(([name, value]: [string, unknown]) => {
    if (value instanceof Uint8Array) return [name, bytesToHex(value)]
    return [name, typeof value === 'string' ? value : toQuantity(value as bigint)]
  })
  return Object.fromEntries(entries) as Json
}

function encodeCall(call: SimulatedCall): Json {
  return {
    status: toQuantity(call.status),
    returnData: call.error ? '0x' : bytesToHex(call.returnData),
    gasUsed: toQuantity(call.gasUsed),
    maxUsedGas: toQuantity(call.maxUsedGas),
    logs: call.logs.map(encodeLog),
    ...(call.error && { error: encodeError(call) }),
  }
}

function encodeError({ error, returnData }: SimulatedCall): Json {
  if (error!.kind === 'halted') return { message: error!.reason, code: -32015 }
  const reason = error!.reason === undefined ? '' : `: ${error!.reason}`
  return { message: `execution reverted${reason}`, code: 3, data: bytesToHex(returnData) }
}

function encodeLog({ log, ...position }: LogMatch): Json {
  return {
    address: log.address,
    topics: log.topics,
    data: bytesToHex(log.data),
    blockNumber: toQuantity(position.blockNumber),
    blockHash: position.blockHash as Hash,
    blockTimestamp: toQuantity(position.blockTimestamp),
    transactionHash: position.transactionHash,
    transactionIndex: toQuantity(position.transactionIndex),
    logIndex: toQuantity(position.logIndex),
    removed: false,
  }
}
