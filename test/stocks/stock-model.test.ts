import fc from 'fast-check'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { ADMIN, idOf, type StockChain, startStockChain } from '../support/stock-chain.ts'
import { expectSameState, HOLDERS, stockCommand } from '../support/stock-commands.ts'
import { type Command, callOf, StockModel } from '../support/stock-model.ts'

test('property: the contract behaves like a short model for any sequence of transactions', async () => {
  const refused = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(stockCommand, { minLength: 10, maxLength: 60 }), async (commands) => {
      const chain = await startStockChain()
      const model = new StockModel()
      for (const account of HOLDERS) await chain.send(ADMIN, 'grantRole', [idOf('BURN_ROLE'), account])
      for (const command of commands) {
        const error = await expectSame(chain, model, command)
        if (error !== undefined) refused.add(error)
        await expectSameState(chain, model)
      }
      chain.close()
    }),
    { numRuns: 40 },
  )
  // The sequences covered each of these errors.
  expect([...refused]).toEqual(
    expect.arrayContaining(['ContractPaused', 'InsufficientBalance', 'SupplyCapExceeded', 'UIMultiplierUpdateExists']),
  )
})

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
