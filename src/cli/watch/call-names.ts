import contractAbis from '../../live/names/contract-abis.json' with { type: 'json' }
import { selectorOf, signatureOfDeclaration } from '../../primitives/abi/abi-signature.ts'

let bySelector: ReadonlyMap<string, string> | undefined

/** Name of a function of contracts/ by its selector; the selector itself for any other. */
export function callName(selector: string): string {
  bySelector ??= new Map(
    Object.values(contractAbis)
      .flat()
      .filter((signature) => signature.startsWith('function '))
      .map((signature) => {
        const canonical = signatureOfDeclaration(signature)
        return [selectorOf(canonical), canonical.slice(0, canonical.indexOf('('))]
      }),
  )
  return bySelector.get(selector.toLowerCase()) ?? selector
}
