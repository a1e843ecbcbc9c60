import contractAbis from '../../live/names/contract-abis.json' with { type: 'json' }
import { keccakHash } from '../../primitives/keccak.ts'

/** Parameter types with their names, and spaces between parameters. */
const PARAMETER = /([\w\])]+)(?: indexed)?(?: \w+)?(?=[,)])/g

/** @example canonicalOf('function f(uint256 amount) view returns (bool)') // 'f(uint256)' */
function canonicalOf(signature: string): string {
  const end = signature.search(/\)(?: (?:view|pure|payable)| returns|$)/) + 1
  return signature.slice('function '.length, end).replace(PARAMETER, '$1').replaceAll(', ', ',')
}

let bySelector: ReadonlyMap<string, string> | undefined

/** Name of a function of contracts/ by its selector; the selector itself for any other. */
export function callName(selector: string): string {
  bySelector ??= new Map(
    Object.values(contractAbis)
      .flat()
      .filter((signature) => signature.startsWith('function '))
      .map((signature) => {
        const canonical = canonicalOf(signature)
        return [keccakHash(Buffer.from(canonical)).slice(0, 10), canonical.slice(0, canonical.indexOf('('))]
      }),
  )
  return bySelector.get(selector.toLowerCase()) ?? selector
}
