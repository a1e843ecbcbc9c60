import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, encodeDeployData, encodeFunctionData } from 'viem'
import { bytesToHex } from '../../src/primitives/hex.ts'
import { codeTemplate } from '../../src/solidity/bytecode/code-template.ts'
import { FIXTURE_COMPILER_VERSION, type FixtureBuild, fixtureContract } from '../debugger/solidity-fixtures.ts'
import type { StudioNode } from './studio-node.ts'

/** More than any transaction of the fixtures needs; failing ones cannot be estimated. */
const GAS = '0x4c4b40'

/** The contracts of the debugger's tests on a node that mines each transaction. */
export class DebuggerNode {
  readonly node: StudioNode
  readonly sender: string

  constructor(node: StudioNode, sender: string) {
    this.node = node
    this.sender = sender
  }

  /** @returns the hash */
  async send(to: string | undefined, data: string): Promise<string> {
    return String(await this.node.request('eth_sendTransaction', [{ from: this.sender, to, data, gas: GAS }]))
  }

  /** @returns the address of the new contract */
  async deploy(build: FixtureBuild, name: string, args: readonly unknown[] = []): Promise<string> {
    const { facts } = fixtureContract(build, name)
    const bytecode = bytesToHex(codeTemplate(facts.creation)!.code)
    const hash = await this.send(undefined, encodeDeployData({ abi: facts.abi as Abi, bytecode, args }))
    const receipt = await this.node.request('eth_getTransactionReceipt', [hash])
    return (receipt as { readonly contractAddress: string }).contractAddress
  }

  /** Deploys tokens, and a pool that has reserves. @returns the address of the pool */
  async deployPool(build: FixtureBuild): Promise<string> {
    const first = await this.deploy(build, 'Token', ['First', 10n ** 24n])
    const second = await this.deploy(build, 'Token', ['Second', 10n ** 24n])
    const pool = await this.deploy(build, 'Pool', [first, second])
    await this.send(pool, input(build, 'Pool', 'mint', [1_000_000n, 1_000_000n]))
    return pool
  }
}

/** Writes builds as tools do: a node with `--abi` verifies their contracts by itself. */
export function writeBuilds(directory: string, builds: readonly FixtureBuild[]): void {
  mkdirSync(join(directory, 'build-info'))
  for (const [index, { input: given, output }] of builds.entries()) {
    const info = { solcLongVersion: FIXTURE_COMPILER_VERSION, input: given, output }
    writeFileSync(join(directory, 'build-info', `${index}.json`), JSON.stringify(info))
  }
}

/** Input of a call of a function. */
export function input(build: FixtureBuild, contract: string, name: string, args: readonly unknown[]): `0x${string}` {
  return encodeFunctionData({ abi: fixtureContract(build, contract).facts.abi as Abi, functionName: name, args })
}
