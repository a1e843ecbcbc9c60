/** Development nodes whose responses are reproduced where they differ from go-ethereum's (docs/migrating.md). */
export const COMPATS = ['anvil', 'hardhat', 'hardhat3'] as const
export type Compat = (typeof COMPATS)[number]

/** Whether the node of a version of Hardhat is reproduced. */
export function isHardhat(compat: Compat | undefined): boolean {
  return compat === 'hardhat' || compat === 'hardhat3'
}

/** Namespaces of development methods, and the node whose responses their methods give without `--compat`, if any. */
const NAMESPACES: Readonly<Record<string, Compat | undefined>> = {
  admin: undefined,
  anvil: 'anvil',
  evm: 'anvil',
  hardhat: 'hardhat',
  personal: undefined,
  tenderly: 'anvil',
  wallet: undefined,
}

/** Namespaces that consist of development methods only. */
export const DEVELOPMENT_NAMESPACES: readonly string[] = Object.keys(NAMESPACES)

/**
 * The node whose responses a development method gives without `--compat`; `undefined`: those of go-ethereum.
 *
 * @example compatOf('hardhat') // 'hardhat'
 */
export function compatOf(namespace: string): Compat | undefined {
  return Object.hasOwn(NAMESPACES, namespace) ? NAMESPACES[namespace] : undefined
}
