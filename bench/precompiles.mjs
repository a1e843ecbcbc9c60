// Measures every precompile with its worst input, in milliseconds per million gas.
//   npm run bench -- precompiles [part of a name]
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { precompilesOf } from '../dist/engine/precompiles/registry.js'
import { printTable } from './support/statistics.mjs'

// bench/node_modules contains another version of these packages.
const require = createRequire(new URL('../package.json', import.meta.url))
const curves = (name) => import(pathToFileURL(require.resolve(`@noble/curves/${name}.js`)).href)
const { bls12_381 } = await curves('bls12-381')
const { bn254 } = await curves('bn254')
const { p256 } = await curves('nist')
const { secp256k1 } = await curves('secp256k1')

const MEASURED_MS = 250
/** Long enough for the resolution of the clock, short enough to fit between two interrupts. */
const BATCH_MS = 0.5
const [, , , only] = process.argv

const { concat } = Buffer
const word = (value) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
const fp = (value) => Buffer.from(value.toString(16).padStart(128, '0'), 'hex')
const repeat = (count, make) => concat(Array.from({ length: count }, (_, index) => make(BigInt(index))))
/** Pseudo-random bytes, the same in every run. */
const noise = (length, seed = 'precompiles') => {
  const blocks = []
  for (let size = 0, block = Buffer.from(seed); size < length; size += 32) {
    block = createHash('sha256').update(block).digest()
    blocks.push(block)
  }
  return concat(blocks).subarray(0, length)
}

const bnG1 = (scalar) => affine(bn254.G1, scalar, ({ x, y }) => concat([word(x), word(y)]))
const bnG2 = (scalar) => affine(bn254.G2, scalar, ({ x, y }) => concat([x.c1, x.c0, y.c1, y.c0].map(word)))
const blsG1 = (scalar) => affine(bls12_381.G1, scalar, ({ x, y }) => concat([fp(x), fp(y)]))
const blsG2 = (scalar) => affine(bls12_381.G2, scalar, ({ x, y }) => concat([x.c0, x.c1, y.c0, y.c1].map(fp)))
const affine = (group, scalar, encode) => encode(group.Point.BASE.multiply(scalar).toAffine())

function modexp(size, exponentSize, { even = false, head = 0xff, base = size } = {}) {
  const modulus = Buffer.from(noise(size, 'modulus'))
  modulus[0] |= 0x80
  if (even) modulus.fill(0, size - even).writeUInt8(modulus[size - even - 1] | 1, size - even - 1)
  else modulus[size - 1] |= 1
  const exponent = Buffer.from(noise(exponentSize, 'exponent'))
  exponent[0] = head
  return concat([word(base), word(exponentSize), word(size), noise(base, 'base'), exponent, modulus])
}

function ecrecoverInput() {
  const hash = noise(32)
  const signed = secp256k1.sign(hash, word(7n), { prehash: false, format: 'recovered' })
  return concat([hash, word(27n + BigInt(signed[0])), signed.subarray(1)])
}

/** An r that is no x coordinate of the curve: the library throws. */
function ecrecoverWithoutPoint() {
  const input = Buffer.from(ecrecoverInput())
  word(5n).copy(input, 64)
  return input
}

function p256Input() {
  const hash = noise(32)
  const publicKey = p256.getPublicKey(word(7n), false).subarray(1)
  return concat([hash, p256.sign(hash, word(7n), { prehash: false }), publicKey])
}

function blake2fInput(rounds) {
  const input = concat([noise(212), Buffer.of(1)])
  input.writeUInt32BE(rounds)
  return input
}

/** A KZG proof for a polynomial of degree 1: (p(s) - p(z)) / (s - z) is its leading coefficient. */
function pointEvaluationInput() {
  const secretG1 = bls12_381.G1.Point.fromHex(
    'ad3eb50121139aa34db1d545093ac9374ab7bca2c0f3bf28e27c8dcd8fc7cb42d25926fc0c97b336e9f0fb35e5a04c81',
  )
  const [slope, constant, z] = [3n, 5n, BigInt(`0x${noise(32).toString('hex')}`) >> 3n]
  const commitment = secretG1.multiply(slope).add(bls12_381.G1.Point.BASE.multiply(constant)).toBytes()
  const proof = bls12_381.G1.Point.BASE.multiply(slope).toBytes()
  const hash = createHash('sha256').update(commitment).digest()
  hash[0] = 1
  const y = (slope * z + constant) % bls12_381.fields.Fr.ORDER
  return concat([hash, word(z), word(y), commitment, proof])
}

const bnPairs = (count) => repeat(count, (index) => concat([bnG1(index + 3n), bnG2(index + 5n)]))
const blsPairs = (count) => repeat(count, (index) => concat([blsG1(index + 3n), blsG2(index + 5n)]))
const scalar = (index) => noise(32, `scalar ${index}`)
const g1Msm = (count) => repeat(count, (index) => concat([blsG1(index + 3n), scalar(index)]))
const g2Msm = (count) => repeat(count, (index) => concat([blsG2(index + 3n), scalar(index)]))

const modexps = (fork) => [
  ...[8, 16, 24, 32, 40, 64, 128, 256, 512, 1024].flatMap((size) => [
    [`${size} bytes ^ 32 bytes`, modexp(size, 32)],
    [`${size} bytes ^ ${fork === 'osaka' ? 1024 : 4096} bytes`, modexp(size, fork === 'osaka' ? 1024 : 4096)],
    [`${size} bytes, half of it even, ^ 256 bytes`, modexp(size, 256, { even: size / 2 })],
    [`${size} bytes, a byte even, ^ 256 bytes`, modexp(size, 256, { even: 1 })],
    [`${size} bytes ^ 3`, modexp(size, 1, { head: 3 })],
    [`${size} bytes ^ 1 byte`, modexp(size, 1)],
  ]),
  // The most work for the lowest price.
  ['72 bytes ^ 8 bits', modexp(72, 1)],
  ['112 bytes ^ 4 bits', modexp(112, 1, { head: 0x0f })],
  ['192 bytes ^ 3', modexp(192, 1, { head: 3 })],
  ['48 bytes ^ 16 bits', modexp(48, 2)],
  ['40 bytes ^ 24 bits', modexp(40, 3)],
  ['32 bytes ^ 38 bits', modexp(32, 5, { head: 0x3f })],
  ['24 bytes ^ 66 bits', modexp(24, 9, { head: 3 })],
  ['16 bytes ^ 150 bits', modexp(16, 19, { head: 0x3f })],
  ['8 bytes, half of it even, ^ 600 bits', modexp(8, 75, { even: 4 })],
  ['base of 1024 bytes, modulus of 8, ^ 1', modexp(8, 1, { head: 1, base: 1024 })],
  ['32 bytes even ^ 38 bits', modexp(32, 5, { even: 16, head: 0x3f })],
]

/** [address, name, implementation, fork, labelled inputs] */
const workloads = [
  [
    1,
    'ecrecover',
    'secp256k1 (native)',
    'prague',
    () => [
      ['valid', ecrecoverInput()],
      ['r that is not on the curve', ecrecoverWithoutPoint()],
    ],
  ],
  [2, 'sha256', 'node:crypto', 'prague', () => [0, 1, 64, 1024, 1 << 20].map((size) => [`${size} bytes`, noise(size)])],
  [
    3,
    'ripemd160',
    'node:crypto',
    'prague',
    () => [0, 1, 64, 1024, 1 << 20].map((size) => [`${size} bytes`, noise(size)]),
  ],
  [4, 'identity', 'copy', 'prague', () => [0, 1, 64, 1024, 1 << 20].map((size) => [`${size} bytes`, noise(size)])],
  [
    5,
    'modexp, Prague',
    'own WebAssembly',
    'prague',
    () => modexps('prague').concat([['2048 bytes ^ 32 bytes', modexp(2048, 32)]]),
  ],
  [5, 'modexp, Osaka', 'own WebAssembly', 'osaka', () => modexps('osaka')],
  [
    6,
    'bn254 add',
    'mcl-wasm',
    'prague',
    () => [
      ['two points', concat([bnG1(3n), bnG1(5n)])],
      ['a point twice', concat([bnG1(3n), bnG1(3n)])],
    ],
  ],
  [
    7,
    'bn254 mul',
    'mcl-wasm',
    'prague',
    () => [
      ['255 bits', concat([bnG1(3n), noise(32)])],
      ['all bits', concat([bnG1(3n), Buffer.alloc(32, 0xff)])],
    ],
  ],
  [
    8,
    'bn254 pairing',
    'mcl-wasm',
    'prague',
    () => [1, 2, 3, 4, 8, 16].map((count) => [`${count} pairs`, bnPairs(count)]),
  ],
  [
    9,
    'blake2f',
    'own WebAssembly',
    'prague',
    () => [12, 1000, 100_000].map((rounds) => [`${rounds} rounds`, blake2fInput(rounds)]),
  ],
  [10, 'point evaluation', 'mcl-wasm', 'prague', () => [['valid', pointEvaluationInput()]]],
  [11, 'BLS12-381 G1 add', 'mcl-wasm', 'prague', () => [['two points', concat([blsG1(3n), blsG1(5n)])]]],
  [
    12,
    'BLS12-381 G1 MSM',
    'mcl-wasm',
    'prague',
    () => [1, 2, 4, 8, 16, 32, 64, 128, 256].map((count) => [`${count} points`, g1Msm(count)]),
  ],
  [13, 'BLS12-381 G2 add', 'mcl-wasm', 'prague', () => [['two points', concat([blsG2(3n), blsG2(5n)])]]],
  [
    14,
    'BLS12-381 G2 MSM',
    'mcl-wasm',
    'prague',
    () => [1, 2, 4, 8, 16, 32, 64, 128].map((count) => [`${count} points`, g2Msm(count)]),
  ],
  [
    15,
    'BLS12-381 pairing',
    'mcl-wasm',
    'prague',
    () => [1, 2, 3, 4, 8, 16].map((count) => [`${count} pairs`, blsPairs(count)]),
  ],
  [
    16,
    'BLS12-381 map to G1',
    'mcl-wasm',
    'prague',
    () => ['a', 'b', 'c'].map((seed) => [`element ${seed}`, concat([Buffer.alloc(17), noise(47, seed)])]),
  ],
  [
    17,
    'BLS12-381 map to G2',
    'mcl-wasm',
    'prague',
    () =>
      ['a', 'b', 'c'].map((seed) => [
        `element ${seed}`,
        concat([Buffer.alloc(17), noise(47, seed), Buffer.alloc(17), noise(47, `${seed}2`)]),
      ]),
  ],
  [0x100, 'P256VERIFY', 'node:crypto', 'osaka', () => [['valid', p256Input()]]],
]

/** Returns the minimum over many batches: disturbances only add time. */
function microseconds(run) {
  let once = elapsed(run, 1)
  // A slow input warms up within its first batches.
  for (let round = 0; round < 5 && once < 100; round++) once = elapsed(run, 1)
  const count = Math.max(1, Math.floor(BATCH_MS / once))
  let least = Number.POSITIVE_INFINITY
  for (const start = performance.now(); performance.now() - start < MEASURED_MS; ) {
    least = Math.min(least, elapsed(run, count) / count)
  }
  return least * 1000
}

/** Wall time; for runs longer than a time slice of the system, processor time, which excludes other processes. */
function elapsed(run, count) {
  const start = performance.now()
  const before = process.cpuUsage()
  for (let round = 0; round < count; round++) run()
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  return wall > 4 ? Math.min(wall, (user + system) / 1000) : wall
}

const rows = [['precompile', 'implementation', 'worst input', 'us', 'gas', 'ms per Mgas']]
for (const [number, name, implementation, fork, inputs] of workloads) {
  if (only !== undefined && !name.toLowerCase().includes(only.toLowerCase())) continue
  const precompile = precompilesOf(fork).get(`0x${number.toString(16).padStart(40, '0')}`)
  let worst
  for (const [what, input] of inputs()) {
    const gas = Number(precompile.gas(input, fork))
    const us = microseconds(() => {
      precompile.gas(input, fork)
      precompile.run(input, fork)
    })
    if (only !== undefined) console.log(name, what, us.toFixed(1), gas, ((us / gas) * 1000).toFixed(1))
    if (worst === undefined || us / gas > worst.us / worst.gas) worst = { what, us, gas }
  }
  const perMgas = (worst.us / worst.gas) * 1000
  rows.push([name, implementation, worst.what, worst.us.toFixed(1), worst.gas, perMgas.toFixed(1)])
}
printTable(rows)
