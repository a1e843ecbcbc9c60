import { ADMIN, idOf, type Named, START, ZERO } from './stock-chain.ts'

export const WAD = 10n ** 18n
const MAX_WORD = 2n ** 256n - 1n
const MAX_U128 = 2n ** 128n - 1n
const MAX_U64 = 2n ** 64n - 1n

/** One call of a random sequence; the accounts are addresses. */
export type Command =
  | { readonly kind: 'transfer'; readonly from: string; readonly to: string; readonly amount: bigint }
  | {
      readonly kind: 'transferFrom'
      readonly spender: string
      readonly from: string
      readonly to: string
      readonly amount: bigint
    }
  | { readonly kind: 'approve'; readonly from: string; readonly spender: string; readonly amount: bigint }
  | { readonly kind: 'mint'; readonly from: string; readonly to: string; readonly amount: bigint }
  | { readonly kind: 'batchMint'; readonly recipients: readonly string[]; readonly amounts: readonly bigint[] }
  | { readonly kind: 'burn'; readonly from: string; readonly amount: bigint }
  | { readonly kind: 'pause' | 'unpause'; readonly features: readonly number[] }
  | { readonly kind: 'updateSupplyCap'; readonly cap: bigint }
  | { readonly kind: 'updateMultiplier'; readonly multiplier: bigint }
  | { readonly kind: 'updateUIMultiplier'; readonly multiplier: bigint; readonly delay: bigint }
  | { readonly kind: 'cancelUIMultiplierUpdate' }
  | { readonly kind: 'wait'; readonly seconds: bigint }

/**
 * Reference model of a stock token. Every account may burn; only ADMIN has the other roles.
 */
export class StockModel {
  time = START
  supply = 0n
  cap = MAX_U128
  readonly paused = new Set<number>()
  readonly balances = new Map<string, bigint>()
  readonly allowances = new Map<string, bigint>()
  /** Multipliers and the times at which they take effect, newest last. */
  #history: { readonly multiplier: bigint; readonly since: bigint }[] = [{ multiplier: WAD, since: 0n }]
  #scheduledAt = 0n

  balance(account: string): bigint {
    return this.balances.get(account) ?? 0n
  }

  get multiplier(): bigint {
    return this.#history.findLast(({ since }) => since <= this.time)!.multiplier
  }

  get newMultiplier(): bigint {
    return this.#history.at(-1)!.multiplier
  }

  get effectiveAt(): bigint {
    return this.#scheduledAt
  }

  /** The changes of the command, or the error that refuses it. */
  apply(command: Command): Named | undefined {
    switch (command.kind) {
      case 'wait':
        this.time += command.seconds
        return undefined
      case 'transfer': {
        const { from, to, amount } = command
        return this.#transferable(to) ?? this.#forbidden(from, from, to) ?? this.move(from, to, amount)
      }
      case 'transferFrom':
        return this.#transferFrom(command)
      case 'approve':
        if (command.spender === ZERO) return ['InvalidSpender', ZERO]
        this.allowances.set(`${command.from} ${command.spender}`, command.amount)
        return undefined
      case 'mint': {
        if (this.paused.has(1)) return ['ContractPaused', 1]
        if (command.from !== ADMIN) return ['AccessControlUnauthorizedAccount', command.from, idOf('MINT_ROLE')]
        return this.#mint([[command.to, command.amount]])
      }
      case 'batchMint':
        return this.#batchMint(command.recipients, command.amounts)
      case 'burn':
        if (this.paused.has(2)) return ['ContractPaused', 2]
        return this.destroy(command.from, command.amount)
      case 'pause':
      case 'unpause':
        if (command.features.length === 0) return ['EmptyFeatureSet']
        for (const feature of command.features) {
          if (command.kind === 'pause') this.paused.add(feature)
          else this.paused.delete(feature)
        }
        return undefined
      case 'updateSupplyCap':
        if (command.cap < this.supply || command.cap > MAX_U128) return ['InvalidSupplyCap', this.supply, command.cap]
        this.cap = command.cap
        return undefined
      case 'updateMultiplier':
        if (!isMultiplier(command.multiplier)) return ['InvalidMultiplier']
        this.#history = [{ multiplier: command.multiplier, since: 0n }]
        this.#scheduledAt = 0n
        return undefined
      case 'updateUIMultiplier':
        return this.#schedule(command.multiplier, this.time + command.delay)
      case 'cancelUIMultiplierUpdate':
        if (this.#scheduledAt <= this.time) return ['UIMultiplierUpdateDoesNotExist']
        this.#history.pop()
        this.#scheduledAt = 0n
        return undefined
    }
  }

  #transferable(to: string): Named | undefined {
    if (this.paused.has(0)) return ['ContractPaused', 0]
    return to === ZERO ? ['InvalidReceiver', ZERO] : undefined
  }

  #transferFrom({ spender, from, to, amount }: Extract<Command, { kind: 'transferFrom' }>): Named | undefined {
    const refused = this.#transferable(to)
    if (refused !== undefined) return refused
    if (from === ZERO) return ['InvalidSender', ZERO]
    const key = `${from} ${spender}`
    const allowed = this.allowances.get(key) ?? 0n
    if (allowed < amount) return ['InsufficientAllowance', spender, allowed, amount]
    const failed = this.#forbidden(spender, from, to) ?? this.move(from, to, amount)
    if (failed === undefined && allowed !== MAX_WORD) this.allowances.set(key, allowed - amount)
    return failed
  }

  /** The policies of a transfer in their order. */
  #forbidden(executor: string, from: string, to: string): Named | undefined {
    return (
      this.forbids('TRANSFER_EXECUTOR_POLICY', executor) ??
      this.forbids('TRANSFER_SENDER_POLICY', from) ??
      this.forbids('TRANSFER_RECEIVER_POLICY', to)
    )
  }

  /** The error if the policy of a scope does not admit an account. */
  protected forbids(_scope: string, _account: string): Named | undefined {
    return undefined
  }

  protected move(from: string, to: string, amount: bigint): Named | undefined {
    if (this.balance(from) < amount) return ['InsufficientBalance', from, this.balance(from), amount]
    this.balances.set(from, this.balance(from) - amount)
    this.balances.set(to, this.balance(to) + amount)
    return undefined
  }

  protected destroy(from: string, amount: bigint): Named | undefined {
    if (this.balance(from) < amount) return ['InsufficientBalance', from, this.balance(from), amount]
    this.balances.set(from, this.balance(from) - amount)
    this.supply -= amount
    return undefined
  }

  #batchMint(recipients: readonly string[], amounts: readonly bigint[]): Named | undefined {
    if (this.paused.has(1)) return ['ContractPaused', 1]
    const [count, other] = [BigInt(recipients.length), BigInt(amounts.length)]
    if (count !== other) return ['LengthMismatch', count, other]
    if (count === 0n) return ['EmptyBatch']
    return this.#mint(recipients.map((recipient, index) => [recipient, amounts[index]!]))
  }

  #mint(shares: readonly (readonly [string, bigint])[]): Named | undefined {
    let supply = this.supply
    for (const [to, amount] of shares) {
      if (to === ZERO) return ['InvalidReceiver', ZERO]
      const forbidden = this.forbids('MINT_RECEIVER_POLICY', to)
      if (forbidden !== undefined) return forbidden
      supply += amount
      if (supply > MAX_WORD) return ['Panic', 0x11n]
      if (supply > this.cap) return ['SupplyCapExceeded', this.cap, supply]
    }
    this.supply = supply
    for (const [to, amount] of shares) this.balances.set(to, this.balance(to) + amount)
    return undefined
  }

  #schedule(multiplier: bigint, since: bigint): Named | undefined {
    if (!isMultiplier(multiplier)) return ['InvalidMultiplier']
    if (since <= this.time) return ['EffectiveAtInPast', since]
    if (since > MAX_U64) return ['EffectiveAtTooFar', since]
    if (this.#scheduledAt > this.time) return ['UIMultiplierUpdateExists', this.#scheduledAt]
    this.#history.push({ multiplier, since })
    this.#scheduledAt = since
    return undefined
  }
}

function isMultiplier(multiplier: bigint): boolean {
  return multiplier > 0n && multiplier <= MAX_U128
}

/** The call of a command: sender, function, arguments. */
export function callOf(command: Exclude<Command, { kind: 'wait' }>, time: bigint): [string, string, unknown[]] {
  switch (command.kind) {
    case 'transfer':
      return [command.from, 'transfer', [command.to, command.amount]]
    case 'transferFrom':
      return [command.spender, 'transferFrom', [command.from, command.to, command.amount]]
    case 'approve':
      return [command.from, 'approve', [command.spender, command.amount]]
    case 'mint':
      return [command.from, 'mint', [command.to, command.amount]]
    case 'batchMint':
      return [ADMIN, 'batchMint', [command.recipients, command.amounts]]
    case 'burn':
      return [command.from, 'burn', [command.amount]]
    case 'pause':
    case 'unpause':
      return [ADMIN, command.kind, [command.features]]
    case 'updateSupplyCap':
      return [ADMIN, 'updateSupplyCap', [command.cap]]
    case 'updateMultiplier':
      return [ADMIN, 'updateMultiplier', [command.multiplier]]
    case 'updateUIMultiplier':
      return [ADMIN, 'updateUIMultiplier', [command.multiplier, time + command.delay]]
    case 'cancelUIMultiplierUpdate':
      return [ADMIN, 'cancelUIMultiplierUpdate', []]
  }
}
