import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type CompiledProgram, compileProgram } from './support/compiled-program.ts'
import { conformanceJson, conformancePath, hasConformanceData } from './support/conformance-data.ts'
import { startRpcNode } from './support/rpc-node.ts'
import { signTransfer } from './support/transfers.ts'
import { witnessFileOf } from './support/verified-witness.ts'

const BLOCK = 'op-stack/execution/blocks/op-sepolia-26207960.json.gz'

let program: CompiledProgram
let directory: string

beforeAll(async () => {
  program = await compileProgram()
  directory = mkdtempSync(join(tmpdir(), 'tickertape-witness-'))
})

afterAll(() => {
  program.remove()
  rmSync(directory, { recursive: true })
})

function execute(file: string, ...flags: readonly string[]) {
  return program.run('execute', '--witness', file, ...flags)
}

function fileOf(content: string): string {
  const file = join(directory, 'witness.json')
  writeFileSync(file, content)
  return file
}

describe('tickertape execute', () => {
  it('exits with 2 and one line for files that are no witnesses', async () => {
    const missing = await execute(join(directory, 'none.json'))
    expect(missing).toMatchObject({ status: 2, errors: expect.stringMatching(/^tickertape: ENOENT.*\n$/) })
    const text = await execute(fileOf('no JSON'))
    expect(text).toMatchObject({ status: 2, errors: expect.stringMatching(/is neither JSON nor JSON compressed.*\n$/) })
    const bomb = join(directory, 'bomb.json.gz')
    writeFileSync(bomb, gzipSync(Buffer.alloc(300 * 2 ** 20, ' ')))
    const large = await execute(bomb)
    expect(large).toMatchObject({ status: 2, errors: expect.stringMatching(/has more than 268435456 bytes.*\n$/) })
    expect(await execute('/dev/zero')).toMatchObject({
      status: 2,
      errors: 'tickertape: /dev/zero is no regular file\n',
    })
    const other = await execute(fileOf('{"parent":{}}'), '--json')
    expect(other.status).toBe(2)
    expect(JSON.parse(other.output)).toMatchObject({ error: { code: 'INVALID_WITNESS' } })
  })

  it('executes a block of a node, by the rules of the chain that the flags name', async () => {
    const node = await startRpcNode({}, { network: { upgrade: 'jovian' } })
    onTestFinished(() => node.stop())
    await node.node.submit(signTransfer({ nonce: 0n }).raw)
    await node.nextBlock()
    const file = fileOf(JSON.stringify(await witnessFileOf(node, 1)))

    const equal = await execute(file, '--profile', 'op', '--hardfork', 'jovian')
    expect(equal.output).toMatch(/^Equal: block 1 0x[0-9a-f]{64}, 2 transactions, [0-9]+ gas\n$/)
    // Other rules: the contracts that they call at the beginning of the block are not in the witness.
    expect((await execute(file, '--profile', 'op', '--hardfork', 'ecotone')).status).not.toBe(0)
  })

  it('refuses a witness whose headers do not lead to the block', async () => {
    const node = await startRpcNode()
    onTestFinished(() => node.stop())
    await node.nextBlock()
    await node.nextBlock()
    const [first, second] = [await witnessFileOf(node, 1), await witnessFileOf(node, 2)]
    const mixed = await execute(fileOf(JSON.stringify({ ...second, witness: first.witness })))
    expect(mixed).toMatchObject({ status: 2, errors: expect.stringMatching(/headers do not lead to block 2/) })
  })

  const hasBlock = hasConformanceData(BLOCK, 'a recorded block of OP Sepolia')

  it.skipIf(!hasBlock)('exits with 0 for a recorded block whose results are equal', async () => {
    const { status, output } = await execute(conformancePath(BLOCK))
    expect(output).toMatch(/^Equal: block 26207960 0x[0-9a-f]{64}, 10 transactions, 953624 gas\n$/)
    expect(status).toBe(0)
  })

  it.skipIf(!hasBlock)('exits with 1 and names each difference', async () => {
    const witness = conformanceJson(BLOCK) as { expected: { header: Record<string, string>; hash: string } }
    const header = { ...witness.expected.header, gasUsed: '0x1' }
    const file = fileOf(JSON.stringify({ ...witness, expected: { ...witness.expected, header } }))
    const { status, errors } = await execute(file)
    expect({ status, errors }).toEqual({ status: 1, errors: 'Block 26207960: gasUsed is 953624, recorded was 1\n' })
  })
})
