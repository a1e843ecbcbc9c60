import type { Address } from '../../src/primitives/hex.ts'

/** A source of numbers in [0, 1). */
export type Random = () => number

/** Numbers that are hard for arithmetic, as words in hex. */
const WORDS = [
  '00',
  '01',
  '02',
  '1f',
  '20',
  'ff',
  '0100',
  '7f'.padEnd(64, 'f'),
  '80'.padEnd(64, '0'),
  'f'.repeat(64),
  `${'f'.repeat(63)}e`,
  `1${'0'.repeat(16)}`,
  `1${'0'.repeat(32)}`,
  'f'.repeat(32),
]

interface Shape {
  readonly opcode: number
  readonly pops: number
}

function shapes(pops: number, opcodes: readonly number[]): readonly Shape[] {
  return opcodes.map((opcode) => ({ opcode, pops }))
}

const PLAIN: readonly Shape[] = [
  ...shapes(0, [0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a]),
  ...shapes(0, [0x58, 0x59, 0x5a, 0x5b, 0x5f]),
  ...shapes(1, [0x15, 0x19, 0x1e, 0x35, 0x40, 0x49, 0x50]),
  ...shapes(2, [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18]),
  ...shapes(2, [0x1a, 0x1b, 0x1c, 0x1d]),
  ...shapes(3, [0x08, 0x09]),
]

/** Addresses that programs may use. */
export interface SharedContext {
  /** Targets of calls and of opcodes that read accounts. */
  readonly accounts: readonly Address[]
  readonly precompiles: readonly Address[]
}

/**
 * Code that mostly runs, as hex without prefix, one string per statement: every instruction finds its operands on the
 * stack, memory stays small, calls go to the given accounts; some of it is nonsense. Statements are independent: jumps
 * are relative.
 */
export function randomStatements(random: Random, around: SharedContext, count: number): readonly string[] {
  const statements = Array.from({ length: count }, () => statement(random, around))
  const returns = ['6101006000f3', '6101006000f3', '6101006000f3', '60406000f3', '6101006000fd', '6101006000fd']
  return [...statements, pick(random, [...returns, '00', '5b', 'fe', '600a6000f3'])]
}

/** Instructions that may end a statement and leave nothing on the stack. */
const LEAVES_NOTHING: ReadonlySet<string> = new Set('37 39 3c 3e 50 52 53 55 57 5b 5d 5e a0 a1 a2 a3 a4 ff'.split(' '))

/** A statement; its result is often stored where it is observable. */
function statement(random: Random, around: SharedContext): string {
  const code = unobserved(random, around)
  if (random() < 0.4 || code.length === 2 || LEAVES_NOTHING.has(code.slice(-2))) return code
  return random() < 0.85 ? `${code}${push(hex(32 * Math.floor(random() * 8)))}52` : `${code}${small(random, 4)}55`
}

function unobserved(random: Random, around: SharedContext): string {
  const { accounts } = around
  const kind = random()
  if (kind < 0.34) return plain(random)
  if (kind < 0.48) return memoryAccess(random)
  if (kind < 0.63) return storageAccess(random)
  if (kind < 0.67) return log(random)
  if (kind < 0.75) return call(random, accounts)
  if (kind < 0.79) return callBetween(random, accounts)
  if (kind < 0.83) return precompileCall(random, around.precompiles)
  if (kind < 0.87) return aboutAccount(random, accounts)
  if (kind < 0.91) return creation(random)
  if (kind < 0.94) return loop(random, around)
  if (kind < 0.96) return jump(random)
  if (kind < 0.97) return `73${pick(random, accounts).slice(2)}ff`
  if (kind < 0.98) return hex(Math.floor(random() * 256))
  return stackMove(random)
}

function plain(random: Random): string {
  const { opcode, pops } = pick(random, PLAIN)
  return Array.from({ length: pops }, () => value(random)).join('') + hex(opcode)
}

function memoryAccess(random: Random): string {
  const at = small(random, 300)
  switch (Math.floor(random() * 8)) {
    case 0:
      return `${at}51`
    case 1:
      return `${value(random)}${at}52`
    case 2:
      return `${value(random)}${at}53`
    case 3:
      return `${small(random, 100)}${at}20`
    case 4:
      return `${small(random, 100)}${small(random, 100)}${at}37`
    case 5:
      return `${small(random, 100)}${small(random, 100)}${at}39`
    case 6:
      return `${small(random, 40)}${small(random, 10)}${at}3e`
    default:
      return `${small(random, 100)}${small(random, 100)}${at}5e`
  }
}

function storageAccess(random: Random): string {
  const slot = small(random, 4)
  const stored = random() < 0.4 ? '6000' : small(random, 3)
  const transient = small(random, 2)
  return pick(random, [
    `${slot}54`,
    `${stored}${slot}55`,
    `${stored}${slot}55`,
    `${transient}5c`,
    `${transient}5c`,
    `${stored}${transient}5d`,
  ])
}

function log(random: Random): string {
  const topics = Math.floor(random() * 5)
  const words = Array.from({ length: topics }, () => value(random)).join('')
  return `${words}${small(random, 70)}${small(random, 70)}${hex(0xa0 + topics)}`
}

function call(random: Random, accounts: readonly Address[]): string {
  const opcode = pick(random, [0xf1, 0xf1, 0xf2, 0xf4, 0xf4, 0xfa])
  const ranges = Array.from({ length: 4 }, () => small(random, 120)).join('')
  const amount = opcode === 0xf1 || opcode === 0xf2 ? pick(random, ['6000', '6000', '6001', '6103e8']) : ''
  const gas = pick(random, ['5a', '61ffff', '620fffff', '6103e8'])
  return `${ranges}${amount}73${pick(random, accounts).slice(2)}${gas}${hex(opcode)}`
}

/** Writes a slot, calls a contract that may write it too and may fail, and reads it. */
function callBetween(random: Random, accounts: readonly Address[]): string {
  const slot = small(random, 2)
  const [write, read] = pick(random, [
    ['5d', '5c'],
    ['5d', '5c'],
    ['55', '54'],
  ] as const)
  return `${small(random, 4)}${slot}${write}${call(random, accounts)}50${slot}${read}`
}

/** With some input, and its return data copied to memory. */
function precompileCall(random: Random, precompiles: readonly Address[]): string {
  const input = random() < 0.7 ? `${value(random)}600052${value(random)}602052` : ''
  const opcode = pick(random, [0xf1, 0xf2, 0xf4, 0xfa])
  const amount = opcode === 0xf1 || opcode === 0xf2 ? pick(random, ['6000', '6000', '6001']) : ''
  const output = `${small(random, 70)}${small(random, 120)}`
  const inputSize = pick(random, ['6000', '6020', '6040', '6060', '6080', '60a0', '60c0', '610180'])
  const gas = pick(random, ['5a', '61ffff', '610bb8', '6064'])
  const run = `${output}${inputSize}6000${amount}73${pick(random, precompiles).slice(2)}${gas}${hex(opcode)}`
  return random() < 0.5 ? `${input}${run}` : `${input}${run}3d6000${small(random, 60)}3e`
}

/** A few iterations of code that leaves the stack unchanged. */
function loop(random: Random, { accounts, precompiles }: SharedContext): string {
  const bodies = [
    () => `${value(random)}${small(random, 200)}52`,
    () => `${small(random, 3)}${small(random, 4)}55`,
    () => `${small(random, 3)}${small(random, 4)}5d`,
    () => log(random),
    () => `${call(random, accounts)}50`,
    () => `${creation(random)}50`,
    () => `6020600060206000600073${pick(random, precompiles).slice(2)}61fffff150`,
  ]
  const body = pick(random, bodies)()
  const rounds = push(hex(1 + Math.floor(random() * 7)))
  // From PC to the JUMPDEST: the body and PUSH1 1, SWAP1, SUB, DUP1.
  const distance = 1 + body.length / 2 + 5
  return `${rounds}5b${body}60019003805861${distance.toString(16).padStart(4, '0')}900357`
}

function aboutAccount(random: Random, accounts: readonly Address[]): string {
  const address = `73${pick(random, accounts).slice(2)}`
  return pick(random, [
    `${address}31`,
    `${address}3b`,
    `${address}3f`,
    `${small(random, 60)}${small(random, 60)}${small(random, 60)}${address}3c`,
  ])
}

/** Initcode from memory: existing content, or code that returns a little or stores something. */
function creation(random: Random): string {
  const initcode = pick(random, [
    '60006000f3',
    '600a6000f3',
    '6001600055',
    '60ef60005360016000f3',
    '60fe60005360016000f3',
    '33ff',
    'fe',
  ])
  const written = `7f${initcode.padEnd(64, '0')}600052`
  const amount = pick(random, ['6000', '6001'])
  return random() < 0.5
    ? `${written}${small(random, 33)}6000${amount}f0`
    : `${small(random, 3)}${written.slice(0)}${small(random, 33)}6000${amount}f5`
}

/** Over an instruction, or to an invalid target. */
function jump(random: Random): string {
  return random() < 0.9 ? '586006015600005b' : `${value(random)}${small(random, 255)}57`
}

function stackMove(random: Random): string {
  const depth = Math.floor(random() * 4)
  const words = Array.from({ length: depth + 2 }, () => value(random)).join('')
  return `${words}${hex((random() < 0.5 ? 0x80 : 0x90) + depth)}`
}

function value(random: Random): string {
  const kind = random()
  if (kind < 0.5) return push(pick(random, WORDS))
  const bytes = 1 + Math.floor(random() * 32)
  return push(Array.from({ length: bytes }, () => hex(Math.floor(random() * 256))).join(''))
}

function small(random: Random, limit: number): string {
  return push(hex(Math.floor(random() * limit) & 0xff))
}

function push(word: string): string {
  const digits = word.length % 2 === 0 ? word : `0${word}`
  return `${hex(0x5f + digits.length / 2)}${digits}`
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)]!
}
