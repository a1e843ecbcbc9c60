import { type Abi, encodeDeployData, encodeFunctionData } from 'viem'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { type Address, bytesToHex, hexToBytes } from '../../src/primitives/hex.ts'
import { codeTemplate } from '../../src/solidity/bytecode/code-template.ts'
import { DebugSession } from '../../src/solidity/debugger/debug-session.ts'
import { codesOfFrames } from '../../src/solidity/debugger/frame-code.ts'
import type { ReadSteps, StepWindowJson, WindowRange } from '../../src/solidity/debugger/machine-windows.ts'
import { type StepColumnsJson, stepTraceOf } from '../../src/solidity/trace/step-trace.ts'
import { type RpcNode, startRpcNode } from '../support/rpc-node.ts'
import { signTransfer } from '../support/transfers.ts'
import { type FixtureBuild, fixtureContract } from './solidity-fixtures.ts'

/** Sender of all transactions. */
export const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const GAS_LIMIT = 5_000_000n

/** A node with the contracts of `contracts/*.sol`. */
export interface DebugScene {
  readonly node: RpcNode
  readonly build: FixtureBuild
  readonly first: Address
  readonly second: Address
  /** Has 1,000,000 of each token. */
  readonly pool: Address
  readonly proxy: Address
  readonly ledger: Address
  /** Input of a call of a function. */
  input(contract: string, name: string, args: readonly unknown[]): `0x${string}`
  /** Sends a transaction; it is pre-confirmed with the next flashblock. @returns its hash */
  send(to: Address | null, data: string): Promise<string>
  /** A debugger at a transaction. */
  debug(hash: string): Promise<DebugSession>
  /** A debugger at a call. */
  debugCall(call: object): Promise<DebugSession>
  /** Ranges of steps that debuggers asked for. */
  readonly read: WindowRange[]
}

/** Starts a node, deploys the contracts, and funds the pool. */
export async function openDebugScene(build: FixtureBuild): Promise<DebugScene> {
  const node = await startRpcNode({ development: true })
  const read: WindowRange[] = []
  let nonce = 0n
  const abiOf = (name: string) => fixtureContract(build, name).facts.abi as Abi
  const send = async (to: Address | null, data: string) => {
    const sent = signTransfer({ nonce: nonce++, to, value: 0n, data: hexToBytes(data), gasLimit: GAS_LIMIT })
    await node.result('eth_sendRawTransaction', bytesToHex(sent.raw))
    return sent.hash
  }
  const deploy = async (name: string, args: readonly unknown[]) => {
    const bytecode = bytesToHex(codeTemplate(fixtureContract(build, name).facts.creation)!.code)
    const address = createAddress(SENDER, nonce)
    await send(null, encodeDeployData({ abi: abiOf(name), bytecode, args }))
    return address
  }
  const input = (contract: string, name: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: abiOf(contract), functionName: name, args })
  const first = await deploy('Token', ['First', 10n ** 24n])
  const second = await deploy('Token', ['Second', 10n ** 24n])
  const pool = await deploy('Pool', [first, second])
  const ledger = await deploy('Ledger', [])
  const proxy = await deploy('LedgerProxy', [ledger])
  await send(pool, input('Pool', 'mint', [1_000_000n, 1_000_000n]))
  await node.nextBlock()

  const session = async (method: string, params: readonly unknown[], more: object = {}) => {
    const traced = (tracer: string, tracerConfig: object = {}): Promise<unknown> =>
      node.result(method, ...params, { ...more, tracer, tracerConfig })
    const trace = stepTraceOf((await traced('stepColumnsTracer')) as StepColumnsJson)
    const codes = await codesOfFrames(trace, {
      built: build.contracts,
      verified: async () => undefined,
      code: async (address) => hexToBytes((await node.result('eth_getCode', address, 'pending')) as unknown as string),
    })
    const readSteps: ReadSteps = async (ranges) => {
      read.push(...ranges)
      return (await traced('stepWindowsTracer', { ranges })) as readonly StepWindowJson[]
    }
    return new DebugSession(trace, codes, readSteps)
  }
  return {
    ...{ node, build, first, second, pool, proxy, ledger, input, send, read },
    debug: (hash) => session('debug_traceTransaction', [hash]),
    debugCall: (call) => session('debug_traceCall', [call, 'latest']),
  }
}
