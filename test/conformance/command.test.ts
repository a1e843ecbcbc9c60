import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { conformanceCommand } from './command.ts'

const SENDER = '0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b'
/** A transfer of zero from an account without funds, valid in no fork. */
const POOR = {
  env: {
    currentCoinbase: '0x2adc25665018aa1fe0e6bc666dac8fc2697ff9ba',
    currentGasLimit: '0x01c9c380',
    currentNumber: '0x01',
    currentTimestamp: '0x03e8',
    currentBaseFee: '0x07',
    currentRandom: '0x00',
    currentExcessBlobGas: '0x00',
  },
  pre: { [SENDER]: { balance: '0x01', nonce: '0x00', code: '0x', storage: { '0x01': '0x02' } } },
  config: { chainid: '0x01' },
}
const POST = { txbytes: '0xc0', hash: `0x${'00'.repeat(32)}`, logs: `0x${'00'.repeat(32)}` }

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'suite-'))
  mkdirSync(join(folder, 'state', 'Prague'), { recursive: true })
  mkdirSync(join(folder, 'empty'))
  const bad = { ...POOR, post: { Prague: [{ ...POST, expectException: 'TransactionException.NONE' }, POST] } }
  const unknown = { ...POOR, post: { Tomorrow: [POST] } }
  writeFileSync(join(folder, 'state', 'Prague', 'a.json'), JSON.stringify({ bad }))
  writeFileSync(join(folder, 'state', 'b.json.gz'), gzipSync(JSON.stringify({ 'some/file.json': { unknown } })))
  writeFileSync(join(folder, 'state', 'INDEX.json'), JSON.stringify({ bad }))
})

afterAll(() => rmSync(folder, { recursive: true }))

async function run(kind: 'state' | 'blocks', ...args: string[]) {
  let out = ''
  let err = ''
  const code = await conformanceCommand(kind, args, {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
  })
  return { code, out, err }
}

describe('conformance command', () => {
  it('lists each failing case with expected and actual values, and prints the counts at the end', async () => {
    const { code, out, err } = await run('state', join(folder, 'state'))
    expect(code).toBe(1)
    expect(out).toContain(
      'failed: bad Prague[0] (Prague/a.json)\n  state root of a refused transaction: expected 0x000',
    )
    expect(out).toContain('failed: bad Prague[1] (Prague/a.json)\n  expected to run, actual: not decoded')
    expect(out).toContain('failed: unknown (b.json.gz)\n  threw Error: fork Tomorrow is not one of frontier')
    expect(out).toMatch(/\n0 passed, 3 failed\n$/)
    expect(err).toContain('2 run, 2 failed: Prague/a.json\n')
  })

  it('gives the report as JSON, with nothing else on standard output', async () => {
    const { code, out, err } = await run('state', '--json', join(folder, 'state'), '--filter', 'unknown')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ passed: 0, failed: 1, failures: [{ file: 'b.json.gz', id: 'unknown' }] })
    expect(err).toMatch(/0 passed, 1 failed\n$/)
  })

  it.each([
    ['no folder', []],
    ['two folders', ['a', 'b']],
    ['a folder that is not there', ['/nowhere/at/all']],
    ['a flag that is none', ['--fast']],
  ])('says how it is used when it is given %s', async (_what, args) => {
    const { code, out, err } = await run('state', ...args)
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(err).toContain('usage: npm run conformance:state -- DIR')
  })

  it('reports a folder without tests, or with tests of the other kind', async () => {
    expect(await run('state', join(folder, 'empty'))).toMatchObject({ code: 2 })
    const other = await run('blocks', join(folder, 'state'))
    expect(other).toMatchObject({ code: 2 })
    expect(other.err).toContain('holds no blockchain tests')
  })

  it('prints its usage', async () => {
    const { code, out } = await run('blocks', '--help')
    expect(code).toBe(0)
    expect(out).toContain('usage: npm run conformance:blocks -- DIR')
  })
})
