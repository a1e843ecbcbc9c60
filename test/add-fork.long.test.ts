import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

/** The steps of "Add an EVM fork" in CONTRIBUTING.md: the text after which each addition is inserted. */
const STEPS: readonly (readonly [file: string, after: string, addition: string])[] = [
  ['src/chain/forks/ordinals.ts', 'export const BPO2: u32 = 19\n', 'export const DUMMY: u32 = 20\n'],
  [
    'src/chain/forks/forks.ts',
    "genesisKeys: ['bpo2Time'] },\n",
    "  { name: 'dummy', ordinal: Ordinal.DUMMY, activation: 'time', genesisKeys: ['dummyTime'] },\n",
  ],
  [
    'src/engine/evm/assembly/gas-table.ts',
    'define(Op.CLZ, LOW, 1, 1, OSAKA)\n',
    '  if (fork >= DUMMY) define(Op.CLZ, 77, 1, 1)\n',
  ],
  ['src/engine/evm/assembly/gas-table.ts', '  CONSTANTINOPLE,\n', '  DUMMY,\n'],
]

/** Runs CLZ once in each fork. Prints the gas used, and when a genesis.json activates the fork. */
const PROGRAM = `
import { parseChainConfig } from './dist/chain/genesis/genesis-config.js'
import { forkAt } from './dist/chain/forks/fork-schedule.js'
import { forkDefinition } from './dist/chain/forks/forks.js'
import { Evm } from './dist/engine/evm/evm.js'

const config = parseChainConfig(
  { chainId: 1, terminalTotalDifficulty: 0, osakaTime: 100, dummyTime: 200 },
  { number: 0, timestamp: 0n },
)
const evm = new Evm({ seed: 1n })
function clzGas(fork) {
  evm.exports.openSession(forkDefinition(fork).ordinal, 24_576)
  const account = (address) => {
    evm.setAddress(address)
    evm.exports.findAccount()
    return evm.exports.addAccount(0, 0)
  }
  const code = Buffer.from('60011e00', 'hex')
  const [from, to] = [account('0x' + 'aa'.repeat(20)), account('0x' + 'bb'.repeat(20))]
  const hash = '0x' + 'cc'.repeat(32)
  evm.setBytes32(evm.exchange, hash)
  evm.setWord(evm.exchange + 32, 0n)
  evm.exports.provideAccount(from, 0n, 0)
  evm.setBytes32(evm.exchange, hash)
  evm.exports.provideAccount(to, 1n, 1)
  evm.setBytes32(evm.exchange, hash)
  if (evm.exports.findCode() === 0) {
    const record = evm.exports.addCode(code.length)
    evm.bytes.set(code, record + 96)
    evm.exports.finishCode(record)
  }
  evm.exports.beginTransaction()
  evm.exports.reserveInput(0)
  evm.setWord(evm.exchange, 0n)
  evm.exports.setMessage(from, to, 0, 1000n, 0, 0, 0)
  evm.exports.proceed()
  return Number(1000n - evm.exports.gasLeft())
}
console.log(JSON.stringify({
  osaka: clzGas('osaka'),
  dummy: clzGas('dummy'),
  before: forkAt(config, 1, 199n),
  after: forkAt(config, 1, 200n),
}))
`

describe('the recipe to add an EVM fork', () => {
  const copy = mkdtempSync(join(tmpdir(), 'add-fork-'))
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it('changes the gas of an instruction from the activation on, with the files that the recipe names', () => {
    for (const folder of ['primitives', 'chain', 'storage', 'state', 'engine']) {
      cpSync(join(ROOT, 'src', folder), join(copy, 'src', folder), { recursive: true })
    }
    for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts']) {
      cpSync(join(ROOT, file), join(copy, file), { recursive: true })
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))

    for (const [file, after, addition] of STEPS) {
      const path = join(copy, file)
      const text = readFileSync(path, 'utf8')
      expect(text, `${file} contains ${JSON.stringify(after)}`).toContain(after)
      writeFileSync(path, text.replace(after, after + addition))
    }
    const run = (...args: string[]): string => execFileSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
    run('scripts/build-wasm.mjs')
    run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json')
    for (const module of ['primitives/keccak', 'engine/evm/evm']) {
      cpSync(join(copy, `src/${module}.wasm`), join(copy, `dist/${module}.wasm`))
    }
    writeFileSync(join(copy, 'program.mjs'), PROGRAM)

    const result: unknown = JSON.parse(run('program.mjs'))

    expect(result).toEqual({ osaka: 3 + 5, dummy: 3 + 77, before: 'osaka', after: 'dummy' })
  })
})
