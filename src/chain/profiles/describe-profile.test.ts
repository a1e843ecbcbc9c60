import { describe, expect, it } from 'vitest'
import { chainProfile, PROFILE_NAMES } from '../forks/chain-profile.ts'
import { createNetwork } from '../genesis/networks.ts'
import { OP_STACK_PREINSTALLS } from '../predeploys/preinstalls.ts'
import { describeProfile, profileText } from './describe-profile.ts'

describe('profiles', () => {
  it('describe the chains that the networks build', () => {
    expect(describeProfile('flashblocks')).toMatchObject({
      active: ['shanghai', 'cancun', 'prague', 'osaka'],
      systemTransactions: [],
      gasLimit: 400_000_000,
    })
    const op = describeProfile('op')
    expect(op).toMatchObject({ systemTransactions: ['L1 attributes'], rpc: { namespaces: ['optimism'] } })
    expect(op.active.slice(-2)).toEqual(['jovian', 'karst'])
    const added = op.predeploys.filter(
      ({ name }) => !describeProfile('flashblocks').predeploys.some((p) => p.name === name),
    )
    const names = new Set(OP_STACK_PREINSTALLS.map(({ name }) => name))
    const proxied = added.filter(({ name }) => !names.has(name))
    expect(added.length - proxied.length).toBe(9)
    expect(proxied.map(({ name, address }) => [name, address.slice(-4)])).toEqual([
      ['L1Block', '0015'],
      ['L1Block implementation', '0015'],
      ['GasPriceOracle', '000f'],
      ['GasPriceOracle implementation', '000f'],
      ['L2CrossDomainMessenger', '0007'],
      ['L2CrossDomainMessenger implementation', '0007'],
      ['L2StandardBridge', '0010'],
      ['L2StandardBridge implementation', '0010'],
      ['L2ToL1MessagePasser implementation', '0016'],
      ['SequencerFeeVault', '0011'],
      ['SequencerFeeVault implementation', '0011'],
      ['L1BlockNumber', '0013'],
      ['L1BlockNumber implementation', '0013'],
      ['ProxyAdmin', '0018'],
      ['ProxyAdmin implementation', '0018'],
      ['BaseFeeVault', '0019'],
      ['BaseFeeVault implementation', '0019'],
      ['L1FeeVault', '001a'],
      ['L1FeeVault implementation', '001a'],
      ['OperatorFeeVault', '001b'],
      ['OperatorFeeVault implementation', '001b'],
    ])
  })

  it('have BaseTime and a tenth of the gas limit with Denim', () => {
    const denim = describeProfile('denim')
    expect(denim).toMatchObject({
      gasLimit: 40_000_000,
      denominator: 1_000,
      systemTransactions: ['L1 attributes', 'BaseTime'],
    })
    expect(denim.predeploys.map(({ name }) => name)).toContain('BaseTime')
    expect(profileText(denim)).toContain(
      'a block every 200 ms; before an activation after block 0 a block every 2000 ms, a flashblock every 200 ms\n',
    )
  })

  it('are derived from the rules of a chain', () => {
    expect(chainProfile(createNetwork().genesis.config)).toBe('flashblocks')
    expect(chainProfile(createNetwork({ upgrade: 'ecotone' }).genesis.config)).toBe('op')
    expect(chainProfile(createNetwork({ upgrade: 'denim' }).genesis.config)).toBe('denim')
    const { layer2: _, ...layer1 } = createNetwork().genesis.config
    expect(chainProfile(layer1)).toBe('ethereum')
  })

  it.each(PROFILE_NAMES)('%s survives JSON and fits into lines of text', (name) => {
    const description = describeProfile(name)
    expect(JSON.parse(JSON.stringify(description))).toEqual(description)
    const lines = profileText(description).split('\n')
    expect(lines[0]).toContain(`${name}: `)
    expect(lines.at(-1)).toBe('')
    for (const { fee } of description.fees) expect(lines).toContainEqual(expect.stringMatching(`^Fee +${fee} to `))
    for (const { name: contract, address } of description.predeploys) {
      expect(lines).toContainEqual(expect.stringMatching(`^Contract +${address} ${contract}$`))
    }
    const titles = lines.slice(0, -1).map((line) => line.split(/ {2,}/, 1)[0])
    expect(new Set(titles)).toEqual(
      new Set([
        'Profile',
        'Schedule',
        'Hardfork',
        'Active',
        'Gas',
        'System transactions',
        'Fee',
        'Responses',
        'Namespaces',
        'Contract',
      ]),
    )
  })
})
