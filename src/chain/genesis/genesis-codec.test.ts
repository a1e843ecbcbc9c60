import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../primitives/hex.ts'
import { bigintToHash, bigintToSlot } from '../../primitives/quantity.ts'
import { BASE_FEE_VAULT_ADDRESS, EMPTY_REQUESTS_HASH, EMPTY_TRIE_ROOT } from '../constants.ts'
import { chainProfile } from '../forks/chain-profile.ts'
import { denimActivation } from '../forks/denim-schedule.ts'
import { UNSUPPORTED_FORK_KEYS } from '../forks/forks.ts'
import { ADMIN_SLOT, BASE_TIME } from '../predeploys/op-stack/op-stack-contracts.ts'
import { genesisHeader } from './genesis.ts'
import { parseGenesis } from './genesis-codec.ts'

const CONFIG = { chainId: 1, homesteadBlock: 0, londonBlock: 0, terminalTotalDifficulty: 0 }
const FILE = { config: CONFIG, gasLimit: '0x1c9c380', alloc: {} }

const UNSUPPORTED = UNSUPPORTED_FORK_KEYS.at(-1)!

describe('parseGenesis', () => {
  it('reads hex and decimal numbers, and keys with and without 0x', () => {
    const genesis = parseGenesis({
      ...FILE,
      config: { ...CONFIG, chainId: '0x7a69' },
      gasLimit: 30_000_000,
      timestamp: '1700000000',
      nonce: '0x42',
      alloc: {
        f39Fd6e51aad88F6F4ce6aB8827279cffFb92266: { balance: '10000' },
        '0x70997970c51812dc3a010c7d01b50e0d17dc79c8': {
          balance: '0x10',
          nonce: 1,
          code: '0x6001',
          storage: { '0x1': '0x02', '0000000000000000000000000000000000000000000000000000000000000003': '00' },
        },
      },
    })
    expect(genesis.config).toMatchObject({ chainId: 31_337n, forkBlocks: { homestead: 0, london: 0, paris: 0 } })
    expect(genesis.header).toMatchObject({
      gasLimit: 30_000_000n,
      timestamp: 1_700_000_000n,
      baseFeePerGas: 1_000_000_000n,
    })
    expect(bytesToHex(genesis.header.nonce)).toBe('0x0000000000000042')
    const accounts = [...genesis.alloc]
    expect(accounts[0]).toMatchObject(['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', { balance: 10_000n, nonce: 0n }])
    expect(accounts[1]![1]).toMatchObject({ balance: 16n, nonce: 1n })
    expect(accounts[1]![1].storage).toEqual(new Map([[bigintToSlot(1n), 2n]]))
  })

  it('gives block 0 the header members of its fork', () => {
    const times = { shanghaiTime: 0, cancunTime: 0, pragueTime: 0 }
    const genesis = parseGenesis({ ...FILE, config: { ...CONFIG, ...times } })
    const header = genesisHeader(genesis, bigintToHash(1n))
    expect(header).toMatchObject({
      stateRoot: bigintToHash(1n),
      withdrawalsRoot: EMPTY_TRIE_ROOT,
      blobGasUsed: 0,
      excessBlobGas: 0n,
      requestsHash: EMPTY_REQUESTS_HASH,
    })
    expect(genesisHeader(genesis, bigintToHash(1n), bigintToHash(2n)).withdrawalsRoot).toBe(bigintToHash(2n))
    expect(genesisHeader(parseGenesis(FILE), bigintToHash(1n), bigintToHash(2n)).withdrawalsRoot).toBeUndefined()
  })

  it('recognises a layer-2 chain by config.optimism', () => {
    const optimism = { eip1559Elasticity: 6, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 }
    const extraData = '0x01000000640000000500000000004c4b40'
    const file = { ...FILE, extraData, config: { ...CONFIG, canyonTime: 0, ecotoneTime: 0, isthmusTime: 10, optimism } }
    expect(parseGenesis(file).config).toMatchObject({
      forkTimes: { shanghai: 0n, cancun: 0n, prague: 10n },
      layer2: {
        eip1559Elasticity: 6,
        eip1559Denominator: 250,
        minBaseFee: 5_000_000n,
        daFootprintGasScalar: 0,
        baseFeeRecipient: BASE_FEE_VAULT_ADDRESS,
      },
    })
    const own = { ...optimism, minBaseFee: '7', daFootprintGasScalar: 400, transactionGasCap: 16_777_216 }
    expect(parseGenesis({ ...file, config: { ...CONFIG, optimism: own } }).config).toMatchObject({
      layer2: { minBaseFee: 7n, daFootprintGasScalar: 400 },
      transactionGasCap: 16_777_216n,
    })
    expect(parseGenesis(FILE).config).not.toHaveProperty('layer2')
  })

  it('schedules upgrades of the OP stack by their members, or by the profile', () => {
    const optimism = { eip1559Elasticity: 6, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 }
    const times = { regolithTime: 0, canyonTime: 0, ecotoneTime: 5, isthmusTime: 10, jovianTime: 20, azulTime: 30 }
    const scheduled = parseGenesis({ ...FILE, config: { ...CONFIG, ...times, optimism } }).config
    expect(scheduled).toMatchObject({
      forkTimes: { shanghai: 0n, cancun: 5n, prague: 10n, osaka: 30n },
      layer2: { upgradeTimes: { regolith: 0n, canyon: 0n, ecotone: 5n, isthmus: 10n, jovian: 20n, azul: 30n } },
    })
    // Files without Regolith schedule the forks of Ethereum only.
    const { regolithTime: _, ...older } = times
    expect(parseGenesis({ ...FILE, config: { ...CONFIG, ...older, optimism } }).config.layer2).not.toHaveProperty(
      'upgradeTimes',
    )
    const byProfile = parseGenesis({ ...FILE, config: { ...CONFIG, profile: 'op', jovianTime: 9, optimism } }).config
    expect(byProfile.layer2?.upgradeTimes).toMatchObject({ regolith: 0n, isthmus: 0n, jovian: 9n })
    expect(byProfile.layer2?.upgradeTimes).not.toHaveProperty('azul')
    expect(parseGenesis({ ...FILE, config: { ...CONFIG, optimism } }, 'op').config.layer2).toHaveProperty(
      'upgradeTimes',
    )
  })

  it.each([
    [{ profile: 'op' }, /needs config.optimism/],
    [{ profile: 'denim' }, /needs config.optimism/],
    [{ profile: 'base' }, /config.profile must be one of flashblocks, op, denim, ethereum/],
    [{ optimism: {}, regolithTime: 0, cobaltTime: 5 }, /config.cobaltTime names an upgrade that is not supported/],
    [{ optimism: {}, profile: 'flashblocks', regolithTime: 0 }, /has no upgrades, and config.regolithTime/],
    [{ optimism: {}, profile: 'op', denimTime: 5 }, /use the profile denim/],
    [{ optimism: {}, regolithTime: 5, canyonTime: 4 }, /config.canyonTime is before the upgrade/],
    [
      { optimism: {}, regolithTime: 0, karstTime: 4, azulTime: 5 },
      /config.azulTime is an upgrade of other chains than config.karstTime/,
    ],
  ])('rejects upgrades that are not supported or out of order (%#)', (members, message) => {
    expect(() => parseGenesis({ ...FILE, config: { ...CONFIG, ...members } })).toThrow(message)
  })

  describe('with Denim', () => {
    const optimism = { eip1559Elasticity: 5, eip1559Denominator: 100, eip1559DenominatorCanyon: 100 }
    const proxy = { code: '0x6001', storage: { [ADMIN_SLOT]: '0x4200000000000000000000000000000000000018' } }
    const file = (members: object, alloc: object = { [BASE_TIME.address]: proxy }) => ({
      ...FILE,
      timestamp: 1_000,
      alloc,
      config: { ...CONFIG, optimism, ...members },
    })

    it('schedules it by its member, or by the profile from block 0 on', () => {
      const times = { regolithTime: 0, jovianTime: 0, azulTime: 0 }
      const later = parseGenesis(file({ ...times, denimTime: 1_007 })).config
      expect(later.layer2).toMatchObject({
        upgradeTimes: { azul: 0n, denim: 1_007n },
        denim: { genesisNumber: 0n, genesisTime: 1_000n, denimTime: 1_007n },
      })
      expect(denimActivation(later)).toBe(4n)
      expect(chainProfile(later)).toBe('denim')

      const { config } = parseGenesis(file({ profile: 'denim' }))
      expect(config.layer2?.upgradeTimes).toMatchObject({ regolith: 0n, cobalt: 0n, denim: 0n })
      expect(denimActivation(config)).toBeUndefined()
      expect(parseGenesis(file({}), 'denim').config).toEqual(config)
    })

    it.each<[object, object, RegExp]>([
      [{}, {}, /needs the contract BaseTime at 0x42/],
      [{ denimTime: 1_007 }, { [BASE_TIME.address]: { code: '0x6001' } }, /needs ProxyAdmin in slot 0xb531/],
      [{ denimTime: 1_007, azulTime: 1_008 }, { [BASE_TIME.address]: proxy }, /config.denimTime is before the upgrade/],
      [
        { denimTime: 1_007, optimism: { ...optimism, eip1559DenominatorCanyon: 429_496_730 } },
        { [BASE_TIME.address]: proxy },
        /denominator 429496730 is above 429496729/,
      ],
    ])('rejects a chain that could not activate it (%#)', (members, alloc, message) => {
      expect(() => parseGenesis(file({ profile: 'denim', ...members }, alloc))).toThrow(message)
    })
  })

  it("reads Besu's limit of code", () => {
    const config = { ...CONFIG, contractSizeLimit: 40_000 }
    expect(parseGenesis({ ...FILE, config }).config.codeSizeLimit).toBe(40_000)
    const most = { ...CONFIG, contractSizeLimit: Number.MAX_SAFE_INTEGER }
    expect(parseGenesis({ ...FILE, config: most }).config.codeSizeLimit).toBe(0x7fff_ffff)
    expect(parseGenesis(FILE).config).not.toHaveProperty('codeSizeLimit')
  })

  it.each([
    ['no object', 7, 'the file must be an object'],
    ['no config', { ...FILE, config: undefined }, 'config must be an object'],
    ['no gas limit', { ...FILE, gasLimit: null }, 'gasLimit must be a whole number'],
    ['a gas limit beyond 64 bits', { ...FILE, gasLimit: '0x10000000000000000' }, 'gasLimit must be below 2^64'],
    ['no chain id', { ...FILE, config: {} }, 'config.chainId must be a whole number'],
    [
      'an inexact number',
      { ...FILE, config: { chainId: 2 ** 53 } },
      'config.chainId must be a whole number below 2^53',
    ],
    ['a negative number', { ...FILE, timestamp: -1 }, 'timestamp must be a whole number'],
    ['odd extra data', { ...FILE, extraData: '0x1' }, 'extraData must be bytes in hex'],
    ['a bad coinbase', { ...FILE, coinbase: '0x12' }, 'coinbase must be an address'],
    ['no accounts', { ...FILE, alloc: undefined }, 'alloc must be an object'],
    ['an account without address', { ...FILE, alloc: { '0x12': {} } }, 'the key of alloc.0x12 must be an address'],
    [
      'a bad balance',
      { ...FILE, alloc: { f39fd6e51aad88f6f4ce6ab8827279cfffb92266: { balance: '1 ETH' } } },
      'alloc.f39fd6e51aad88f6f4ce6ab8827279cfffb92266.balance must be a whole number',
    ],
    [
      'an account twice',
      {
        ...FILE,
        alloc: { f39fd6e51aad88f6f4ce6ab8827279cfffb92266: {}, '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266': {} },
      },
      'names an account that the file has already',
    ],
    [
      'a fork of the future',
      { ...FILE, config: { ...CONFIG, [UNSUPPORTED]: 0 } },
      `config.${UNSUPPORTED} names a fork`,
    ],
    [
      'forks out of order',
      { ...FILE, config: { ...CONFIG, shanghaiTime: 10, cancunTime: 5 } },
      'config puts cancun at time 5, before shanghai at time 10',
    ],
    [
      'times out of order, however they are called',
      { ...FILE, config: { ...CONFIG, canyonTime: 10, cancunTime: 5 } },
      'change config.cancunTime or config.canyonTime',
    ],
    [
      'blocks out of order, one of which is not named',
      { ...FILE, config: { ...CONFIG, londonBlock: 5 } },
      'change config.mergeNetsplitBlock or config.londonBlock',
    ],
    [
      'an elasticity of 0',
      { ...FILE, config: { ...CONFIG, optimism: { eip1559Elasticity: 0, eip1559Denominator: 50 } } },
      'config.optimism.eip1559Elasticity must be at least 1',
    ],
  ])('rejects %s and names the member', (_, file, message) => {
    expect(() => parseGenesis(file)).toThrowError(
      expect.objectContaining({ code: 'INVALID_GENESIS', message: expect.stringContaining(message) }),
    )
  })
})
