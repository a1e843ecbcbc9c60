/** A contract as compilers describe it. Members beside the name are not checked. */
export interface CompiledContract {
  readonly contractName: string
  readonly abi: unknown
  readonly deployedBytecode: { readonly object: string | undefined; readonly immutableReferences: unknown }
}

/** Compiled contracts since the start: names that the terminal knows stay in memory. */
export const MAX_COMPILED_CONTRACTS = 10_000

/**
 * Turns the terminal output of a development node on and off, and gives it compiled contracts so that it can print
 * their names.
 */
export class DevelopmentLogging {
  #isEnabled = true
  #compiled = 0
  #onCompiled: ((contracts: readonly CompiledContract[]) => void) | undefined

  get isEnabled(): boolean {
    return this.#isEnabled
  }

  setEnabled(isEnabled: boolean): void {
    this.#isEnabled = isEnabled
  }

  /** @param listener called with compiled contracts; replaces an earlier one. Absent: nothing is printed */
  onCompiled(listener: ((contracts: readonly CompiledContract[]) => void) | undefined): void {
    this.#onCompiled = listener
  }

  /** Makes names of compiled contracts known. @returns whether there was room for them */
  addCompiled(contracts: readonly CompiledContract[]): boolean {
    if (this.#compiled + contracts.length > MAX_COMPILED_CONTRACTS) return false
    this.#compiled += contracts.length
    this.#onCompiled?.(contracts)
    return true
  }
}
