// Attacks with calls that compute or return as much as the limits allow.
import { request } from '../support/json-rpc.mjs'
import { call, flood, returningCall } from './clients.mjs'

/** JUMPDEST, PUSH1 0, JUMP. */
const LOOP = '0x5b600056'
const GAS = '0x2faf080'

/** Calls a precompile in a loop with `size` bytes of zeros as input. */
function precompileLoop(address, size) {
  // JUMPDEST, STATICCALL(gas, address, 0, size, 0, 0), POP, PUSH1 0, JUMP.
  return `0x5b6000600061${size.toString(16).padStart(4, '0')}600060${address}5afa50600056`
}

function callAttack(id, title, method, params, options) {
  return {
    id,
    title,
    run(node) {
      const message = call(method, params)
      return flood(node, () => message, options)
    },
  }
}

/** Init code that emits logs: PUSH2 count, JUMPDEST, LOG0 of 32 bytes, decrement, DUP1, PUSH1 3, JUMPI, STOP. */
function logLoop(count) {
  return `0x61${count.toString(16).padStart(4, '0')}5b60206000a0600190038060035700`
}

/** @param {{ port: number, send(transaction: object): Promise<string> }} node */
async function withLogs(node) {
  const hashes = []
  for (let index = 0; index < 4; index++) {
    hashes.push(await node.send({ data: logLoop(2_400), gasLimit: 3_000_000n }))
  }
  for (const hash of hashes) {
    while ((await request(node.port, 'eth_getTransactionReceipt', [hash])) === null);
  }
}

const FULL_RANGE = { fromBlock: '0x0', toBlock: 'latest' }

export const CALL_ATTACKS = [
  callAttack('large-returns', '64 calls that return 4.9 MB each', ...returningCall(4_900_000), { connections: 64 }),
  callAttack(
    'traces',
    '32 traces of every instruction',
    'debug_traceCall',
    [{ data: LOOP, gas: '0x30d40' }, 'latest', {}],
    { connections: 32 },
  ),
  callAttack('loops', '32 calls that use all gas', 'eth_call', [{ data: LOOP, gas: GAS }, 'latest'], {
    connections: 32,
  }),
  callAttack('estimates', '32 estimates that use all gas', 'eth_estimateGas', [{ data: LOOP, gas: GAS }], {
    connections: 32,
  }),
  callAttack(
    'initcode',
    '64 creations with the largest init code',
    'eth_call',
    [{ data: `0x${'5b'.repeat(49_151)}00`, gas: GAS }, 'latest'],
    { connections: 64 },
  ),
  callAttack(
    'precompiles',
    '32 calls of the pairing precompile in a loop',
    'eth_call',
    [{ data: precompileLoop('08', 7_680), gas: GAS }, 'latest'],
    { connections: 32 },
  ),
  {
    id: 'log-batches',
    title: 'batches of 100 log queries over the whole chain',
    prepare: withLogs,
    run(node) {
      const items = Array.from({ length: 100 }, (_, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'eth_getLogs',
        params: [FULL_RANGE],
      }))
      const body = Buffer.from(JSON.stringify(items))
      const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
      const message = Buffer.concat([Buffer.from(head), body])
      return flood(node, () => message, { connections: 16 })
    },
  },
  {
    id: 'filters',
    title: 'as many filters as possible, with 1,000 topics each',
    run(node) {
      const topics = [Array.from({ length: 1_000 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`)]
      const message = call('eth_newFilter', [{ topics }])
      return flood(node, () => message, { connections: 16 })
    },
  },
]
