import { formatDecimal } from '../../../primitives/decimal.ts'
import type { Address, Hex } from '../../../primitives/hex.ts'
import { featureName } from '../terms/features.ts'
import { ADMIN_ROLE, REGISTRY_PAUSER, roleName } from '../terms/roles.ts'
import { formatTime } from '../terms/split-time.ts'
import type { Arguments, Named } from './contracts.ts'

/** Unit of the amounts in an error. */
export interface Unit {
  readonly symbol: string
  readonly decimals: number
}

type Explanation = (args: Arguments, amount: (value: unknown) => string, symbol: string) => string

/** Messages for contract errors: their meaning and what to do. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  AccessControlUnauthorizedAccount: ({ account, neededRole }, _, symbol) => {
    const role = roleName(neededRole as Hex)
    if (role === REGISTRY_PAUSER) {
      return `account ${account} lacks ${role} of the oracle registry: send from one that has it (--account, --private-key)`
    }
    const command = `\`tickertape stock grant-role ${role} ${symbol} --holder ${account}\``
    const admin =
      role === ADMIN_ROLE ? 'ask an admin of the stock to do it' : `ask an admin of the stock for ${command}`
    return `account ${account} lacks ${role} of ${symbol}: ${admin}, or send from an account that has it (--account, --private-key)`
  },
  ContractPaused: ({ feature }, _, symbol) =>
    `${featureName(feature as bigint)} of ${symbol} is paused: \`tickertape stock unpause ${featureName(feature as bigint)} ${symbol}\` allows it again`,
  SupplyCapExceeded: ({ cap, attempted }, amount) =>
    `the supply would be ${amount(attempted)}, above the cap of ${amount(cap)}: use a smaller amount, or ask an admin to raise the cap`,
  InvalidSupplyCap: ({ currentSupply, proposedCap }, amount) =>
    `a cap of ${amount(proposedCap)} is below the supply of ${amount(currentSupply)}, or above 2^128 - 1 smallest units`,
  InsufficientBalance: ({ sender, balance, needed }, amount) =>
    `${sender} has ${amount(balance)} where ${amount(needed)} is needed: use a smaller amount`,
  InvalidReceiver: ({ receiver }) => `${receiver} cannot receive stocks: name an account that can with --to`,
  PolicyForbids: ({ policyId }, _, symbol) =>
    `policy ${policyId} of ${symbol} forbids it: ask an admin of the stock to change the policy`,
  PolicyNotFound: ({ policyId }) =>
    `there is no policy ${policyId}: allow, block, or the number of a policy in the policy registry`,
  UnsupportedPolicyType: (_, __, symbol) =>
    `${symbol} has no such policy: \`tickertape stock policy ${symbol}\` lists them`,
  AccountNotSeizable: ({ account }, _, symbol) =>
    `the policy seize-exempt of ${symbol} protects ${account}: ask an admin of the stock for \`tickertape stock set-policy seize-exempt block ${symbol}\``,
  InvalidSender: ({ sender }) => `${sender} cannot hold units: name another account`,
  InvalidMetadataKey: () => 'the key is empty: name one, such as isin',
  MarketClosed: () =>
    'the market is closed and the feed holds its last price: `tickertape stock session regular` opens it',
  OraclePaused: (_, __, symbol) =>
    `the feed of ${symbol} is frozen and holds its last price: \`tickertape stock resume ${symbol}\` allows prices again`,
  NotOwner: ({ caller }) => `account ${caller} is not the owner: send from the owner (--account, --private-key)`,
  InvalidAnswer: () => 'a price must be above 0 and fit the feed',
  EmptyFeatureSet: () => 'no feature is named: name at least one',
  InvalidMultiplier: () => 'a multiplier must be above 0 and at most 2^128 - 1 in units of 10^-18: use another ratio',
  EffectiveAtInPast: ({ effectiveAt }) =>
    `${formatTime(effectiveAt as bigint)} is not after the block's time: choose a later --at or --in`,
  EffectiveAtTooFar: () => 'the time does not fit 64 bits: choose an earlier --at or --in',
  UIMultiplierUpdateExists: ({ effectiveAt }, _, symbol) =>
    `a multiplier is scheduled already, for ${formatTime(effectiveAt as bigint)}, and there is one at most: \`tickertape stock cancel-split ${symbol}\` takes it back`,
  UIMultiplierUpdateDoesNotExist: (_, __, symbol) =>
    `no multiplier of ${symbol} is scheduled: there is nothing to cancel`,
  AnnouncementIdAlreadyUsed: ({ id }) => `announcement ${JSON.stringify(id)} was made already: choose another id`,
  AnnouncementInProgress: () => 'an announcement cannot hold another one: leave the inner announcement out',
  InternalCallMalformed: () => 'an announced call is shorter than a selector: give --call whole calldata',
  InternalCallFailed: () => 'the announced call fails: try it without announcing it',
  InitCallFailed: ({ index }) => `call ${index} of the creation fails: check the amounts, --cap and --supply`,
  TokenAlreadyExists: ({ token }) =>
    `the sender created a stock with this salt already, at ${token}: choose another --salt`,
  InvalidDecimals: ({ decimals }) => `a stock has 6 to 18 decimals, not ${decimals}: choose others with --decimals`,
  NonPayable: () => 'a stock takes no ether',
  Error: ({ reason }) => String(reason),
  Panic: ({ reason }) => `the contract is defective here: ${reason}`,
}

/** A sentence with the meaning of a contract error and what to do. */
export function explainRevert(revert: Named | undefined, data: Hex, { symbol, decimals }: Unit): string {
  if (revert === undefined) {
    const reported = data === '0x' ? 'without a reason' : `with ${data.slice(0, 74)}`
    return `the call is reverted ${reported}: the token may lack the function, or check with \`tickertape stock show\` that the address is a stock`
  }
  const amount = (value: unknown) => `${formatDecimal(value as bigint, decimals)} ${symbol}`
  const explanation = EXPLANATIONS[revert.name]?.(revert.args, amount, symbol)
  return `${explanation ?? 'the contract refuses'} (${signatureText(revert)})`
}

/** Rejections of transactions by nodes, in go-ethereum's words, which most nodes use, and what to do. */
const REJECTIONS: readonly (readonly [RegExp, (sender: Address) => string])[] = [
  [/insufficient funds/i, (sender) => `send ether to ${sender} for the fee, or send from another account`],
  [/nonce too low/i, () => 'another transaction of the account came first: try again'],
  [
    /underpriced/i,
    () => 'a transaction of the account with this nonce waits: wait until it is in a block, or replace it',
  ],
]

/** JSON-RPC 2.0: an internal error. */
const INTERNAL_ERROR = -32603
/** The transaction is in the pool already, or the request timed out while it waited for the receipt. */
const MAY_BE_SENT = /already (known|imported|exists)|known transaction|time(d)?[ -]?out/i

/**
 * Whether an error in response to a submission means that no pool has the transaction. A gateway that submits twice
 * gets `already known`, and one that loses its node after the submission reports an internal error.
 */
export function isRejection({
  rpcCode,
  rpcMessage,
}: {
  readonly rpcCode: number
  readonly rpcMessage: string
}): boolean {
  if (REJECTIONS.some(([pattern]) => pattern.test(rpcMessage))) return true
  return rpcCode !== INTERNAL_ERROR && !MAY_BE_SENT.test(rpcMessage)
}

/** A sentence with the node's reason for rejecting the transaction, and what to do. */
export function explainRejection(message: string, sender: Address): string {
  const advice = REJECTIONS.find(([pattern]) => pattern.test(message))?.[1](sender)
  return `the node rejected the transaction: ${message}${advice === undefined ? '' : `; ${advice}`}`
}

/** @example signatureText({ name: 'ContractPaused', args: { feature: 1n } }) // 'ContractPaused(feature 1)' */
function signatureText({ name, args }: Named): string {
  const values = Object.entries(args).map(([argument, value]) => `${argument} ${String(value)}`)
  return `${name}(${values.join(', ')})`
}
