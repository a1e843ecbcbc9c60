import { type Address, hexToBytes } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import { boolean } from '../../../rpc/codecs/boolean.ts'
import { address } from '../../../rpc/codecs/bytes.ts'
import { listOf } from '../../../rpc/codecs/codec.ts'
import { flexibleQuantity } from '../../../rpc/codecs/quantity.ts'
import type { JsonRecord } from '../../../rpc/protocol/json.ts'
import { JsonRpcError, type Request } from '../../stock/chain/json-rpc.ts'
import { readHex, readQuantity, wireObject } from '../../stock/chain/wire.ts'
import { CALL_MEMBERS, type CallInput, wireCallOf } from '../arguments/call-input.ts'
import { type BlockParameter, blockArgument, described, inputOf } from '../arguments/input.ts'
import { optional } from '../names/contracts.ts'
import { defineTool, out } from './tool.ts'

/** Predeploys by which a chain shows the profile of its node (docs/profiles.md). */
const BASE_TIME = '0x4200000000000000000000000000000000000030'
const L1_BLOCK = '0x4200000000000000000000000000000000000015'

export const status = defineTool({
  name: 'status',
  title: 'Status of the node',
  description:
    'Says which node and chain the tools work on: client version, chain id, newest block, the open block of ' +
    'pre-confirmed flashblocks, size of the pool, and whether it is a development node, on which time travel, ' +
    'snapshots and changed balances work. Call it first.',
  effect: 'read',
  input: inputOf<object>({}),
  output: {
    required: {
      client: out.text('client version'),
      chainId: out.number('chain id'),
      latest: out.object('newest block: number, hash, time (ISO 8601, UTC), transactions'),
      development: out.flag('whether the development tools work here'),
    },
    optional: {
      profile: out.text('flashblocks, op or denim, by the contracts of the chain; of Tickertape nodes'),
      pending: out.object('open block so far: number, flashblock (index of the newest one), transactions'),
      pool: out.object('pending and queued transactions'),
    },
  },
  async run({ rpc }) {
    const ask = (...request: Request) => optional(rpc.request(request))
    const [chainId, client, latest, pending, pool, development, l1Block, baseTime] = await Promise.all([
      rpc.request(['eth_chainId']),
      ask('web3_clientVersion'),
      rpc.request(['eth_getBlockByNumber', 'latest', false]),
      ask('eth_getBlockByNumber', 'pending', false),
      ask('txpool_status'),
      ask('anvil_nodeInfo'),
      ask('eth_getCode', L1_BLOCK, 'latest'),
      ask('eth_getCode', BASE_TIME, 'latest'),
    ])
    const name = String(client ?? 'unknown')
    return {
      client: name,
      chainId: Number(readQuantity(chainId, 'chain id')),
      latest: blockSummary(latest),
      development: development !== undefined,
      ...(/tickertape/i.test(name) && { profile: profileOf(l1Block, baseTime) }),
      ...(pending !== undefined && pending !== null && { pending: pendingSummary(pending) }),
      ...(pool !== undefined && { pool: poolSummary(pool) }),
    }
  },
})

function profileOf(l1Block: unknown, baseTime: unknown): string {
  if (l1Block === '0x' || l1Block === undefined) return 'flashblocks'
  return baseTime === '0x' || baseTime === undefined ? 'op' : 'denim'
}

function blockSummary(json: unknown): JsonRecord {
  const { number, hash: blockHash, timestamp, transactions } = wireObject(json, 'block')
  return {
    number: Number(readQuantity(number, 'block number')),
    hash: readHex(blockHash, 'block hash'),
    time: isoTime(timestamp),
    transactions: (transactions as readonly unknown[]).length,
  }
}

function pendingSummary(json: unknown): JsonRecord {
  const { number, flashblockIndex, transactions } = wireObject(json, 'pending block')
  return {
    number: Number(readQuantity(number, 'block number')),
    ...(flashblockIndex !== undefined && { flashblock: Number(flashblockIndex) }),
    transactions: (transactions as readonly unknown[]).length,
  }
}

function poolSummary(json: unknown): JsonRecord {
  const { pending, queued } = wireObject(json, 'pool')
  return { pending: Number(pending), queued: Number(queued) }
}

/** @param timestamp seconds in hex */
export function isoTime(timestamp: unknown): string {
  return new Date(Number(timestamp) * 1_000).toISOString()
}

const MAX_SLOTS = 100

interface AccountInput {
  readonly address?: Address
  readonly block?: BlockParameter
  readonly slots?: readonly bigint[]
  readonly code?: boolean
}

export const readAccount = defineTool({
  name: 'read_account',
  title: 'Read an account',
  description:
    'Balance (wei, as a decimal string), nonce, size and hash of the code, and storage slots of an address at a block; ' +
    'with the name and the file of the verified source where they are known. Use call_function for balances of tokens.',
  effect: 'read',
  input: inputOf<AccountInput>(
    {
      address: described(address, 'account or contract'),
      block: blockArgument,
      slots: described(listOf(flexibleQuantity, MAX_SLOTS), 'storage slots by number, decimal or hex'),
      code: described(boolean, 'whether the answer has the code in hex; default false'),
    },
    ['address'],
  ),
  output: {
    required: {
      address: out.text('the address'),
      balanceWei: out.text('decimal'),
      nonce: out.number('transactions sent'),
      codeSize: out.number('bytes; 0: no contract'),
    },
    optional: {
      name: out.text('name of the contract or account'),
      source: out.text('file of the verified source'),
      implementation: out.text('contract whose code this proxy runs'),
      codeHash: out.text('Keccak-256 of the code'),
      code: out.text('hex'),
      storage: out.list('slot and value, both 32 bytes in hex'),
    },
  },
  async run({ rpc, contracts }, { address: account, block: at = 'pending', slots = [], code: isCodeWanted = false }) {
    const [balance, nonce, code, ...values] = await rpc.batch([
      ['eth_getBalance', account, at],
      ['eth_getTransactionCount', account, at],
      ['eth_getCode', account, at],
      ...slots.map((slot): Request => ['eth_getStorageAt', account, toQuantity(slot), at]),
    ])
    const bytes = hexToBytes(readHex(code, 'code'))
    const { name, source, implementation } = (await contracts.at([account!])).of(account) ?? {}
    return {
      address: account,
      ...(name !== undefined && { name }),
      ...(source !== undefined && { source }),
      ...(implementation !== undefined && { implementation }),
      balanceWei: `${readQuantity(balance, 'balance')}`,
      nonce: Number(readQuantity(nonce, 'nonce')),
      codeSize: bytes.length,
      ...(bytes.length > 0 && { codeHash: keccakHash(bytes) }),
      ...(isCodeWanted && { code: code as string }),
      ...(slots.length > 0 && {
        storage: slots.map((slot, index) => ({ slot: toQuantity(slot), value: values[index] as string })),
      }),
    }
  },
})

interface CallFunctionInput extends CallInput {
  readonly block?: BlockParameter
}

export const callFunction = defineTool({
  name: 'call_function',
  title: 'Call a function without sending it',
  description:
    'Executes a call of a contract at a block and returns the decoded result (eth_call); nothing is sent. A result is ' +
    'decoded when the signature says "returns (…)" or the ABI is known. A revert is not an error of the tool: success ' +
    'is false and error says why. Use simulate for logs and changes of balances.',
  effect: 'read',
  input: inputOf<CallFunctionInput>({ ...CALL_MEMBERS, block: blockArgument }),
  output: {
    required: { success: out.flag('false: it reverted') },
    optional: {
      result: out.any('values by name, or by position; integers as decimal strings, bytes as hex'),
      output: out.text('returned bytes in hex'),
      error: out.object('kind, text, and for custom errors name and args'),
    },
  },
  async run(context, { block: at = 'pending', ...input }) {
    const contracts = await context.contracts.at(input.to === undefined ? [] : [input.to])
    const call = wireCallOf(input, contracts)
    try {
      const output = readHex(await context.rpc.request(['eth_call', call, at]), 'result of a call')
      const result = contracts.interfaces.result(hexToBytes(call.input ?? '0x'), hexToBytes(output))
      return { success: true, ...(result !== undefined && { result }), output }
    } catch (error) {
      if (!(error instanceof JsonRpcError) || error.revertData === undefined) throw error
      return { success: false, error: contracts.interfaces.error(error.revertData) as unknown as JsonRecord }
    }
  },
})
