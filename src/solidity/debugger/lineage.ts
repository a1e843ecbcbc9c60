import type { SolidityContract } from '../compiled/solidity-contract.ts'

/** Identifiers of a contract and of its bases, the most derived one first; empty without its syntax tree. */
export function contractLineage({ facts, sources }: SolidityContract): readonly number[] {
  const { path, name } = facts
  const file = [...sources.files.values()].find((one) => one.path === path)
  const own = sources.syntax.contracts.find(({ name: other, range }) => other === name && range.file === file?.id)
  if (own === undefined) return []
  return own.bases.length > 0 ? own.bases : [own.id]
}
