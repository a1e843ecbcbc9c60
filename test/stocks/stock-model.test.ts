import fc from 'fast-check'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { ADMIN, idOf, type StockChain, startStockChain } from '../support/stock-chain.ts'
import { expectSameState, HOLDERS, stockCommand } from '../support/stock-commands.ts'
import { type Command, callOf, StockModel } from '../support/stock-model.ts'
import { TOKEN_REFUSALS } from '../support/stock-refusals.ts'

test('property: the contract behaves like a short model for any sequence of transactions', async () => {
  const sequences = fc.array(stockCommand, { minLength: 10, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(sequences, async (commands) => void (await run(commands))),
    { numRuns: 40 },
  )
})

test.each(TOKEN_REFUSALS)('the contract refuses with %s like the model: case %#', async (error, commands) => {
  const errors = await run(commands)

  expect(errors).toEqual([...commands.slice(1).map(() => undefined), error])
})

/** Applies commands to the contract and to the model, and compares them. @returns the error of each command */
async function run(commands: readonly Command[]): Promise<(string | undefined)[]> {
  const chain = await startStockChain()
  const model = new StockModel()
  for (const account of HOLDERS) await chain.send(ADMIN, 'grantRole', [idOf('BURN_ROLE'), account])
  const errors: (string | undefined)[] = []
  for (const command of commands) {
    errors.push(await expectSame(chain, model, command))
    await expectSameState(chain, model)
  }
  chain.close()
  return errors
}

/** Applies a command to both. Returns the name of the error if the contract reverts. */
async function expectSame(chain: StockChain, model: StockModel, command: Command): Promise<string | undefined> {
  const { time } = model
  const error = model.apply(command)
  if (command.kind === 'wait') {
    chain.moveTo(model.time)
    return undefined
  }
  const [from, functionName, args] = callOf(command, time)
  if (error !== undefined) {
    expect(await chain.refusal(from as Hex, functionName, args)).toEqual(error)
    return error[0]
  }
  await chain.send(from as Hex, functionName, args)
  return undefined
}
