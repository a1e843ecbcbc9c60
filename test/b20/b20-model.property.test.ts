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
  type Scope,
} from '../support/native-token-model.ts'
import { propertyRuns } from '../support/runs.ts'
import { ADMIN, ALICE, BOB, idOf, type Named, type StockChain, startStockChain } from '../support/stock-chain.ts'
import { amount, expectSameState, HOLDERS, holder, kind, receiver, stockCommand } from '../support/stock-commands.ts'
import { type Command, callOf } from '../support/stock-model.ts'
import { TOKEN_REFUSALS } from '../support/stock-refusals.ts'

const listType = fc.constantFrom<0 | 1>(0, 1)
const accounts = fc.uniqueArray(holder, { maxLength: 3 })
const policy = fc.record({ position: fc.nat(12), isInverted: fc.boolean() })
const compositePolicy = {
  type: fc.constantFrom<2 | 3>(2, 3),
  children: fc.array(policy, { minLength: 1, maxLength: 5 }),
}
const list = { policy, type: listType, isMember: fc.boolean(), account: holder }

const nativeCommand: fc.Arbitrary<NativeCommand> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: kind('createList'), type: listType, accounts }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('createComposite'), ...compositePolicy }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('updateList'), ...list }) },
  { weight: 6, arbitrary: fc.record({ kind: kind('setPolicy'), scope: fc.constantFrom(...SCOPES), policy }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('seize'), from: receiver, to: receiver, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('burnBlocked'), from: holder, amount }) },
)
const command: fc.Arbitrary<Command | NativeCommand> = fc.oneof(stockCommand, nativeCommand)

test('property: token and policy registry behave like short models for any sequence of transactions', async () => {
  const sequences = fc.array(command, { minLength: 20, maxLength: 80 })
  await fc.assert(
    fc.asyncProperty(sequences, async (commands) => void (await run(commands))),
    { numRuns: propertyRuns(200) },
  )
})

const [ALLOW, BLOCK] = [1, 0] as const
/** Policies by their positions: the built-in ones admit everyone (0) and nobody (1). */
const at = (position: number) => ({ position, isInverted: false })
const createList: NativeCommand = { kind: 'createList', type: ALLOW, accounts: [ALICE] }
const setPolicy = (scope: Scope, position: number): NativeCommand => ({
  kind: 'setPolicy',
  scope,
  policy: at(position),
})
const composite = (...positions: number[]): NativeCommand => {
  return { kind: 'createComposite', type: 2, children: positions.map(at) }
}
const seize: NativeCommand = { kind: 'seize', from: ALICE, to: BOB, amount: 5n }
const burnBlocked: NativeCommand = { kind: 'burnBlocked', from: ALICE, amount: 5n }
const updateList: NativeCommand = { kind: 'updateList', type: ALLOW, policy: at(2), isMember: true, account: BOB }
const mint: Command = { kind: 'mint', from: ADMIN, to: ALICE, amount: 10n }
const transfer: Command = { kind: 'transfer', from: ALICE, to: BOB, amount: 5n }
const mayBeSeized = setPolicy('SEIZE_EXEMPT_POLICY', 1)

const NATIVE_REFUSALS: readonly (readonly [string, readonly (Command | NativeCommand)[]])[] = [
  ['PolicyForbids', [mint, setPolicy('TRANSFER_SENDER_POLICY', 1), transfer]],
  ['PolicyForbids', [mint, createList, setPolicy('TRANSFER_RECEIVER_POLICY', 2), transfer]],
  ['PolicyForbids', [mint, setPolicy('TRANSFER_EXECUTOR_POLICY', 1), transfer]],
  ['PolicyForbids', [setPolicy('MINT_RECEIVER_POLICY', 1), mint]],
  ['PolicyForbids', [mint, mayBeSeized, setPolicy('SEIZE_RECEIVER_POLICY', 1), seize]],
  ['AccountNotSeizable', [mint, seize]],
  ['InsufficientBalance', [mayBeSeized, seize]],
  ['InvalidReceiver', [mint, mayBeSeized, { ...seize, to: ALICE }]],
  ['ContractPaused', [mint, mayBeSeized, { kind: 'pause', features: [3] }, seize]],
  ['AccountNotBlocked', [mint, burnBlocked]],
  ['InsufficientBalance', [setPolicy('TRANSFER_SENDER_POLICY', 1), burnBlocked]],
  ['ContractPaused', [{ kind: 'pause', features: [2] }, burnBlocked]],
  ['ChildPoliciesOutsideOfRange', [createList, composite(2)]],
  ['PolicyNotFound', [composite(0, 1)]],
  ['InvalidChildPolicy', [createList, composite(2, 0)]],
  ['InvalidChildPolicy', [createList, createList, composite(2, 3), composite(2, 4)]],
  ['PolicyNotFound', [{ ...updateList, policy: at(0) }]],
  ['IncompatiblePolicyType', [createList, { ...updateList, type: BLOCK }]],
  ['Unauthorized', [createList, { ...updateList, policy: at(1) }]],
]

test.each([...TOKEN_REFUSALS, ...NATIVE_REFUSALS])('both refuse with %s: case %#', async (error, commands) => {
  const errors = await run(commands)

  expect(errors).toEqual([...commands.slice(1).map(() => undefined), error])
})

/** Applies commands to token and models, and compares them. @returns the error of each command */
async function run(commands: readonly (Command | NativeCommand)[]): Promise<(string | undefined)[]> {
  const chain = await startStockChain('denim')
  const model = new NativeTokenModel()
  for (const account of HOLDERS) await chain.send(ADMIN, 'grantRole', [idOf('BURN_ROLE'), account])
  const errors: (string | undefined)[] = []
  for (const command of commands) errors.push((await expectSame(chain, model, command))?.[0])
  await expectSameState(chain, model)
  await expectSamePolicies(chain, model)
  chain.close()
  return errors
}

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
