import { describe, expect, test } from 'vitest'
import { activationsUntil, flagOfActivations, forkActivations } from './fork-activations.ts'
import { parseGenesis } from './genesis-codec.ts'
import { createNetwork, type NetworkOptions } from './networks.ts'

function ofNetwork(options: NetworkOptions): string {
  return forkActivations(createNetwork(options).genesis.config)
}

describe('forkActivations', () => {
  test.each<readonly [NetworkOptions, text: string, flag: string]>([
    [{}, 'osaka', '--hardfork osaka, or the same genesis file'],
    [{ fork: 'prague' }, 'prague', '--hardfork prague, or the same genesis file'],
    [{ upgrade: 'karst' }, 'osaka karst', '--hardfork karst, or the same genesis file'],
    [{ upgrade: 'granite' }, 'cancun granite', '--hardfork granite, or the same genesis file'],
    [{ upgrade: 'cobalt' }, 'osaka cobalt', '--hardfork cobalt, or the same genesis file'],
    [{ upgrade: 'denim', timestamp: 1_000n }, 'osaka denim', '--profile denim'],
    [{ upgrade: 'denim', timestamp: 1_000n, denimAfter: 8n }, 'osaka cobalt denim@1008', 'the same genesis file'],
  ])('describes the network %o as %s, and names the flag %s', (options, text, flag) => {
    expect(ofNetwork(options)).toBe(text)
    expect(flagOfActivations(text)).toBe(flag)
  })

  test('names later forks of a genesis file with their block or time', () => {
    const { config } = parseGenesis({
      config: {
        chainId: 1,
        homesteadBlock: 0,
        eip150Block: 0,
        eip155Block: 0,
        eip158Block: 0,
        byzantiumBlock: 0,
        constantinopleBlock: 0,
        petersburgBlock: 0,
        istanbulBlock: 0,
        berlinBlock: 5,
        londonBlock: 6,
        mergeNetsplitBlock: 7,
        shanghaiTime: 100,
      },
      gasLimit: '0x1c9c380',
      difficulty: '0x1',
      alloc: {},
    })
    expect(forkActivations(config)).toBe('istanbul berlin#5 london#6 paris#7 shanghai@100')
  })
})

describe('activationsUntil', () => {
  const schedule = 'istanbul berlin#5 shanghai@100 unknown@200'

  test.each([
    [{ number: 4, timestamp: 99n }, 'istanbul'],
    [{ number: 5, timestamp: 99n }, 'istanbul berlin#5'],
    [{ number: 5, timestamp: 100n }, 'istanbul berlin#5 shanghai@100'],
    [{ number: 9, timestamp: 200n }, schedule],
  ])('block %o has %s', (block, expected) => {
    expect(activationsUntil(schedule, block)).toBe(expected)
  })
})
