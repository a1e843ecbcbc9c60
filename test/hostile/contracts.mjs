// Contracts that want all they can get for their gas.
import { assemble } from './assemble.mjs'

/** Accounts from here on exist, each with a code of its own of the largest size. */
export const FIRST_CONTRACT = 0x100000

const CALL_SELF = '0x00 0x00 0x00 0x00 0x00 ADDRESS GAS CALL'
/** As often as the gas lets it, and then ends well: what it did stays. */
const repeating = (body) => `:loop ${body} GAS 0x030000 LT @loop JUMPI STOP`
/** The same; the number on the stack is 0, 1, 2 and so on, and the body leaves it there. */
const counting = (body) => `0x00 ${repeating(`${body} 0x01 ADD`)}`
const hex = (number) => `0x${number.toString(16)}`
const ONES = `0x${'ff'.repeat(32)}`
/** Ones in memory from `start` on. */
const ones = (start, bytes) =>
  Array.from({ length: bytes / 32 }, (_, index) => `${ONES} ${hex(start + 32 * index)} MSTORE`).join(' ')
/** Static calls of a precompile with so many bytes of memory and so much gas; zeros are points at infinity. */
const flooding = (address, inputSize, gas, memory = '') =>
  `${memory} ${repeating(`0x20 0x00 ${hex(inputSize)} 0x00 ${hex(address)} ${hex(gas)} STATICCALL POP`)}`
/** Returns the most code there may be, of zeros. */
const LARGE_INITCODE = `${assemble('0x6000 0x00 RETURN')}`.padEnd(66, '0')

const TEXTS = {
  'calls itself as deep as it goes': `${CALL_SELF} STOP`,
  'calls itself twice in every frame': `${CALL_SELF} ${CALL_SELF} STOP`,
  'takes memory in every frame': `0xff 0x3fff MSTORE8 ${CALL_SELF} STOP`,
  'takes ever more memory': repeating('0xff MSIZE 0x7fff ADD MSTORE8'),
  'returns much from every frame': `${CALL_SELF} 0x040000 0x00 RETURN`,
  'logs nothing, often': repeating('0x00 0x00 LOG0'),
  'logs four topics, often': repeating('0x01 0x02 0x03 0x04 0x00 0x00 LOG4'),
  'logs a kilobyte, often': repeating('0x0400 0x00 LOG0'),
  'creates itself within itself': 'CODESIZE 0x00 0x00 CODECOPY CODESIZE 0x00 0x00 CREATE STOP',
  'creates itself in a loop': repeating('CODESIZE 0x00 0x00 CODECOPY CODESIZE 0x00 0x00 CREATE POP'),
  'creates the largest contracts': `${LARGE_INITCODE} 0x00 MSTORE ${counting('DUP1 0xc000 0x00 0x00 CREATE2 POP')}`,
  'writes ever new slots': counting('DUP1 0x01 ADD DUP2 SSTORE'),
  'reads ever new slots': counting('DUP1 SLOAD POP'),
  'writes ever new transient slots': counting('DUP1 0x01 ADD DUP2 TSTORE'),
  'asks for ever new accounts': counting('DUP1 BALANCE POP'),
  'asks for the size of ever new codes': counting(`DUP1 ${hex(FIRST_CONTRACT)} ADD EXTCODESIZE POP`),
  'calls ever new codes': counting(`0x00 0x00 0x00 0x00 DUP5 ${hex(FIRST_CONTRACT)} ADD 0xffff STATICCALL POP`),
  'floods ecrecover': flooding(1, 128, 3_000, `${ones(0, 128)} 0x1b 0x20 MSTORE`),
  'floods sha256': flooding(2, 0x40000, 0x0fffff),
  'floods ripemd160': flooding(3, 0x4000, 0x0fffff),
  'floods identity': flooding(4, 0x100000, 0x0fffff),
  'floods modexp': flooding(
    5,
    96 + 544,
    0xffff,
    `${ones(96, 544)} 0x0100 0x00 MSTORE 0x20 0x20 MSTORE 0x0100 0x40 MSTORE`,
  ),
  'floods bn254 addition': flooding(6, 128, 150),
  'floods bn254 multiplication': flooding(7, 96, 6_000),
  'floods bn254 pairing': flooding(8, 192 * 20, 800_000),
  'floods blake2f': flooding(9, 213, 0x200000, '0x1fffff 0xe0 SHL 0x00 MSTORE'),
  'floods point evaluation': flooding(10, 192, 50_000),
  'floods BLS12-381 G1 addition': flooding(11, 256, 375),
  'floods BLS12-381 G1 sums': flooding(12, 160 * 128, 1_000_000),
  'floods BLS12-381 G2 addition': flooding(13, 512, 600),
  'floods BLS12-381 G2 sums': flooding(14, 288 * 128, 2_000_000),
  'floods BLS12-381 pairing': flooding(15, 384 * 20, 800_000),
  'floods BLS12-381 maps to G1': flooding(16, 64, 5_500),
  'floods BLS12-381 maps to G2': flooding(17, 128, 23_800),
  'floods P256VERIFY': flooding(256, 160, 6_900, ones(0, 160)),
}

/** Code in hex by what it does. */
export const CONTRACTS = new Map(Object.entries(TEXTS).map(([name, text]) => [name, assemble(text)]))
