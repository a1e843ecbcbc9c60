import { ADMIN, ALWAYS_BLOCK, idOf, type Named, ZERO } from './stock-chain.ts'
import { type Command, StockModel } from './stock-model.ts'

/** Scopes of policies on a token. */
export const SCOPES = [
  'TRANSFER_SENDER_POLICY',
  'TRANSFER_RECEIVER_POLICY',
  'TRANSFER_EXECUTOR_POLICY',
  'MINT_RECEIVER_POLICY',
  'SEIZE_EXEMPT_POLICY',
  'SEIZE_RECEIVER_POLICY',
] as const
export type Scope = (typeof SCOPES)[number]

/** Names a policy by its position in the list of all policies, which grows during a sequence. */
export interface PolicyChoice {
  readonly position: number
  readonly isInverted: boolean
}

/** One call of a random sequence. Only ADMIN has roles, and is the admin of every policy. */
export type NativeCommand =
  | { readonly kind: 'createList'; readonly type: 0 | 1; readonly accounts: readonly string[] }
  | { readonly kind: 'createComposite'; readonly type: 2 | 3; readonly children: readonly PolicyChoice[] }
  | {
      readonly kind: 'updateList'
      readonly policy: PolicyChoice
      readonly type: 0 | 1
      readonly isMember: boolean
      readonly account: string
    }
  | { readonly kind: 'setPolicy'; readonly scope: Scope; readonly policy: PolicyChoice }
  | { readonly kind: 'seize'; readonly from: string; readonly to: string; readonly amount: bigint }
  | { readonly kind: 'burnBlocked'; readonly from: string; readonly amount: bigint }

const INVERTED = 1n << 63n
const MAX_CHILDREN = 4
const BUILT_IN: readonly bigint[] = [0n, ALWAYS_BLOCK]

interface Policy {
  readonly type: number
  readonly members: Set<string>
  readonly children: readonly bigint[]
}

/** Reference model of a token and the policy registry with the rules of Denim. */
export class NativeTokenModel extends StockModel {
  readonly #policies = new Map<bigint, Policy>()
  readonly #scopes = new Map<Scope, bigint>()

  /** The identifier that a choice means now. */
  idOf({ position, isInverted }: PolicyChoice): bigint {
    const ids = [...BUILT_IN, ...this.#policies.keys()]
    const id = ids[position % ids.length]!
    return isInverted ? id | INVERTED : id
  }

  get policyIds(): readonly bigint[] {
    return [...BUILT_IN, ...this.#policies.keys()]
  }

  isAuthorized(id: bigint, account: string): boolean {
    if ((id & INVERTED) !== 0n) return !this.isAuthorized(id ^ INVERTED, account)
    if (id === 0n || id === ALWAYS_BLOCK) return id === 0n
    const { type, members, children } = this.#policies.get(id)!
    if (type === 2) return children.some((child) => this.isAuthorized(child, account))
    if (type === 3) return children.every((child) => this.isAuthorized(child, account))
    return members.has(account) === (type === 1)
  }

  /** The changes of the command, or the error that refuses it. */
  applyNative(command: NativeCommand): Named | undefined {
    switch (command.kind) {
      case 'createList':
        this.#create(command.type, command.accounts, [])
        return undefined
      case 'createComposite':
        return this.#createComposite(command.type, command.children)
      case 'updateList':
        return this.#updateList(command)
      case 'setPolicy':
        this.#scopes.set(command.scope, this.idOf(command.policy))
        return undefined
      case 'seize':
        return this.#seize(command.from, command.to, command.amount)
      case 'burnBlocked':
        if (this.paused.has(2)) return ['ContractPaused', 2]
        if (this.#admits('TRANSFER_SENDER_POLICY', command.from)) return ['AccountNotBlocked', command.from]
        return this.destroy(command.from, command.amount)
    }
  }

  protected override forbids(scope: Scope, account: string): Named | undefined {
    return this.#admits(scope, account) ? undefined : ['PolicyForbids', idOf(scope), this.#scopes.get(scope)!]
  }

  #admits(scope: Scope, account: string): boolean {
    return this.isAuthorized(this.#scopes.get(scope) ?? 0n, account)
  }

  #create(type: number, accounts: readonly string[], children: readonly bigint[]): void {
    const counter = BigInt(BUILT_IN.length + this.#policies.size)
    this.#policies.set((BigInt(type) << 56n) | counter, { type, members: new Set(accounts), children })
  }

  #createComposite(type: number, choices: readonly PolicyChoice[]): Named | undefined {
    const children = choices.map((choice) => this.idOf(choice))
    if (children.length < 2 || children.length > MAX_CHILDREN) return ['ChildPoliciesOutsideOfRange']
    // The registry records the built-in policies with the first creation.
    const base = (id: bigint) => id & ~INVERTED
    if (this.#policies.size === 0) return ['PolicyNotFound']
    const unsuitable = children.find((id) => !this.#isList(base(id)))
    if (unsuitable !== undefined) return ['InvalidChildPolicy', unsuitable]
    this.#create(type, [], children)
    return undefined
  }

  #isList(id: bigint): boolean {
    return (this.#policies.get(id)?.type ?? 2) < 2
  }

  #updateList(command: Extract<NativeCommand, { kind: 'updateList' }>): Named | undefined {
    const id = this.idOf(command.policy)
    const isKnown = this.#policies.has(id) || (BUILT_IN.includes(id) && this.#policies.size > 0)
    if (!isKnown) return ['PolicyNotFound']
    if (Number(id >> 56n) !== command.type) return ['IncompatiblePolicyType']
    const policy = this.#policies.get(id)
    if (policy === undefined) return ['Unauthorized']
    if (command.isMember) policy.members.add(command.account)
    else policy.members.delete(command.account)
    return undefined
  }

  #seize(from: string, to: string, amount: bigint): Named | undefined {
    if (this.paused.has(3)) return ['ContractPaused', 3]
    if (to === ZERO) return ['InvalidReceiver', ZERO]
    if (from === ZERO) return ['InvalidSender', ZERO]
    if (from === to) return ['InvalidReceiver', to]
    if (this.#admits('SEIZE_EXEMPT_POLICY', from)) return ['AccountNotSeizable', from]
    return this.forbids('SEIZE_RECEIVER_POLICY', to) ?? this.move(from, to, amount)
  }
}

/** The call of a command: function, arguments, and whether it is one of the registry. */
export function nativeCallOf(command: NativeCommand, model: NativeTokenModel): readonly [string, unknown[], boolean] {
  switch (command.kind) {
    case 'createList':
      return ['createPolicyWithAccounts', [ADMIN, command.type, command.accounts], true]
    case 'createComposite': {
      const children = command.children.map((choice) => model.idOf(choice))
      return ['createCompositePolicy', [ADMIN, command.type, children], true]
    }
    case 'updateList': {
      const args = [model.idOf(command.policy), command.isMember, [command.account]]
      return [command.type === 1 ? 'updateAllowlist' : 'updateBlocklist', args, true]
    }
    case 'setPolicy':
      return ['updatePolicy', [idOf(command.scope), model.idOf(command.policy)], false]
    case 'seize':
      return ['seizeWithMemo', [command.from, command.to, command.amount, idOf('memo')], false]
    case 'burnBlocked':
      return ['burnBlocked', [command.from, command.amount], false]
  }
}

/** Whether a command is one of the token alone. */
export function isTokenCommand(command: Command | NativeCommand): command is Command {
  return !['createList', 'createComposite', 'updateList', 'setPolicy', 'seize', 'burnBlocked'].includes(command.kind)
}
