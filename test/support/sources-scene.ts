import { setTimeout as delay } from 'node:timers/promises'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { type Address, bytesToHex, type Hex, hexToBytes } from '../../src/primitives/hex.ts'
import { keccak256 } from '../../src/primitives/keccak.ts'
import { ANONYMOUS } from '../../src/rpc/protocol/rpc-client.ts'
import { requestsOf } from '../../src/service/serving/source-service.ts'
import { codeTemplate } from '../../src/solidity/bytecode/code-template.ts'
import { answerSources } from '../../src/sources/api/answer-sources.ts'
import type { ApiDeps, ApiResponse } from '../../src/sources/api/api-request.ts'
import type { NodeRequest } from '../../src/sources/chain/node-requests.ts'
import type { InstalledCompiler } from '../../src/sources/compiler/installed-compilers.ts'
import { compilerVersion } from '../../src/sources/compiler/installed-compilers.ts'
import { SourceStore } from '../../src/sources/store/source-store.ts'
import { LocalSources, type LocalSourcesDeps } from '../../src/sources/verification/sources.ts'
import { type ManualServer, startManualServer } from './manual-server.ts'
import { compileHere, inputOf, SOLC_VERSION } from './solidity-sources.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read members of JSON that they compare.
type AnyJson = any

/** Sender of all transactions. */
const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address

export interface SourcesScene {
  readonly node: ManualServer
  readonly sources: LocalSources
  readonly request: NodeRequest
  /** Deploys a contract, and seals it unless `isPending`. @returns its address */
  deploy(
    path: string,
    name: string,
    values?: { readonly libraries?: readonly string[]; readonly args?: string; readonly isPending?: boolean },
  ): Promise<string>
  /** Lets the factory create a child with a value. @returns its address */
  createChild(factory: string, value: number): Promise<string>
  /** Sends a request to the interfaces. @param body is sent with POST */
  send(target: string, body?: string, access?: Partial<ApiDeps>): Promise<ApiResponse & { readonly body: AnyJson }>
}

/** A node, and the sources of its chain in a directory, compiled in this process. */
export async function openSourcesScene(directory: string, deps: Partial<LocalSourcesDeps> = {}): Promise<SourcesScene> {
  const node = await startManualServer()
  const request = requestsOf(node.rpc, ANONYMOUS)
  const log = { error: (details: object) => console.error(details) }
  const { version } = compilerVersion(SOLC_VERSION)
  const compilers: readonly InstalledCompiler[] = [{ version, directory: '/solc' }]
  let jobs = 0
  const sources = new LocalSources({
    store: new SourceStore({ directory }),
    request,
    compilers: () => compilers,
    compile: compileHere,
    now: () => new Date(1_700_000_000_000),
    randomId: () => `job-${++jobs}`,
    delay: (milliseconds) => delay(milliseconds, undefined, { ref: false }),
    log,
    ...deps,
  })
  const nextNonce = async () => BigInt((await request('eth_getTransactionCount', SENDER, 'pending')) as string)
  return {
    node,
    sources,
    request,
    async deploy(path, name, { libraries = [], args = '', isPending = false } = {}) {
      const { contract } = await compileHere({ input: inputOf(), contract: { path, name } })
      const template = codeTemplate(contract.bytecode)!
      const code = Uint8Array.from(template.code)
      template.libraries.forEach(({ start }, index) => {
        code.set(hexToBytes(libraries[index] ?? libraries[0]!), start)
      })
      const data = hexToBytes(`${bytesToHex(code)}${args}` as Hex)
      const hash = await node.send({ nonce: await nextNonce(), to: null, value: 0n, data, gasLimit: 3_000_000n })
      await (isPending ? node.nextFlashblock() : node.nextBlock())
      return (await node.result<{ contractAddress: string }>('eth_getTransactionReceipt', hash)).contractAddress
    },
    async createChild(factory, value) {
      const selector = bytesToHex(keccak256(Buffer.from('create(uint256)')).subarray(0, 4))
      const data = hexToBytes(`${selector}${value.toString(16).padStart(64, '0')}`)
      const hash = await node.send({
        nonce: await nextNonce(),
        to: factory as Address,
        value: 0n,
        data,
        gasLimit: 1_000_000n,
      })
      await node.nextBlock()
      const { logs } = await node.result<{ logs: readonly { data: string }[] }>('eth_getTransactionReceipt', hash)
      return `0x${logs[0]!.data.slice(26)}`
    },
    async send(target, body, access = {}) {
      const method = body === undefined ? 'GET' : 'POST'
      const chainId = node.node.config.chainId
      const answer = await answerSources(
        { method, target, body: body ?? '' },
        { sources, request, chainId, mayPost: true, log, ...access },
      )
      return { ...answer, body: JSON.parse(JSON.stringify(answer.body)) }
    },
  }
}
