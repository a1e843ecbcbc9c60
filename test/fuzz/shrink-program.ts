import type { FuzzAccount, FuzzCall, FuzzProgram } from './fuzz-program.ts'

/** Maximum number of trials: some take the oracle a while. */
const MOST_TRIALS = 3_000

/**
 * Shrinks a program that `fails` by removing parts while it still does. The result is minimal in that no single part
 * can be removed, unless the trials were exhausted.
 */
export async function shrinkProgram(
  program: FuzzProgram,
  fails: (program: FuzzProgram) => Promise<boolean>,
): Promise<FuzzProgram> {
  let smallest = program
  let trials = 0
  let isSmaller = true
  while (isSmaller && trials < MOST_TRIALS) {
    isSmaller = false
    for (const candidate of smallerPrograms(smallest)) {
      if (trials++ >= MOST_TRIALS) break
      if (!(await fails(candidate))) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return smallest
}

/** Large cuts first. */
function* smallerPrograms(program: FuzzProgram): Generator<FuzzProgram> {
  for (const calls of without(program.calls)) yield { ...program, calls }
  for (const [address, account] of program.accounts) {
    const accounts = new Map(program.accounts)
    accounts.delete(address)
    yield { ...program, accounts }
    for (const smaller of smallerAccounts(account)) {
      yield { ...program, accounts: new Map([...program.accounts, [address, smaller]]) }
    }
  }
  for (const [index, call] of program.calls.entries()) {
    for (const smaller of smallerCalls(call)) yield { ...program, calls: program.calls.with(index, smaller) }
  }
}

function* smallerAccounts(account: FuzzAccount): Generator<FuzzAccount> {
  for (const code of without(account.code)) yield { ...account, code }
  if (account.storage.size > 0) {
    yield { ...account, storage: new Map() }
    for (const entries of without([...account.storage])) yield { ...account, storage: new Map(entries) }
  }
  if (account.balance > 0n) yield { ...account, balance: 0n }
  if (account.nonce > 1n) yield { ...account, nonce: 1n }
}

function* smallerCalls(call: FuzzCall): Generator<FuzzCall> {
  for (const data of without(call.data)) yield { ...call, data }
  if (call.value > 0n) yield { ...call, value: 0n }
  for (const accessList of without(call.accessList)) yield { ...call, accessList }
  const { authorizationList, blobVersionedHashes, ...plain } = call
  if (blobVersionedHashes !== undefined) yield { ...plain, ...(authorizationList && { authorizationList }) }
  if (authorizationList !== undefined) {
    yield { ...plain, ...(blobVersionedHashes && { blobVersionedHashes }) }
    for (const fewer of without(authorizationList)) if (fewer.length > 0) yield { ...call, authorizationList: fewer }
  }
}

/** The list without its halves, its quarters and so on, down to each single element. */
function* without<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let size = list.length; size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < list.length; start += size) yield [...list.slice(0, start), ...list.slice(start + size)]
  }
}
