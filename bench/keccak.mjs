// Compares our keccak-256 with @noble/hashes, in hashes per second.
//   npm run bench -- keccak
import { keccak_256 } from '@noble/hashes/sha3.js'
import { keccak256, keccakHash } from '../dist/primitives/keccak.js'
import { printTable } from './support/statistics.mjs'

const SIZES = [32, 64, 136, 532, 1000]
const WARM_UP = 20_000
const MEASURED_MS = 500

function rate(hash, data) {
  for (let round = 0; round < WARM_UP; round++) hash(data)
  const start = performance.now()
  let hashes = 0
  let elapsed = 0
  while (elapsed < MEASURED_MS) {
    for (let round = 0; round < 1000; round++) hash(data)
    hashes += 1000
    elapsed = performance.now() - start
  }
  return Math.round((hashes / elapsed) * 1000)
}

const rows = [['bytes', 'noble/s', 'keccak256/s', 'keccakHash/s', 'times']]
for (const size of SIZES) {
  const data = Uint8Array.from({ length: size }, (_, index) => index)
  const noble = rate(keccak_256, data)
  const ours = rate(keccak256, data)
  rows.push([size, noble, ours, rate(keccakHash, data), (ours / noble).toFixed(1)])
}
printTable(rows)
