import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type CompiledProgram, compileProgram } from './support/compiled-program.ts'

const BEEF = `0x${'00'.repeat(18)}beef`

let program: CompiledProgram
beforeAll(async () => {
  program = await compileProgram()
})
afterAll(() => program.remove())

async function start(...flags: readonly string[]): Promise<string> {
  const { url, stop } = await program.start('--ephemeral', ...flags)
  onTestFinished(async () => {
    await stop()
  })
  return url
}

describe('tickertape deposit', () => {
  it.each(['op', 'denim'])('makes a deposit on a node of the profile %s and waits for its block', async (profile) => {
    const url = await start('--profile', profile)

    const made = await program.run('deposit', '--rpc-url', url, '--to', BEEF, '--value', '7', '--json')

    expect(made).toMatchObject({ status: 0, errors: '' })
    const { hash, receipt } = JSON.parse(made.output)
    expect(receipt).toMatchObject({ transactionHash: hash, status: '0x1', type: '0x7e', to: BEEF })
  })

  it('exits with 1 for a deposit that fails on layer 2', async () => {
    const url = await start('--profile', 'op')

    const made = await program.run(
      'deposit',
      '--rpc-url',
      url,
      '--to',
      BEEF,
      '--from',
      BEEF,
      '--mint',
      '1',
      '--value',
      '2',
    )

    expect(made).toMatchObject({ status: 1, output: expect.stringMatching(/^Deposit 0x.* in block \d+ failed\n$/) })
  })

  it('exits with 3 and one line where the chain has no deposits, and with 2 for wrong usage', async () => {
    const url = await start()
    const refused = await program.run('deposit', '--rpc-url', url, '--to', BEEF)
    expect(refused).toMatchObject({
      status: 3,
      errors:
        'tickertape: the node refuses tickertape_deposit: this chain has no deposits: use --profile op or denim ' +
        '(code -32000)\n',
    })
    expect((await program.run('deposit', '--to', 'beef')).status).toBe(2)
  })
})
