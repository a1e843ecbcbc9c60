import { type Bytes, bytesToHex, type Hex } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'
import { type ConsoleValue, formatConsoleText } from './format-text.ts'

const WORD = 32
const MAX_ARGUMENTS = 4
/** Types that are combined freely in up to four arguments. */
const COMBINED_TYPES = ['uint256', 'string', 'bool', 'address'] as const
const OTHER_ARGUMENTS = [
  ['int256'],
  // forge-std only.
  ['string', 'int256'],
  ['bytes'],
  ...Array.from({ length: 32 }, (_, index) => [`bytes${index + 1}`]),
]

let bySelector: ReadonlyMap<Hex, readonly string[]> | undefined

/**
 * Argument types of every `log` function, by selector. Old versions of console.sol computed selectors from `log(uint)`
 * and `log(int)`, which are not canonical; they are here too.
 */
export function consoleSelectors(): ReadonlyMap<Hex, readonly string[]> {
  bySelector ??= new Map(
    [...combinations(), ...OTHER_ARGUMENTS].flatMap((types) => {
      const old = types.map((type) => (type === 'uint256' || type === 'int256' ? type.slice(0, -3) : type))
      return [types, old].map((spelling) => [selectorOf(spelling), types] as const)
    }),
  )
  return bySelector
}

/**
 * The text that a call of the console prints.
 *
 * @param input calldata
 * @returns `undefined` for an unknown function, and for arguments that cannot be decoded: both are ignored
 */
export function consoleText(input: Bytes): string | undefined {
  const types = consoleSelectors().get(bytesToHex(input.subarray(0, 4)))
  if (types === undefined) return undefined
  const content = input.subarray(4)
  const values = types.map((type, index) => decodeArgument(type, content, index))
  return values.every((value) => value !== undefined) ? formatConsoleText(values) : undefined
}

/** All lists of up to four types. */
function combinations(): (readonly string[])[] {
  let longest: (readonly string[])[] = [[]]
  const all = [...longest]
  for (let length = 1; length <= MAX_ARGUMENTS; length++) {
    longest = longest.flatMap((types) => COMBINED_TYPES.map((type) => [...types, type]))
    all.push(...longest)
  }
  return all
}

function selectorOf(types: readonly string[]): Hex {
  return keccakHash(Buffer.from(`log(${types.join()})`)).slice(0, 10) as Hex
}

function decodeArgument(type: string, content: Bytes, index: number): ConsoleValue | undefined {
  const word = content.subarray(WORD * index, WORD * (index + 1))
  if (word.length < WORD) return undefined
  switch (type) {
    case 'uint256':
      return bytesToBigint(word)
    case 'int256':
      return BigInt.asIntN(256, bytesToBigint(word))
    case 'bool':
      return String(bytesToBigint(word) !== 0n)
    case 'address':
      return bytesToHex(word.subarray(12))
    case 'string': {
      const bytes = decodeBytes(content, word)
      return bytes && Buffer.from(bytes).toString('utf8')
    }
    case 'bytes': {
      const bytes = decodeBytes(content, word)
      return bytes && bytesToHex(bytes)
    }
    default:
      return bytesToHex(word.subarray(0, Number(type.slice('bytes'.length))))
  }
}

/** The content of a dynamic argument whose offset is in `word`. */
function decodeBytes(content: Bytes, word: Bytes): Bytes | undefined {
  const offset = bytesToBigint(word)
  if (offset + BigInt(WORD) > content.length) return undefined
  const start = Number(offset) + WORD
  const size = bytesToBigint(content.subarray(start - WORD, start))
  return size > content.length - start ? undefined : content.subarray(start, start + Number(size))
}
