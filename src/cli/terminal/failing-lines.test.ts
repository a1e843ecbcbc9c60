import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DebugScene, openDebugScene } from '../../../test/debugger/debug-scene.ts'
import { FIXTURE_COMPILER_VERSION, fixtureBuild } from '../../../test/debugger/solidity-fixtures.ts'
import { compileHere } from '../../../test/support/solidity-sources.ts'
import { type Address, hexToBytes } from '../../primitives/hex.ts'
import type { StandardInput } from '../../sources/compiler/standard-json.ts'
import type { VerifiedSource } from '../../sources/store/verified-source.ts'
import { verifySource } from '../../sources/verification/verify-source.ts'
import { AbiBook } from './abi-book.ts'
import { DeveloperOutput } from './developer-output.ts'
import { ExecutionWatcher } from './execution-watcher.ts'
import { NO_COLOURS } from './report-text.ts'

let scene: DebugScene
let watcher: ExecutionWatcher
let written: string
beforeEach(async () => {
  scene = await openDebugScene(fixtureBuild())
  written = ''
})
afterEach(async () => {
  await watcher.close()
  await scene.node.stop()
})

function watch(format: 'text' | 'json' = 'text'): void {
  const { node } = scene
  const now = () => node.clock.monotonic()
  const write = (text: string) => {
    written += text
  }
  watcher = new ExecutionWatcher(
    { watchesTransactions: true },
    {
      node: node.node,
      output: new DeveloperOutput({ format, colours: NO_COLOURS, maxPerSecond: 1_000 }, { write, now }),
      book: new AbiBook(),
      now,
      isEnabled: () => true,
      isOwn: () => false,
      yieldTurn: () => new Promise((resolve) => setImmediate(resolve)),
      onFailure: (error) => node.logged.push(error as object),
    },
  )
}

/** The sources of a fixture as a node verifies them. */
async function verified(address: Address, path: string, name: string): Promise<VerifiedSource> {
  const input = scene.build.input as unknown as StandardInput
  const { contract } = await compileHere({ input, contract: { path, name } })
  const code = hexToBytes((await scene.node.result('eth_getCode', address, 'latest')) as unknown as string)
  const compilation = { compilerVersion: FIXTURE_COMPILER_VERSION, contract }
  return verifySource({ address, input }, compilation, { code, deployment: undefined }, '2026-01-01T00:00:00Z')
}

async function failingSwap(): Promise<string> {
  await scene.send(scene.pool, scene.input('Pool', 'swap', [0, 5_000n, 6_000n]))
  await scene.node.nextFlashblock()
  await watcher.close()
  expect(scene.node.logged).toEqual([])
  return written
}

test('a failed transaction is printed with file, line and function of verified sources', async () => {
  const source = await verified(scene.pool, 'src/Pool.sol', 'Pool')
  watch()
  watcher.useSources({ source: async (address) => (address === scene.pool ? source : undefined) })

  const text = await failingSwap()

  const lines = scene.build.input.sources!['src/Pool.sol']!.content!.split('\n')
  const lineOf = (code: string) => lines.findIndex((line) => line.includes(code)) + 1
  expect(text).toContain('reverted with SlippageExceeded(amountOut: 4960, minimumOut: 6000)')
  expect(text).toContain(
    `  Source          src/Pool.sol:${lineOf('revert SlippageExceeded')} in Pool._requireOutput
                  src/Pool.sol:${lineOf('_requireOutput(amountOut, minimumOut);')} in Pool.swap
`,
  )
})

test('a call through a proxy is printed with the lines of the implementation', async () => {
  const source = await verified(scene.ledger, 'src/Ledger.sol', 'Ledger')
  watch('json')
  watcher.useSources({ source: async (address) => (address === scene.ledger ? source : undefined) })
  await scene.send(scene.proxy, scene.input('Ledger', 'add', ['rent', [0n]]))
  await scene.node.nextFlashblock()
  await watcher.close()

  const { execution } = JSON.parse(written.trimEnd().split('\n').at(-1)!)
  expect(execution.failure.lines).toMatchObject([
    { file: 'src/Ledger.sol', contract: 'Ledger', function: '_record' },
    { file: 'src/Ledger.sol', contract: 'Ledger', function: 'add' },
  ])
})

test('without sources a failure is printed as before', async () => {
  watch()
  watcher.useSources({ source: async () => undefined })

  const text = await failingSwap()

  expect(text).toContain('Error')
  expect(text).not.toContain('Source')
})
