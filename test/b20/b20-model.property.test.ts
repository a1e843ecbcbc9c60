import fc from 'fast-check'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { POLICY_REGISTRY_ADDRESS } from '../../src/chain/b20/addresses.ts'
import {
  isTokenCommand,
  type NativeCommand,
  NativeTokenModel,
  nativeCallOf,
  SCOPES,
} from '../support/native-token-model.ts'
import { propertyRuns } from '../support/runs.ts'
import { ADMIN, idOf, type Named, type StockChain, startStockChain } from '../support/stock-chain.ts'
import { amount, expectSameState, HOLDERS, holder, kind, receiver, stockCommand } from '../support/stock-commands.ts'
import { type Command, callOf } from '../support/stock-model.ts'

const listType = fc.constantFrom<0 | 1>(0, 1)
const accounts = fc.uniqueArray(holder, { maxLength: 3 })
const policy = fc.record({ position: fc.nat(12), isInverted: fc.boolean() })
const composite = { type: fc.constantFrom<2 | 3>(2, 3), children: fc.array(policy, { minLength: 1, maxLength: 5 }) }
const list = { policy, type: listType, isMember: fc.boolean(), account: holder }

const nativeCommand: fc.Arbitrary<NativeCommand> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: kind('createList'), type: listType, accounts }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('createComposite'), ...composite }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('updateList'), ...list }) },
  { weight: 6, arbitrary: fc.record({ kind: kind('setPolicy'), scope: fc.constantFrom(...SCOPES), policy }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('seize'), from: receiver, to: receiver, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('burnBlocked'), from: holder, amount }) },
)
const command: fc.Arbitrary<Command | NativeCommand> = fc.oneof(stockCommand, nativeCommand)

test('property: token and policy registry behave like short models for any sequence of transactions', async () => {
  const refused = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 80 }), async (commands) => {
      const chain = await startStockChain('denim')
      const model = new NativeTokenModel()
      for (const account of HOLDERS) await chain.send(ADMIN, 'grantRole', [idOf('BURN_ROLE'), account])
      for (const command of commands) {
        const error = await expectSame(chain, model, command)
        if (error !== undefined) refused.add(error[0])
      }
      await expectSameState(chain, model)
      await expectSamePolicies(chain, model)
      chain.close()
    }),
    { numRuns: propertyRuns(200) },
  )
  // The sequences covered each of these errors.
  const covered = ['ContractPaused', 'PolicyForbids', 'AccountNotSeizable', 'AccountNotBlocked', 'InvalidChildPolicy']
  expect([...refused]).toEqual(expect.arrayContaining(covered))
})

/** Applies a command to both. Returns the error if the contract reverts. */
async function expectSame(
  chain: StockChain,
  model: NativeTokenModel,
  command: Command | NativeCommand,
): Promise<Named | undefined> {
  const { from, name, args, extra } = callFor(model, command)
  const error = isTokenCommand(command) ? model.apply(command) : model.applyNative(command)
  if (command.kind === 'wait') chain.moveTo(model.time)
  else if (error === undefined) await chain.send(from, name, args, extra)
  else expect([command, await chain.refusal(from, name, args, extra)]).toEqual([command, error])
  return error
}

function callFor(model: NativeTokenModel, command: Command | NativeCommand) {
  if (command.kind === 'wait') return { from: ADMIN, name: '', args: [], extra: {} }
  if (isTokenCommand(command)) {
    const [from, name, args] = callOf(command, model.time)
    return { from: from as Hex, name, args, extra: {} }
  }
  const [name, args, isRegistry] = nativeCallOf(command, model)
  return { from: ADMIN, name, args, extra: isRegistry ? { to: POLICY_REGISTRY_ADDRESS } : {} }
}

async function expectSamePolicies(chain: StockChain, model: NativeTokenModel): Promise<void> {
  const inverted = model.policyIds.map((id) => id | (1n << 63n))
  for (const id of [...model.policyIds, ...inverted]) {
    for (const account of HOLDERS) {
      const isAuthorized = await chain.read('isAuthorized', [id, account], POLICY_REGISTRY_ADDRESS)
      expect([id, account, isAuthorized]).toEqual([id, account, model.isAuthorized(id, account)])
    }
  }
}
