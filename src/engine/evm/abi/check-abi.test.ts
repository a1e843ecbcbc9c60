import { describe, expect, it } from 'vitest'
import { Evm } from '../evm.ts'
import { checkAbi } from './check-abi.ts'

describe('checkAbi', () => {
  const built = new Evm({ seed: 1n }).exports as unknown as Record<string, unknown>

  it('accepts the module that this source tree builds', () => {
    expect(() => checkAbi(built)).not.toThrow()
  })

  it.each(['ACCOUNT_NONCE', 'OUT_OF_GAS', 'OSAKA', 'SELFDESTRUCT'])('rejects a module with another %s', (name) => {
    const { value } = built[name] as WebAssembly.Global

    expect(() => checkAbi({ ...built, [name]: { value: value + 1 } })).toThrow(
      `the EVM module has ${value + 1} where ${name} is ${value}: build it with \`npm run build\``,
    )
  })

  it('rejects a module that lacks a constant', () => {
    const { CODE_BYTES: _, ...without } = built

    expect(() => checkAbi(without)).toThrow('the EVM module has none where CODE_BYTES is')
  })
})
