// Callers of a contract function: an engine in this process, or Anvil through `eth_call`.
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData } from 'viem'
import { StateOverlay } from '../../dist/state/overlay.js'
import { request } from './json-rpc.mjs'
import { startAnvil } from './peers.mjs'
import { percentile } from './statistics.mjs'

export const ENV = {
  number: 7,
  timestamp: 1_700_000_000n,
  gasLimit: 1n << 40n,
  coinbase: `0x${'c0'.repeat(20)}`,
  baseFee: 10n,
  difficulty: 0n,
  prevRandao: `0x${'ab'.repeat(32)}`,
  blobBaseFee: 1n,
  fork: 'prague',
}
export const SENDER = `0x${'5e'.repeat(20)}`
const NOBODY = `0x${'0b'.repeat(20)}`
const CALL_GAS = 1n << 34n
const ROUND_TRIPS = 25
/** An unsigned call without checks of the sender. */
const FREE = { nonce: false, baseFee: false, senderWithoutCode: false, gasFunds: false }

const NOTHING = {
  account: () => undefined,
  storage: () => 0n,
  code: () => new Uint8Array(0),
  blockHash: () => `0x${'00'.repeat(32)}`,
}

export function dataOf(contract, functionName, args) {
  return Buffer.from(encodeFunctionData({ abi: contract.abi, functionName, args }).slice(2), 'hex')
}

export function message(to, data, fields = {}) {
  const free = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, accessList: [] }
  return { from: SENDER, to, gasLimit: CALL_GAS, value: 0n, data, ...free, ...fields }
}

/** Deploys the contract. @returns the state and the address of the contract */
export async function deploy(engine, contract) {
  const state = new StateOverlay(NOTHING)
  state.setAccount(SENDER, { nonce: 0n, balance: 10n ** 30n, codeHash: state.setCode(SENDER, new Uint8Array(0)) })
  const session = engine.open(ENV, state)
  const creation = await session.call(message(null, contract.init), FREE)
  if (creation.status !== 'success') throw new Error(`the contract was not created: ${JSON.stringify(creation.halt)}`)
  state.apply(session.takeDiff())
  session.close()
  return { state, address: creation.contractAddress }
}

/** Runs every call in its own session, as `eth_call` does. */
export async function engineCaller(engine, contract) {
  const { state, address } = await deploy(engine, contract)
  return async (functionName, rounds) => {
    const data = dataOf(contract, functionName, [BigInt(rounds)])
    const start = performance.now()
    const session = engine.open({ ...ENV, number: 8 }, state)
    const { status, gasUsed, output } = await session.call(message(address, data), FREE)
    session.close()
    const ms = performance.now() - start
    if (status !== 'success') throw new Error(`${functionName}(${rounds}) ended with ${status}`)
    return { ms, gas: gasUsed, output: `0x${Buffer.from(output).toString('hex')}` }
  }
}

/** Starts Anvil without gas limits. */
export async function startCallableAnvil() {
  const anvil = await startAnvil()
  const { version, stop } = anvil
  return { version, stop, caller: (contract) => nodeCaller(anvil, contract, { gas: CALL_GAS, isMining: false }) }
}

/**
 * Deploys the contract on a development node.
 *
 * @param {object} options
 * @param {bigint} [options.gas] of a call; default: that of the node
 * @param {boolean} [options.isMining] whether the node mines each transaction when it arrives
 * @returns a caller, which tells the time that a call adds to a round trip
 */
export async function nodeCaller({ port }, contract, { gas, isMining = true } = {}) {
  const [from] = await request(port, 'eth_accounts')
  const limit = gas === undefined ? {} : { gas: `0x${gas.toString(16)}` }

  async function timedCall(to, data) {
    const params = [{ from, to, data: `0x${data.toString('hex')}`, ...limit }, 'latest']
    const start = performance.now()
    const output = await request(port, 'eth_call', params)
    return { ms: performance.now() - start, output }
  }

  /** Milliseconds of a call that executes no code: the overhead of the request. */
  async function roundTrip() {
    const times = []
    for (let count = 0; count < ROUND_TRIPS; count++) times.push((await timedCall(NOBODY, Buffer.alloc(36))).ms)
    return percentile(times, 0.5)
  }

  const creation = { from, data: `0x${contract.init.toString('hex')}`, gas: '0x1000000' }
  const hash = await request(port, 'eth_sendTransaction', [creation])
  if (!isMining) await request(port, 'evm_mine')
  const readReceipt = () => request(port, 'eth_getTransactionReceipt', [hash])
  let receipt = await readReceipt()
  for (; receipt === null; receipt = await readReceipt()) await sleep(5)
  const { contractAddress, status } = receipt
  if (status !== '0x1') throw new Error('the node did not create the contract')
  return async (functionName, rounds) => {
    const data = dataOf(contract, functionName, [BigInt(rounds)])
    const empty = await roundTrip()
    const { ms, output } = await timedCall(contractAddress, data)
    return { ms: ms - empty, output }
  }
}
