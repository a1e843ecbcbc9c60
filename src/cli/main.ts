#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=200
import { addressSpaceAdvice } from './process/address-space.ts'

const advice = addressSpaceAdvice()
// At once: where address space is short, V8 may end the process without a word.
if (advice !== undefined) process.stderr.write(advice)
try {
  // Instantiates WebAssembly modules, each of which needs address space.
  await import('./program.ts')
} catch (error) {
  if (advice === undefined) throw error
  process.stderr.write(`tickertape: ${error instanceof Error ? error.message : error}\n${advice}`)
  process.exit(1)
}
