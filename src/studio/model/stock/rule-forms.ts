import { decimalOf, rateText, shortHex } from '../../../live/amount.ts'
import { knownAddress } from '../../../live/names/known-addresses.ts'
import { ROLE_IDS } from '../../../live/names/roles.ts'
import { MULTIPLIER_DECIMALS } from '../../../primitives/stocks/split-ratio.ts'
import { addressFrom } from '../control.ts'
import { given, multiplierBySplit, ordinalsOf, secondsFrom } from './form-fields.ts'
import { FIXED_POLICIES, PAUSABLE_FEATURES, POLICY_SCOPE_IDS, stockInput, stockOutput } from './stock-contract.ts'
import type { StockForm } from './stock-form.ts'

const ADMIN = 'DEFAULT_ADMIN_ROLE'
const FEATURE = { label: 'Feature', choices: [...PAUSABLE_FEATURES, 'all'], initial: 'transfer' }

/** Actions that change what a token stands for, what holders may do, and who may act. */
export const RULE_FORMS: readonly StockForm[] = [
  {
    title: 'Split',
    action: 'Split',
    role: 'OPERATOR_ROLE',
    preview: ([ratio = ''], { multiplier, supply, decimals }) => {
      if (ratio.trim() === '') return undefined
      const after = multiplierBySplit(multiplier, ratio)
      const shares = (each: bigint) => decimalOf(supply * each, decimals + MULTIPLIER_DECIMALS)
      return (
        `Multiplier ${decimalOf(multiplier, MULTIPLIER_DECIMALS)} → ${rateText(after)}, ` +
        `all tokens ${shares(multiplier)} → ${shares(after)} shares`
      )
    },
    fields: [
      { label: 'New : old shares', placeholder: '2:1' },
      { label: 'In (empty: at once)', placeholder: '2m' },
    ],
    args: ([ratio = '', delay = ''], stock) =>
      delay === ''
        ? ['split', given(ratio, 'ratio'), stock]
        : ['schedule-split', given(ratio, 'ratio'), stock, '--in', delay],
    input: ([ratio = '', delay = ''], { multiplier }, _, now) => {
      const split = multiplierBySplit(multiplier, ratio)
      if (delay.trim() === '') return stockInput('updateMultiplier', [split])
      return stockInput('updateUIMultiplier', [split, now + secondsFrom(delay)])
    },
  },
  {
    title: 'Announce',
    action: 'Announce',
    role: 'OPERATOR_ROLE',
    fields: [
      { label: 'Id, not used before', placeholder: '2026-dividend' },
      { label: 'Description' },
      { label: 'URI', placeholder: 'https://…' },
    ],
    reads: ([id = '']) => (id === '' ? [] : [stockInput('isAnnouncementIdUsed', [id])]),
    preview: ([id = ''], _, [output]) => {
      const isUsed = stockOutput('isAnnouncementIdUsed', output)
      if (isUsed === true) throw new Error(`This stock has an announcement ${id}: write another id.`)
      return isUsed === false ? `Announcement ${id}: none → made` : undefined
    },
    args: ([id = '', description = '', uri = ''], stock) => [
      'announce',
      given(id, 'id'),
      stock,
      ...(description === '' ? [] : ['--description', description]),
      ...(uri === '' ? [] : ['--uri', uri]),
    ],
    input: ([id = '', description = '', uri = '']) => {
      if (id === '') throw new Error('Write an id that no announcement of this stock had.')
      return stockInput('announce', [[], id, description, uri])
    },
  },
  pauseForm('Pause', 'pause', 'PAUSE_ROLE'),
  pauseForm('Unpause', 'unpause', 'UNPAUSE_ROLE'),
  priceForm('Freeze the price', 'freeze', true),
  priceForm('Resume the price', 'resume', false),
  policyForm(),
  roleForm('Grant a role', 'Grant', 'grant'),
  roleForm('Revoke a role', 'Revoke', 'revoke'),
]

/** Ends a split that is still ahead. */
export const CANCEL_FORM: StockForm = {
  title: 'Cancel the split',
  action: 'Cancel the split',
  role: 'OPERATOR_ROLE',
  fields: [],
  preview: (_, { multiplier, scheduled }) =>
    scheduled &&
    `Pending split to ${decimalOf(scheduled.multiplier, MULTIPLIER_DECIMALS)} → ` +
      `none, ${rateText(multiplier)} stays`,
  args: (_, stock) => ['cancel-split', stock],
  input: () => stockInput('cancelUIMultiplierUpdate'),
}

function pauseForm(title: string, verb: 'pause' | 'unpause', role: string): StockForm {
  return {
    title,
    action: title,
    role,
    preview: ([feature = ''], { pausedFeatures: paused }) => {
      const named = PAUSABLE_FEATURES.filter((one) => one === feature || feature === 'all')
      const after =
        verb === 'pause'
          ? [...new Set([...paused, ...named])]
          : paused.filter((one) => !named.some((other) => other === one))
      const text = (features: readonly string[]) => (features.length === 0 ? 'nothing' : features.join(', '))
      return `Paused ${text(paused)} → ${text(after)}`
    },
    fields: [FEATURE],
    args: ([feature = ''], stock) => [verb, feature, stock],
    input: ([feature = '']) => stockInput(verb, [ordinalsOf(feature)]),
  }
}

/** The oracle registry holds the price of a stock during a corporate action. */
function priceForm(title: string, verb: 'freeze' | 'resume', isPausing: boolean): StockForm {
  const text = (isFrozen: boolean) => (isFrozen ? 'held' : 'moving')
  return {
    title,
    action: title,
    contract: 'registry',
    role: 'PAUSER_ROLE',
    isFor: ({ isFrozen }) => isFrozen === !isPausing,
    fields: [],
    preview: () => `Price ${text(!isPausing)} → ${text(isPausing)}`,
    args: (_, stock) => [verb, stock],
    input: (_, { address }) => stockInput('setOraclePaused', [address, isPausing], 'registry'),
  }
}

/** Freezes accounts, or all of them, and lets them be seized from. */
function policyForm(): StockForm {
  const scopes: Readonly<Record<string, string>> = POLICY_SCOPE_IDS
  const nameOf = (id: unknown) => Object.keys(FIXED_POLICIES).find((name) => FIXED_POLICIES[name] === id) ?? String(id)
  return {
    title: 'Set a policy',
    action: 'Set the policy',
    role: ADMIN,
    fields: [
      { label: 'Of', choices: Object.keys(scopes), initial: 'transfer-sender' },
      { label: 'allow, block or a number', placeholder: 'block' },
    ],
    reads: ([scope = '']) => [stockInput('policyId', [scopes[scope]])],
    preview: ([scope = '', policy = ''], _, [output]) => {
      const before = stockOutput('policyId', output)
      if (policy.trim() === '' || before === undefined) return undefined
      return `Policy ${scope} ${nameOf(before)} → ${nameOf(policyFrom(policy))}`
    },
    args: ([scope = '', policy = ''], stock) => ['set-policy', scope, given(policy, 'policy'), stock],
    input: ([scope = '', policy = '']) => stockInput('updatePolicy', [scopes[scope], policyFrom(policy)]),
  }
}

/** @throws Error that says what to write */
function policyFrom(text: string): bigint {
  const trimmed = text.trim()
  const id = FIXED_POLICIES[trimmed] ?? (/^\d{1,20}$/.test(trimmed) ? BigInt(trimmed) : undefined)
  if (id === undefined || id >= 2n ** 64n) throw new Error('Write allow, block, or the number of a policy.')
  return id
}

/** The default admin grants all roles, unless `setRoleAdmin` chose another role for that. */
function roleForm(title: string, action: string, verb: 'grant' | 'revoke'): StockForm {
  const roles = Object.keys(ROLE_IDS).filter((name) => name !== ADMIN)
  return {
    title,
    action,
    role: ADMIN,
    fields: [
      { label: 'Role', choices: roles, initial: roles[0]! },
      { label: 'Account', placeholder: '0x…' },
    ],
    reads: ([role = '', account = '']) =>
      account.trim() === '' ? [] : [stockInput('hasRole', [ROLE_IDS[role], addressFrom(account)])],
    preview: ([role = '', account = ''], _, [output]) => {
      const has = stockOutput('hasRole', output)
      if (typeof has !== 'boolean') return undefined
      const name = knownAddress(account.trim())?.name ?? shortHex(account.trim(), 4)
      if (has === (verb === 'grant'))
        throw new Error(has ? `${name} has ${role} already.` : `${name} does not have ${role}.`)
      return `${role} of ${name}: ${has ? 'yes → no' : 'no → yes'}`
    },
    args: ([role = '', account = ''], stock) => [`${verb}-role`, role, stock, '--holder', given(account, 'account')],
    input: ([role = '', account = '']) => stockInput(`${verb}Role`, [ROLE_IDS[role], addressFrom(account)]),
  }
}
