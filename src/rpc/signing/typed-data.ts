import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { address as addressCodec, data as dataCodec } from '../codecs/bytes.ts'
import { describe, InvalidValueError, jsonObject, within } from '../codecs/codec.ts'

export interface TypedDataField {
  readonly name: string
  readonly type: string
}

/** Structured data as signed by EIP-712. */
export interface TypedData {
  readonly types: ReadonlyMap<string, readonly TypedDataField[]>
  readonly primaryType: string
  readonly domain: Readonly<Record<string, unknown>>
  readonly message: Readonly<Record<string, unknown>>
}

export const DOMAIN_TYPE = 'EIP712Domain'
/** Levels of structs and arrays. A client could otherwise exhaust the stack. */
export const MAX_TYPED_DATA_DEPTH = 64
const WORD = 32
const PREFIX = Uint8Array.of(0x19, 0x01)
const NOTHING = new Uint8Array(WORD)

/**
 * The hash that is signed (EIP-712).
 *
 * @throws InvalidValueError when a value does not have its type
 */
export function typedDataHash({ types, primaryType, domain, message }: TypedData): Bytes {
  const encoder = new Encoder(types)
  const parts = [PREFIX, within('domain', () => encoder.hashStruct(DOMAIN_TYPE, domain, 0))]
  if (primaryType !== DOMAIN_TYPE) parts.push(within('message', () => encoder.hashStruct(primaryType, message, 0)))
  return keccak256(Buffer.concat(parts))
}

class Encoder {
  readonly #types: TypedData['types']
  readonly #typeHashes = new Map<string, Bytes>()

  constructor(types: TypedData['types']) {
    this.#types = types
  }

  hashStruct(type: string, value: unknown, depth: number): Bytes {
    if (depth > MAX_TYPED_DATA_DEPTH) throw new InvalidValueError(`more than ${MAX_TYPED_DATA_DEPTH} levels`)
    const object = jsonObject(value)
    const words = [this.#typeHash(type)]
    for (const field of this.#fields(type)) {
      const member = Object.hasOwn(object, field.name) ? object[field.name] : undefined
      words.push(within(field.name, () => this.#encode(field.type, member, depth)))
    }
    return keccak256(Buffer.concat(words))
  }

  #encode(type: string, value: unknown, depth: number): Bytes {
    const array = /^(.*)\[([0-9]*)\]$/.exec(type)
    if (array !== null) return this.#encodeArray(array[1]!, array[2]!, value, depth)
    // As other implementations: a missing struct is zero, so that types can be recursive.
    if (this.#types.has(type)) return value == null ? NOTHING : this.hashStruct(type, value, depth + 1)
    return encodeAtom(type, value)
  }

  #encodeArray(itemType: string, length: string, value: unknown, depth: number): Bytes {
    if (depth > MAX_TYPED_DATA_DEPTH) throw new InvalidValueError(`more than ${MAX_TYPED_DATA_DEPTH} levels`)
    if (!Array.isArray(value)) throw new InvalidValueError(`expected an array, got ${describe(value)}`)
    if (length !== '' && value.length !== Number(length)) {
      throw new InvalidValueError(`${value.length} entries, want ${length}`)
    }
    const words = value.map((item: unknown, index) =>
      within(`[${index}]`, () => this.#encode(itemType, item, depth + 1)),
    )
    return keccak256(Buffer.concat(words))
  }

  #typeHash(type: string): Bytes {
    let hash = this.#typeHashes.get(type)
    if (hash === undefined) {
      hash = keccak256(Buffer.from(this.#encodeType(type)))
      this.#typeHashes.set(type, hash)
    }
    return hash
  }

  /** The type itself, then all that it refers to, sorted by name. */
  #encodeType(type: string): string {
    const referenced = new Set<string>()
    const open = [type]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const field of this.#fields(next)) {
        const name = /^[^[]*/.exec(field.type)![0]
        if (!this.#types.has(name) || name === type || referenced.has(name)) continue
        referenced.add(name)
        open.push(name)
      }
    }
    return [type, ...[...referenced].sort()].map((name) => this.#declaration(name)).join('')
  }

  #declaration(type: string): string {
    return `${type}(${this.#fields(type)
      .map((field) => `${field.type} ${field.name}`)
      .join(',')})`
  }

  #fields(type: string): readonly TypedDataField[] {
    const fields = this.#types.get(type)
    if (fields === undefined) throw new InvalidValueError(`the type ${type} is not defined`)
    return fields
  }
}

function encodeAtom(type: string, value: unknown): Bytes {
  switch (type) {
    case 'string':
      if (typeof value !== 'string') throw new InvalidValueError(`expected a string, got ${describe(value)}`)
      return keccak256(Buffer.from(value))
    case 'bytes':
      return keccak256(dataCodec.decode(value))
    case 'bool':
      return bigintToWord(boolOf(value) ? 1n : 0n)
    case 'address':
      return leftPadded(hexToBytes(addressCodec.decode(value)))
  }
  const sized = /^(bytes|uint|int)([1-9][0-9]{0,2})?$/.exec(type)
  if (sized === null) throw new InvalidValueError(`the type ${type.slice(0, 100)} is not defined`)
  const [, kind, digits] = sized
  if (kind === 'bytes') return fixedBytes(value, Number(digits))
  return integerWord(value, kind === 'int', digits === undefined ? 256 : Number(digits))
}

function boolOf(value: unknown): boolean {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw new InvalidValueError(`expected true or false, got ${describe(value)}`)
}

function fixedBytes(value: unknown, size: number): Bytes {
  if (!(size >= 1 && size <= WORD)) throw new InvalidValueError(`the type bytes${size} is not defined`)
  const bytes = dataCodec.decode(value)
  if (bytes.length !== size) throw new InvalidValueError(`${bytes.length} bytes, want ${size}`)
  const word = new Uint8Array(WORD)
  word.set(bytes)
  return word
}

function leftPadded(bytes: Bytes): Bytes {
  const word = new Uint8Array(WORD)
  word.set(bytes, WORD - bytes.length)
  return word
}

function integerWord(value: unknown, isSigned: boolean, bits: number): Bytes {
  if (bits < 8 || bits > 256 || bits % 8 !== 0) throw new InvalidValueError(`an integer type of ${bits} bits`)
  const number = integerOf(value)
  const low = isSigned ? -(1n << BigInt(bits - 1)) : 0n
  const high = isSigned ? 1n << BigInt(bits - 1) : 1n << BigInt(bits)
  if (number < low || number >= high) throw new InvalidValueError(`${number} does not fit in ${bits} bits`)
  return bigintToWord(BigInt.asUintN(256, number))
}

/** A JSON number, or a number in decimal or hex in a string. */
function integerOf(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  const text = typeof value === 'string' && value.length <= 80 ? value : ''
  const match = /^(-?)(0[xX][0-9a-fA-F]+|[0-9]+)$/.exec(text)
  if (match === null) throw new InvalidValueError(`expected an integer, got ${describe(value)}`)
  return match[1] === '-' ? -BigInt(match[2]!) : BigInt(match[2]!)
}

/** The fields of a domain without a declared type, in the order of EIP-712. */
export function domainFields(domain: Readonly<Record<string, unknown>>): readonly TypedDataField[] {
  const all = [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
    { name: 'salt', type: 'bytes32' },
  ]
  return all.filter(({ name }) => Object.hasOwn(domain, name) && domain[name] != null)
}
